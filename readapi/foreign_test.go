package readapi_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/readapi"
)

// A newer program has built what is active: this one says so wherever it would have to read it, and answers all else.
func TestForeignRules(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.secondBalances()
	s.exec(`UPDATE strata.projection SET rules = 5 WHERE name = 'balances' AND version = 2`)
	k := newKeeper(t, readers(t, s.pool), readapi.Config{Rules: map[string]int{"chain": 1, "balances": 1, "ft": 3}})
	const said = "projection balances is at version 2, which has rules 5; this process has rules 1 of it"
	account, block := "/extended/v1/address/"+alice+"/stx", "/extended/v2/blocks/60"
	before, events := k.get(account), k.get("/audit/v1/events/7")
	if before.status != http.StatusOK || k.get("/readyz").status != http.StatusOK {
		t.Fatalf("got %d %s, want 200", before.status, before.body)
	}
	for turn := range 2 {
		s.exec(`UPDATE strata.active SET version = 2 WHERE name = 'balances'`)
		eventually(t, "the switch is noticed", func() bool { return k.get(account).status == http.StatusServiceUnavailable })
		for _, path := range []string{account, account + "?until_block=58", "/audit/v1/trace?path=" + account, "/audit/v1/negative-balances"} {
			got := k.get(path)
			if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, said) || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: got %d %v %s, want 503", path, got.status, got.header, got.body)
			}
		}
		if got := k.get("/readyz"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, `"message":"`+said) || !strings.Contains(got.body, `{"ok":true,"name":"chain"`) ||
			!strings.Contains(got.body, `"database":{"ok":true}`) {
			t.Errorf("it is ready: got %d %s", got.status, got.body)
		}
		for _, path := range []string{block, "/extended/v1/status", "/audit/v1/trace?path=" + block, "/healthz"} {
			if got := k.get(path); got.status != http.StatusOK {
				t.Errorf("%s: got %d %s, want 200: it does not depend on balances", path, got.status, got.body)
			}
		}
		if got := k.get("/audit/v1/events/7"); got.body != events.body || got.status != events.status {
			t.Errorf("an event of the log: got %d %s, want %d %s", got.status, got.body, events.status, events.body)
		}
		if told := strings.Count(k.log.String(), "balances_v2 (rules 5, here 1)"); told != turn+1 {
			t.Errorf("the operator was told %d times, want %d: %s", told, turn+1, k.log)
		}
		s.exec(`UPDATE strata.active SET version = 1 WHERE name = 'balances'`)
		eventually(t, "the switch back is noticed", func() bool { return k.get(account).status == http.StatusOK })
		if got := k.get(account); got.body != before.body {
			t.Errorf("after the switch back: got %s, want %s", got.body, before.body)
		}
		if got := k.get("/readyz"); got.status != http.StatusOK {
			t.Errorf("after the switch back: got %d %s, want ready", got.status, got.body)
		}
	}
}

// Without a word of the watch, each read finds out for itself.
func TestForeignRulesWithoutMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`UPDATE strata.projection SET rules = 2 WHERE name = 'chain'`)
	s := newSiteOn(t, w.pool, readapi.Config{Rules: map[string]int{"chain": 1, "balances": 1}})
	for path, want := range map[string]int{
		"/extended/v2/blocks/60":                        http.StatusServiceUnavailable,
		"/extended/v1/status":                           http.StatusServiceUnavailable,
		"/extended/v1/address/" + alice + "/stx":        http.StatusOK,
		"/audit/v1/quarantine":                          http.StatusOK,
		"/audit/v1/trace?path=/extended/v2/blocks/60":   http.StatusServiceUnavailable,
		"/extended/v2/blocks/" + strings.Repeat("x", 3): http.StatusBadRequest,
	} {
		if got := s.get(path); got.status != want {
			t.Errorf("%s: got %d %s, want %d", path, got.status, got.body, want)
		}
	}
	if got := s.get("/extended/v2/blocks/60"); !strings.Contains(got.body, "ask one that runs the newer program") {
		t.Errorf("of newer rules: got %s", got.body)
	}
	w.exec(`UPDATE strata.projection SET rules = 0 WHERE name = 'chain'`)
	if got := s.get("/extended/v2/blocks/60"); !strings.Contains(got.body, "the older program, until a version with rules 1 is active") {
		t.Errorf("of older rules: got %s", got.body)
	}
	// Who gives no rules reads anything.
	if got := w.get("/extended/v2/blocks/60"); got.status != http.StatusOK {
		t.Errorf("got %d %s, want 200", got.status, got.body)
	}
}
