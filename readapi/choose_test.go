package readapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/readapi"
)

// secondBalances makes a version 2 of balances beside the active one, in which every balance is 1.
func (s *site) secondBalances() {
	s.t.Helper()
	s.exec(`CREATE SCHEMA balances_v2`)
	for _, table := range []string{"block", "holding", "ledger", "stx_lock"} {
		s.exec(`CREATE TABLE balances_v2.` + table + ` (LIKE balances_v1.` + table + ` INCLUDING ALL)`)
		s.exec(`INSERT INTO balances_v2.` + table + ` SELECT * FROM balances_v1.` + table)
	}
	s.exec(`UPDATE balances_v2.holding SET balance = 1`)
	s.exec(`INSERT INTO strata.projection SELECT name, 2, input, state, position, 155, 55, $1, $2, 155 FROM strata.projection WHERE name = 'balances'`,
		id(indexHash, 55), id(blockHash, 55))
}

// choose asks for an answer of versions, as one may on the address for administration.
func (s *site) choose(target, versions string, header ...string) reply {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if versions != "" {
		r.Header.Set("Strata-Projection", versions)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.api.ChoosingVersions().ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

func TestChoosingVersions(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.secondBalances()
	path := "/extended/v1/address/" + alice + "/stx"
	active := s.get(path)
	if got := s.choose(path, ""); got.body != active.body || got.header.Get("ETag") != active.header.Get("ETag") || got.header.Get("Strata-Projection") != "" {
		t.Errorf("without a choice: got %v %s, want %s", got.header, got.body, active.body)
	}
	if got := s.request(http.MethodGet, path, "Strata-Projection", "balances=2"); got.body != active.body {
		t.Errorf("where nobody may choose: got %s, want %s", got.body, active.body)
	}
	for _, tc := range []struct {
		versions, balance, position, read string
	}{
		{"balances=2", `"balance":"1"`, "log=155; height=55; ", "balances=2"},
		{" chain=1 ,balances=2", `"balance":"1"`, "log=155; height=55; ", "balances=2"},
		{"balances=1", `"balance":"745"`, "log=160; height=60; ", "balances=1"},
		{"chain=1", `"balance":"745"`, "log=160; height=60; ", "balances=1"},
	} {
		// The tag that the client has is that of the active version, and says nothing of others.
		got := s.choose(path, tc.versions, "If-None-Match", active.header.Get("ETag"))
		if got.status != http.StatusOK || !strings.Contains(got.body, tc.balance) || !strings.HasPrefix(got.header.Get("Strata-Position"), tc.position) {
			t.Errorf("%s: got %d %v %s, want %s", tc.versions, got.status, got.header, got.body, tc.balance)
		}
		if read := got.header.Get("Strata-Projection"); read != tc.read {
			t.Errorf("%s: got %q, want %q", tc.versions, read, tc.read)
		}
		if got.header.Get("ETag") != "" || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %v, want nobody to keep it", tc.versions, got.header)
		}
	}
	// A trace is of the same versions as what it explains.
	got := s.choose("/audit/v1/trace?path="+path, "balances=2")
	if got.status != http.StatusOK || !strings.Contains(got.body, `"version":2`) || strings.Contains(got.body, `"version":1`) {
		t.Errorf("the trace: got %d %s, want rows of version 2", got.status, got.body)
	}
	if got := s.choose("/extended/v1/status", "balances=2"); !strings.Contains(got.body, `"name":"balances","version":2`) {
		t.Errorf("the status: got %s, want version 2", got.body)
	}
}

func TestChoosingWhatIsNotThere(t *testing.T) {
	t.Parallel()
	pool := newWorld(t)
	s := newSiteOn(t, pool.pool, readapi.Config{Rules: map[string]int{"chain": 1, "balances": 1}})
	s.secondBalances()
	s.exec(`UPDATE strata.projection SET rules = 5 WHERE name = 'balances' AND version = 2`)
	for versions, want := range map[string]struct {
		status int
		text   string
	}{
		"balances=2":             {http.StatusConflict, "balances=2 has rules 5, and this process those of number 1"},
		"balances=3":             {http.StatusNotFound, "balances=3: there is no such version"},
		"tokens=1":               {http.StatusBadRequest, `\"tokens\": there is no projection of this name`},
		"balances":               {http.StatusBadRequest, "want one such as ft=2"},
		"balances=0":             {http.StatusBadRequest, "want one such as ft=2"},
		"balances=99999999999":   {http.StatusBadRequest, "want one such as ft=2"},
		"balances=2, balances=1": {http.StatusBadRequest, "one number for each projection"},
		"balances=1,":            {http.StatusBadRequest, "want one such as ft=2"},
	} {
		for _, path := range []string{"/extended/v1/address/" + alice + "/stx", "/readyz"} {
			got := s.choose(path, versions)
			if got.status != want.status || !strings.Contains(got.body, want.text) || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s, %s: got %d %s, want %d and %s", path, versions, got.status, got.body, want.status, want.text)
			}
		}
	}
}

// What is kept is not what a choice is answered with, and what a choice is answered with is not kept.
func TestChoosingKeepsNothing(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.secondBalances()
	path, later := "/extended/v1/address/"+alice+"/stx", "/extended/v1/address/"+alice+"/balances"
	k := newKeeper(t, readers(t, s.pool), readapi.Config{})
	before := k.get(path)
	// Nobody says that rows have changed, so that what is kept stays right for who keeps it.
	s.exec(`UPDATE balances_v1.holding SET balance = 746 WHERE balance = 745`)
	if got := k.get(path); got.body != before.body {
		t.Fatalf("got %s, want what was kept: %s", got.body, before.body)
	}
	for _, tc := range []struct{ versions, balance string }{{"balances=1", "746"}, {"balances=2", "1"}} {
		if got := k.choose(path, tc.versions); !strings.Contains(got.body, `"balance":"`+tc.balance+`"`) {
			t.Errorf("%s: got %s, want %s", tc.versions, got.body, tc.balance)
		}
	}
	s.exec(`UPDATE balances_v2.holding SET balance = 2`)
	for _, target := range []string{path, later} {
		if got := k.choose(target, "balances=2"); !strings.Contains(got.body, `"balance":"2"`) {
			t.Errorf("%s, the same choice again: got %s, want 2", target, got.body)
		}
	}
	if got := k.get(path); got.body != before.body {
		t.Errorf("without a choice: got %s, want what was kept: %s", got.body, before.body)
	}
	// Nobody had asked for this one before.
	if got := k.get(later); !strings.Contains(got.body, `"balance":"746"`) || got.header.Get("Strata-Projection") != "" {
		t.Errorf("after a choice: got %v %s, want the active version", got.header, got.body)
	}
}
