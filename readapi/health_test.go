package readapi_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/replay"
	"strata/readapi"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newSiteOn(t, nil, readapi.Config{})
	if got := s.get("/healthz"); got.status != http.StatusOK || got.body != `{"status":"ok"}` {
		t.Errorf("got %d %s, want 200", got.status, got.body)
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	got := s.get("/readyz")
	if got.status != http.StatusOK {
		t.Errorf("got %d, want 200", got.status)
	}
	s.golden("ready", got.body)

	for _, tc := range []struct{ name, damage, mend, want string }{
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
			`UPDATE strata.projection SET state = 'live' WHERE name = 'balances'`, `"state":"failed","position":51,"lag":0,"lag_limit":1000,"error":"a bug"`,
		},
		{
			"blocking gap", `INSERT INTO chain_v1.gap VALUES (61, 1, '\x01'), (65, 1, '\x02'), (12, 1, '\x03')`, `DELETE FROM chain_v1.gap WHERE height > 12`,
			`"gaps":{"ok":false,"blocking":2,"lowest_height":61}`,
		},
		{"no projections", `DELETE FROM strata.active`, ``, `"projections":[]`},
	} {
		s.exec(tc.damage)
		if got := s.get("/readyz"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, tc.want) || !strings.Contains(got.body, `"status":"not ready"`) {
			t.Errorf("%s: got %d %s, want 503 with %s", tc.name, got.status, got.body, tc.want)
		}
		if tc.mend == "" {
			continue
		}
		s.exec(tc.mend)
		if got := s.get("/readyz"); got.status != http.StatusOK {
			t.Errorf("%s, mended: got %d %s, want 200", tc.name, got.status, got.body)
		}
	}
}

// A version that is built beside the active one may fail or lag: nobody reads it.
func TestReadinessLooksAtActiveVersions(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.exec(`INSERT INTO strata.projection (name, version, input, state) VALUES ('balances', 2, 'chain_v1', 'failed')`)
	if got := s.get("/readyz"); got.status != http.StatusOK || strings.Contains(got.body, `"version":2`) {
		t.Errorf("got %d %s, want 200", got.status, got.body)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := newSiteOn(t, replay.Databases.New(t), readapi.Config{})
	s.get("/extended")
	s.get("/extended/v2/blocks?limit=x")
	s.get("/nowhere")
	got := s.get("/metrics")
	for _, want := range []string{
		`strata_api_request_seconds_count{operation="get-status",status="200"} 1`,
		`strata_api_request_seconds_count{operation="list-blocks",status="400"} 1`,
		`strata_api_request_seconds_count{operation="unknown",status="404"} 1`,
	} {
		if !strings.Contains(got.body, want) {
			t.Errorf("got %s, want %s in it", got.body, want)
		}
	}
}
