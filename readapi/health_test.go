package readapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi"
	"strata/readapi/status"
	"strata/rig/apitest"
	"strata/rig/replay"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	s.Expect("/healthz", http.StatusOK, `{"status":"ok"}`)
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	got := s.Get("/readyz")
	if got.Status != http.StatusOK {
		t.Errorf("got %d, want 200", got.Status)
	}
	s.Golden("ready", got.Body)

	for _, tc := range []struct{ name, damage, mend, want string }{
		{
			"stalled", `UPDATE strata.projection SET position = 159, updated_at = now() - interval '42 seconds' WHERE name = 'chain'`,
			`UPDATE strata.projection SET position = 160 WHERE name = 'chain'`, `"position":159,"lag":1,"lag_limit":1000,"required":true,"message":"It has made no progress for 42 s, and its lag is 1: no process`,
		},
		{
			"behind the log", `UPDATE log.head SET size = 1161`, `UPDATE strata.projection SET position = 161 WHERE name = 'chain'`,
			`"name":"chain","version":1,"state":"live","position":160,"lag":1001,"lag_limit":1000`,
		},
		{
			"behind the steps", `INSERT INTO chain_v1.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash) SELECT step + 2000, height, block_seq, block_size, source_seq, kind, index_block_hash FROM chain_v1.step WHERE step = 1`,
			`DELETE FROM chain_v1.step WHERE step > 1000`, `"name":"balances","version":1,"state":"live","position":51,"lag":1950,"lag_limit":1000`,
		},
		{
			"failed", `UPDATE strata.projection SET state = 'failed', error = 'a bug' WHERE name = 'balances'`,
			`UPDATE strata.projection SET state = 'live' WHERE name = 'balances'`, `"state":"failed","position":51,"lag":0,"lag_limit":1000,"error":"it has stopped at an event; the administration API and the server's log say why"`,
		},
		{
			"blocking gap", `INSERT INTO chain_v1.gap VALUES (61, 1, '\x01'), (65, 1, '\x02'), (12, 1, '\x03')`, `DELETE FROM chain_v1.gap WHERE height > 12`,
			`"gaps":{"ok":false,"blocking":2,"lowest_height":61,"missing_blocks":5,"first_missing_height":60,"last_missing_height":64}`,
		},
		{"no projections", `DELETE FROM strata.active`, ``, `"projections":[]`},
	} {
		s.Exec(tc.damage)
		if got := s.Get("/readyz"); got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, tc.want) || !strings.Contains(got.Body, `"status":"not ready"`) {
			t.Errorf("%s: got %d %s, want 503 with %s", tc.name, got.Status, got.Body, tc.want)
		}
		if tc.mend == "" {
			continue
		}
		s.Exec(tc.mend)
		if got := s.Get("/readyz"); got.Status != http.StatusOK {
			t.Errorf("%s, mended: got %d %s, want 200", tc.name, got.Status, got.Body)
		}
	}
}

// A projection that has failed takes the server out of the balancers of those families alone that need it.
func TestReadinessOfAFamily(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, name := range []string{"ordinals", "brc20"} {
		s.Exec(`INSERT INTO strata.projection (name, version, input, state) VALUES ($1, 1, 'log', 'live')`, name)
		s.Exec(`INSERT INTO strata.active (name, version) VALUES ($1, 1)`, name)
	}
	s.Exec(`UPDATE strata.projection SET position = 160, log_seq = 160 WHERE input = 'log'`)
	s.Exec(`UPDATE strata.projection SET state = 'failed', error = 'a bug' WHERE name = 'brc20'`)
	for family, want := range map[string]int{"": 200, "extended": 200, "rosetta": 200, "ordinals": 200, "brc20": 503, "all": 503, "x": 400} {
		target := "/readyz"
		if family != "" {
			target += "?for=" + family
		}
		got := s.Get(target)
		if got.Status != want {
			t.Errorf("%s: got %d %s, want %d", target, got.Status, got.Body, want)
		}
		if want == 200 && (!strings.Contains(got.Body, `"error":"it has stopped at an event`) || strings.Contains(got.Body, "a bug")) {
			t.Errorf("%s: got %s, which hides what has failed", target, got.Body)
		}
	}
	s.Exec(`INSERT INTO strata.projection (name, version, input, state, error) VALUES ('staking', 1, 'chain_v1', 'failed', 'a bug')`)
	s.Exec(`INSERT INTO strata.active (name, version) VALUES ('staking', 1)`)
	for family, want := range map[string]int{"stacking": 503, "extended": 503, "rosetta": 200, "names": 200} {
		check.Equal(t, fmt.Sprintf("with staking failed, %s", family), s.Get("/readyz?for="+family).Status, want)
	}
	s.Exec(`UPDATE strata.projection SET state = 'live', error = NULL, position = 160, log_seq = 160 WHERE name = 'staking'`)
	s.Exec(`INSERT INTO chain_v1.gap VALUES (61, 1, '\x01')`)
	for family, want := range map[string]int{"extended": 503, "stacking": 503, "ordinals": 200} {
		check.Equal(t, fmt.Sprintf("with a gap in the chain, %s", family), s.Get("/readyz?for="+family).Status, want)
	}
}

// What an operator should know is shown, and the server stays ready.
func TestReadinessShowsNotices(t *testing.T) {
	t.Parallel()
	notices := func() []status.Notice { return []status.Notice{{About: "disk", Message: "It is almost full."}} }
	s := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{Notices: notices, PublicInternals: true})
	if got := s.Get("/readyz"); !strings.Contains(got.Body, `"notices":[{"about":"disk","message":"It is almost full."}]`) {
		t.Errorf("got %d %s, want the notice", got.Status, got.Body)
	}
}

// An idle server that has just got an event is ready.
func TestReadinessAfterAPause(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`UPDATE strata.projection SET updated_at = now() - interval '1 day'`)
	s.Exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) VALUES (161, now(), 0, sha256(''), 'test', '/x', '', '')`)
	s.Exec(`UPDATE log.head SET size = 161`)
	if got := s.Get("/readyz"); got.Status != http.StatusOK || !strings.Contains(got.Body, `"lag":1,`) {
		t.Errorf("got %d %s, want 200 with a lag of 1", got.Status, got.Body)
	}
}

// A version that is built beside the active one may fail or lag: nobody reads it.
func TestReadinessLooksAtActiveVersions(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`INSERT INTO strata.projection (name, version, input, state) VALUES ('balances', 2, 'chain_v1', 'failed')`)
	if got := s.Get("/readyz"); got.Status != http.StatusOK || strings.Contains(got.Body, `"version":2`) {
		t.Errorf("got %d %s, want 200", got.Status, got.Body)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{PublicInternals: true})
	s.Get("/extended")
	s.Get("/extended/v2/blocks?limit=x")
	s.Get("/nowhere")
	got := s.Get("/metrics")
	for _, want := range []string{
		`strata_api_request_seconds_count{operation="get-status",status="200"} 1`,
		`strata_api_request_seconds_count{operation="list-blocks",status="400"} 1`,
		`strata_api_request_seconds_count{operation="unknown",status="404"} 1`,
	} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("got %s, want %s in it", got.Body, want)
		}
	}
}

// What differs from a node counts for money, and for nothing else, until an operator accepts it. The status shows it at once, too.
func TestReadinessForMoney(t *testing.T) {
	t.Parallel()
	w, problem := apitest.NewWorld(t), ""
	s := apitest.NewSiteOn(t, w.Pool, readapi.Config{CompareProblem: func() string { return problem }})
	expect := func(family string, want int, body string) {
		t.Helper()
		s.ExpectTexts("/readyz?for="+family, want, body)
		if got := s.Get("/extended/v1/status"); got.Status != http.StatusOK || !strings.Contains(got.Body, body) || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("status: got %d %s %v, want %s in it, not to be stored", got.Status, got.Body, got.Header, body)
		}
	}
	for _, path := range []string{"/readyz?for=money", "/extended/v1/status"} {
		if got := s.Get(path); got.Status != http.StatusOK || strings.Contains(got.Body, `"node":`) {
			t.Errorf("%s before a comparison: got %d %s", path, got.Status, got.Body)
		}
	}
	w.Exec(`INSERT INTO log.comparison (height, holder, held_until) VALUES (60, 'x', now())`)
	expect("money", http.StatusOK, `"node":{"ok":true,"block_height":60,"differing_accounts":0,"accepted_accounts":0,"differences":[]}`)
	w.Exec(`INSERT INTO log.difference (account, what, table_value, node_value, height) SELECT 'SP' || n, 'balance', 1, 2, 60 FROM generate_series(1, 7) n`)
	problem = "it sleeps"
	expect("money", http.StatusServiceUnavailable, `"node":{"ok":false,"block_height":60,"differing_accounts":7,"accepted_accounts":0,"differences":[{"account":"SP1","what":"balance","table":"1","node":"2","seq":null,"block_height":60,`)
	expect("money", http.StatusServiceUnavailable, `"message":"The last comparison was not possible: it sleeps"`)
	expect("extended", http.StatusOK, `"ok":false`)
	if got := s.Get("/readyz?for=money"); strings.Count(got.Body, `"account":`) != 5 {
		t.Errorf("got %s, want five of the differences", got.Body)
	}
	w.Exec(`UPDATE log.difference SET accepted_difference = 1, reason = 'a vesting schedule', accepted_at = now() WHERE account <> 'SP7'`)
	expect("money", http.StatusServiceUnavailable, `"differing_accounts":1,"accepted_accounts":6,"differences":[{"account":"SP7",`)
	w.Exec(`UPDATE log.difference SET accepted_difference = 1, reason = 'a vesting schedule', accepted_at = now()`)
	expect("money", http.StatusOK, `"acceptance":{"reason":"a vesting schedule","at":"`)
	w.Exec(`UPDATE log.difference SET node_value = 3 WHERE account = 'SP2'`)
	expect("money", http.StatusServiceUnavailable, `"found_at":`)
}

// What is renewed may stand still, as long as the reads understand its rules and its successor is being built.
func TestReadinessWhileVersionsAreBuilt(t *testing.T) {
	t.Parallel()
	w := apitest.NewWorld(t)
	rules := map[string]int{"chain": 2, "balances": 1, "accounts": 1}
	s := apitest.NewSiteOn(t, w.Pool, readapi.Config{Rules: rules, Readable: map[string][]int{"chain": {1}}, LagLimit: 1})
	w.Exec(`UPDATE log.head SET size = 1000`)
	if got := s.Get("/readyz"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("a lag, and nothing that is being built: got %d %s", got.Status, got.Body)
	}
	w.Exec(`INSERT INTO strata.projection (name, version, input, log_seq) VALUES ('chain', 2, 'log', 7), ('balances', 2, 'chain_v2', 5)`)
	w.Exec(`UPDATE strata.projection SET rules = 1 WHERE name = 'balances'`)
	want := "while chain_v2, with the rules of this program, is being built: it is at event 7 of 1000."
	if got := s.Get("/readyz"); got.Status != http.StatusOK || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, "while balances_v2, ") {
		t.Errorf("got %d %s, want 200 with %q", got.Status, got.Body, want)
	}
	w.Exec(`UPDATE strata.projection SET state = 'failed' WHERE name = 'chain' AND version = 2`)
	if got := s.Get("/readyz"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("what is being built has failed: got %d %s", got.Status, got.Body)
	}
}
