package enginetest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi"
	"strata/rig/apitest"
)

// secondBalances makes a version 2 of balances beside the active one, in which every balance is 1.
func secondBalances(s *apitest.Site) {
	s.T.Helper()
	s.Exec(`CREATE SCHEMA balances_v2`)
	for _, table := range []string{"block", "holding", "entry", "stx_lock"} {
		s.Exec(`CREATE TABLE balances_v2.` + table + ` (LIKE balances_v1.` + table + ` INCLUDING ALL)`)
		s.Exec(`INSERT INTO balances_v2.` + table + ` SELECT * FROM balances_v1.` + table)
	}
	s.Exec(`DO $$ BEGIN EXECUTE 'CREATE VIEW balances_v2.ledger AS ' || replace(pg_get_viewdef('balances_v1.ledger'::regclass), 'balances_v1.', 'balances_v2.'); END $$`)
	s.Exec(`UPDATE balances_v2.holding SET balance = 1`)
	s.Exec(`INSERT INTO strata.projection SELECT name, 2, input, state, position, 155, 55, $1, $2, 155 FROM strata.projection WHERE name = 'balances'`,
		apitest.ID(apitest.IndexHash, 55), apitest.ID(apitest.BlockHash, 55))
}

// choose asks for an answer of versions, as one may on the address for administration.
func choose(s *apitest.Site, target, versions string, header ...string) apitest.Reply {
	s.T.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if versions != "" {
		r.Header.Set("Strata-Projection", versions)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.API.ForOperators().ServeHTTP(w, r)
	return apitest.Reply{Status: w.Code, Header: w.Header(), Body: w.Body.String()}
}

func TestForOperators(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	secondBalances(s)
	path := "/extended/v1/address/" + apitest.Alice + "/stx"
	active := s.Get(path)
	if got := choose(s, path, ""); got.Body != active.Body || got.Header.Get("ETag") != active.Header.Get("ETag") || got.Header.Get("Strata-Projection") != "" {
		t.Errorf("without a choice: got %v %s, want %s", got.Header, got.Body, active.Body)
	}
	check.Equal(t, "where nobody may choose", s.Request(http.MethodGet, path, "Strata-Projection", "balances=2").Body, active.Body)
	for _, tc := range []struct {
		versions, balance, position, read string
	}{
		{"balances=2", `"balance":"1"`, "log=155; height=55; ", "balances=2"},
		{" chain=1 ,balances=2", `"balance":"1"`, "log=155; height=55; ", "balances=2"},
		{"balances=1", `"balance":"745"`, "log=160; height=60; ", "balances=1"},
		{"chain=1", `"balance":"745"`, "log=160; height=60; ", "balances=1"},
	} {
		// The tag that the client has is that of the active version, and says nothing of others.
		got := choose(s, path, tc.versions, "If-None-Match", active.Header.Get("ETag"))
		if got.Status != http.StatusOK || !strings.Contains(got.Body, tc.balance) || !strings.HasPrefix(got.Header.Get("Strata-Position"), tc.position) {
			t.Errorf("%s: got %d %v %s, want %s", tc.versions, got.Status, got.Header, got.Body, tc.balance)
		}
		check.Equal(t, tc.versions, got.Header.Get("Strata-Projection"), tc.read)
		if got.Header.Get("ETag") != "" || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %v, want nobody to keep it", tc.versions, got.Header)
		}
	}
	// A trace is of the same versions as what it explains.
	got := choose(s, "/audit/v1/trace?path="+path, "balances=2")
	if got.Status != http.StatusOK || !strings.Contains(got.Body, `"version":2`) || strings.Contains(got.Body, `"version":1`) {
		t.Errorf("the trace: got %d %s, want rows of version 2", got.Status, got.Body)
	}
	if got := choose(s, "/extended/v1/status", "balances=2"); !strings.Contains(got.Body, `"name":"balances","version":2`) {
		t.Errorf("the status: got %s, want version 2", got.Body)
	}
}

func TestChoosingWhatIsNotThere(t *testing.T) {
	t.Parallel()
	pool := apitest.NewWorld(t)
	s := apitest.NewSiteOn(t, pool.Pool, readapi.Config{Rules: map[string]int{"chain": 1, "balances": 1}})
	secondBalances(s)
	s.Exec(`UPDATE strata.projection SET rules = 5 WHERE name = 'balances' AND version = 2`)
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
		for _, path := range []string{"/extended/v1/address/" + apitest.Alice + "/stx", "/readyz"} {
			got := choose(s, path, versions)
			if got.Status != want.status || !strings.Contains(got.Body, want.text) || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s, %s: got %d %s, want %d and %s", path, versions, got.Status, got.Body, want.status, want.text)
			}
		}
	}
}

// What is kept is not what a choice is answered with, and what a choice is answered with is not kept.
func TestChoosingKeepsNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	secondBalances(s)
	path, later := "/extended/v1/address/"+apitest.Alice+"/stx", "/extended/v1/address/"+apitest.Alice+"/balances"
	k := apitest.NewKeeper(t, apitest.Readers(t, s.Pool), readapi.Config{})
	before := k.Get(path)
	// Nobody says that rows have changed, so that what is kept stays right for who keeps it.
	s.Exec(`UPDATE balances_v1.holding SET balance = 746 WHERE balance = 745`)
	if got := k.Get(path); got.Body != before.Body {
		t.Fatalf("got %s, want what was kept: %s", got.Body, before.Body)
	}
	for _, tc := range []struct{ versions, balance string }{{"balances=1", "746"}, {"balances=2", "1"}} {
		if got := choose(k.Site, path, tc.versions); !strings.Contains(got.Body, `"balance":"`+tc.balance+`"`) {
			t.Errorf("%s: got %s, want %s", tc.versions, got.Body, tc.balance)
		}
	}
	s.Exec(`UPDATE balances_v2.holding SET balance = 2`)
	for _, target := range []string{path, later} {
		if got := choose(k.Site, target, "balances=2"); !strings.Contains(got.Body, `"balance":"2"`) {
			t.Errorf("%s, the same choice again: got %s, want 2", target, got.Body)
		}
	}
	if got := k.Get(path); got.Body != before.Body {
		t.Errorf("without a choice: got %s, want what was kept: %s", got.Body, before.Body)
	}
	// Nobody had asked for this one before.
	if got := k.Get(later); !strings.Contains(got.Body, `"balance":"746"`) || got.Header.Get("Strata-Projection") != "" {
		t.Errorf("after a choice: got %v %s, want the active version", got.Header, got.Body)
	}
}
