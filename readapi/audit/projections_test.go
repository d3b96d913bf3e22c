package audit_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"strata/readapi/internal/engine"
	"strata/rig/apitest"
)

// All versions are listed, with what the register says of each and how far the others are ahead of it.
func TestProjections(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`INSERT INTO strata.projection (name, version, rules, input, state, position, rate, throttle, scratch) VALUES
		('balances', 2, 7, 'chain_v1', 'building', 10, 50, NULL, false),
		('balances', 3, NULL, 'chain_v1', 'building', 10, 50, 20, false),
		('balances', 4, NULL, 'chain_v1', 'building', 0, NULL, 5, false),
		('chain', 2, NULL, 'log', 'building', 100, NULL, NULL, false),
		('chain', 3, NULL, 'log', 'building', 0, NULL, NULL, true)`)
	s.Exec(`INSERT INTO strata.projection (name, version, input, state, error, error_position, error_at) VALUES ('chain', 4, 'log', 'failed', 'odd <b>step</b>', 3, now())`)
	s.Exec(`UPDATE strata.active SET previous = 2 WHERE name = 'balances'`)
	s.Exec(`INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason) VALUES ('chain', 2, 4, '/x', '', 'odd'), ('chain', 2, 5, '/x', '', 'odd')`)

	size, versions := s.TableVersions()
	found := map[string]apitest.TableVersion{}
	for i, v := range versions {
		found[v.Name+string(rune('0'+v.Version))] = v
		if i > 0 && (versions[i-1].Name > v.Name || versions[i-1].Name == v.Name && versions[i-1].Version >= v.Version) {
			t.Errorf("%s %d comes after %s %d", v.Name, v.Version, versions[i-1].Name, versions[i-1].Version)
		}
	}
	if _, scratch := found["chain3"]; size != apitest.LastHeight+100 || scratch || len(found) != len(versions) {
		t.Fatalf("got %d events, %+v", size, versions)
	}
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	apitest.DecodeJSON(t, s.Get("/openapi.json").Body, &document)
	apitest.Matches(t, document.Components.Schemas, document.Components.Schemas["ProjectionList"], s.Object("/audit/v1/projections"), "/audit/v1/projections")
	status := s.Get("/extended/v1/status") // the active ones, told by another read
	var told struct {
		Strata struct{ Projections []apitest.TableVersion }
	}
	apitest.DecodeJSON(t, status.Body, &told)
	for _, want := range told.Strata.Projections {
		got := found[want.Name+string(rune('0'+want.Version))]
		if !got.Active || got.Position != want.Position || got.Lag != want.Lag || got.State != want.State || got.Head-got.Position != got.Lag {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if v := found["balances1"]; v.Rules != 1 || v.Previous || v.BlockHeight == nil || *v.BlockHeight != apitest.LastHeight || v.ETASeconds != nil || v.LagSeconds != 0 || v.Error != nil {
		t.Errorf("got %+v, want the active version at the tip", v)
	}
	head := found["balances1"].Head
	for name, rate := range map[string]float64{"balances2": 50, "balances3": 20, "balances4": 5} {
		v := found[name]
		if v.Active || v.State != "building" || v.Head != head || v.Lag != head-v.Position || v.ETASeconds == nil || math.Abs(*v.ETASeconds-float64(v.Lag)/rate) > 1e-9 || v.BlockHeight != nil {
			t.Errorf("%s: got %+v, want it to be built at %v a second", name, v, rate)
		}
	}
	if v := found["balances2"]; v.Rules != 7 || !v.Previous || v.Rate == nil || *v.Rate != 50 || v.Throttle != nil {
		t.Errorf("got %+v", v)
	}
	if v := found["balances3"]; v.Rules != 3 || v.Throttle == nil || *v.Throttle != 20 {
		t.Errorf("got %+v", v)
	}
	// The world's events were received a second apart from 2024-01-02 03:04:05.123456 on.
	waits := time.Since(time.Date(2024, 1, 2, 3, 4, 5, 123456000, time.UTC).Add(101 * time.Second)).Seconds()
	if v := found["chain2"]; v.Quarantined != 2 || v.Lag != size-100 || math.Abs(v.LagSeconds-waits) > 60 || v.ETASeconds != nil {
		t.Errorf("got %+v, want it to be behind for %v s", v, waits)
	}
	if v := found["chain4"]; v.State != "failed" || v.Error == nil || *v.Error != engine.Stopped {
		t.Errorf("got %+v, want that it failed, and for a stranger not why", v)
	}
	w := httptest.NewRecorder()
	s.API.ForOperators().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/audit/v1/projections", nil))
	if !strings.Contains(w.Body.String(), `"error":"odd <b>step</b>"`) {
		t.Errorf("an operator got %s, want why it failed", w.Body)
	}
}
