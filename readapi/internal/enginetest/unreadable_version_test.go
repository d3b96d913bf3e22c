package enginetest

import (
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
)

// A newer program has built what is active: this one says so wherever it would have to read it, and answers all else.
func TestForeignRules(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	secondBalances(s)
	s.Exec(`UPDATE strata.projection SET rules = 5 WHERE name = 'balances' AND version = 2`)
	k := apitest.NewKeeper(t, apitest.Readers(t, s.Pool), readapi.Config{Rules: map[string]int{"chain": 1, "balances": 1, "ft": 3}})
	const said = "projection balances is at version 2, which has rules 5; this process has rules 1 of it"
	account, block := "/extended/v1/address/"+apitest.Alice+"/stx", "/extended/v2/blocks/60"
	before, events := k.Get(account), k.Get("/audit/v1/events/7")
	if before.Status != http.StatusOK || k.Get("/readyz").Status != http.StatusOK {
		t.Fatalf("got %d %s, want 200", before.Status, before.Body)
	}
	for turn := range 2 {
		s.Exec(`UPDATE strata.active SET version = 2 WHERE name = 'balances'`)
		eventually.Holds(t, "the switch is noticed", func() bool { return k.Get(account).Status == http.StatusServiceUnavailable })
		for _, path := range []string{account, account + "?until_block=58", "/audit/v1/trace?path=" + account, "/audit/v1/negative-balances"} {
			got := k.Get(path)
			if got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, said) || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: got %d %v %s, want 503", path, got.Status, got.Header, got.Body)
			}
		}
		if got := k.Get("/readyz"); got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, `"message":"`+said) || !strings.Contains(got.Body, `{"ok":true,"name":"chain"`) ||
			!strings.Contains(got.Body, `"database":{"ok":true}`) {
			t.Errorf("it is ready: got %d %s", got.Status, got.Body)
		}
		for _, path := range []string{block, "/extended/v1/status", "/audit/v1/trace?path=" + block, "/healthz"} {
			if got := k.Get(path); got.Status != http.StatusOK {
				t.Errorf("%s: got %d %s, want 200: it does not depend on balances", path, got.Status, got.Body)
			}
		}
		if got := k.Get("/audit/v1/events/7"); got.Body != events.Body || got.Status != events.Status {
			t.Errorf("an event of the log: got %d %s, want %d %s", got.Status, got.Body, events.Status, events.Body)
		}
		told := func(what string) func() bool {
			return func() bool { return strings.Count(k.Log.String(), what) == turn+1 }
		}
		eventually.Holds(t, "the operator is told once", told("balances_v2 (rules 5, this process has 1)"))
		s.Exec(`UPDATE strata.active SET version = 1 WHERE name = 'balances'`)
		eventually.Holds(t, "the switch back is noticed", func() bool { return k.Get(account).Status == http.StatusOK })
		check.Equal(t, "after the switch back", k.Get(account).Body, before.Body)
		eventually.Holds(t, "the operator is told that all is well again", told("readable again"))
		if got := k.Get("/readyz"); got.Status != http.StatusOK {
			t.Errorf("after the switch back: got %d %s, want ready", got.Status, got.Body)
		}
	}
}

// Without a word of the watch, each read finds out for itself.
func TestForeignRulesWithoutMemory(t *testing.T) {
	t.Parallel()
	w := apitest.NewWorld(t)
	w.Exec(`UPDATE strata.projection SET rules = 2 WHERE name = 'chain'`)
	s := apitest.NewSiteOn(t, w.Pool, readapi.Config{Rules: map[string]int{"chain": 1, "balances": 1}})
	for path, want := range map[string]int{
		"/extended/v2/blocks/60":                         http.StatusServiceUnavailable,
		"/extended/v1/status":                            http.StatusServiceUnavailable,
		"/extended/v1/address/" + apitest.Alice + "/stx": http.StatusOK,
		"/audit/v1/quarantine":                           http.StatusOK,
		"/audit/v1/trace?path=/extended/v2/blocks/60":    http.StatusServiceUnavailable,
		"/extended/v2/blocks/" + strings.Repeat("x", 3):  http.StatusBadRequest,
	} {
		s.ExpectTexts(path, want)
	}
	if got := s.Get("/extended/v2/blocks/60"); !strings.Contains(got.Body, "ask one that runs the newer program") {
		t.Errorf("of newer rules: got %s", got.Body)
	}
	w.Exec(`UPDATE strata.projection SET rules = 0 WHERE name = 'chain'`)
	if got := s.Get("/extended/v2/blocks/60"); !strings.Contains(got.Body, "the older program, until a version with rules 1 is active") {
		t.Errorf("of older rules: got %s", got.Body)
	}
	// Who gives no rules reads anything.
	w.ExpectTexts("/extended/v2/blocks/60", http.StatusOK)
}
