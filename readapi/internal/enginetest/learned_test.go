package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/redistest"
	"strata/readapi/internal/engine"
	"strata/rig/apitest"
)

// wanderInput says where a reader begins, and how it goes on.
type wanderInput struct {
	Seed int `query:"seed"`
}

// wandered is what a reader has seen.
type wandered struct {
	Seen []string `json:"seen"`
}

// wander reads some of the projections, one after the other: which one comes next depends on what it has read.
func wander(projections []string) func(ctx context.Context, s *engine.Snapshot, in *wanderInput) (*wandered, error) {
	return func(ctx context.Context, s *engine.Snapshot, in *wanderInput) (*wandered, error) {
		w := &wandered{Seen: []string{}}
		for at := in.Seed; len(w.Seen) < 4; {
			name := projections[at%len(projections)]
			b := s.Batch()
			found := engine.Query(b, func(n *int) []any { return []any{n} }, `SELECT {}, n FROM {`+name+`}.probe`)
			if err := b.Run(ctx); err != nil {
				return nil, err
			}
			n, _ := found.First()
			w.Seen = append(w.Seen, fmt.Sprintf("%s=%d", name, n))
			if n%3 == 0 {
				return w, nil
			}
			at = n + in.Seed
		}
		return nil, engine.NotFound("%s", w.Seen)
	}
}

// newWanderer returns an engine with such a reader. It caches answers if it runs.
func newWanderer(t *testing.T, projections []string, config engine.Config, run bool) *engine.Engine {
	t.Helper()
	config.Description = huma.Config{
		OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "Test", Version: "1"}, Components: &huma.Components{Schemas: engine.NewSchemas()}},
		Formats: map[string]huma.Format{"application/json": {
			Marshal: func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }, Unmarshal: json.Unmarshal,
		}},
		DefaultFormat: "application/json",
	}
	e := engine.New(config)
	engine.Get(e, engine.Operation{ID: "wander", Path: "/wander", Tag: "Test", Summary: "Wander", Untraced: "it is a test"}, wander(projections))
	if run {
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			e.Run(ctx)
		}()
		pgtest.AtEnd(t, func() {
			stop()
			<-done
		})
		eventually.Holds(t, "the state is known", func() bool { return e.Watch.LastState() != nil })
	}
	return e
}

func get(e *engine.Engine, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

// probed is an archive with a table for a number in each of some projections.
func probed(t *testing.T) (s *apitest.Site, projections []string) {
	t.Helper()
	s, projections = apitest.NewWorld(t), []string{"chain", "balances", "accounts", "mempool"}
	s.Projection("accounts", "chain_v1")
	s.Projection("mempool", "chain_v1")
	for i, name := range projections {
		s.Exec(`CREATE TABLE ` + name + `_v1.probe (n integer)`)
		s.Exec(`INSERT INTO `+name+`_v1.probe VALUES ($1)`, i+1)
	}
	return s, projections
}

// An operation learns what its answers depend on. Processes that share a cache learn different things, and all their answers are
// those of the tables as they are.
func TestLearnedDependencies(t *testing.T) {
	t.Parallel()
	s, projections := probed(t)
	url := redistest.New(t).URL()
	plain := newWanderer(t, projections, engine.Config{Pool: s.Pool}, false)
	var caching []*engine.Engine
	for range 2 {
		config := engine.Config{Pool: apitest.Readers(t, s.Pool), Redis: apitest.Redis(t, url), WatchInterval: 5 * time.Millisecond}
		caching = append(caching, newWanderer(t, projections, config, true))
	}
	random := rand.New(rand.NewPCG(1, 2))
	hits := uint64(0)
	for step := range 60 {
		name := projections[random.IntN(len(projections))]
		var position int64
		must.Do(t, pgx.BeginFunc(t.Context(), s.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `UPDATE `+name+`_v1.probe SET n = $1`, random.IntN(9)); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), `UPDATE strata.projection SET position = position + 1, log_seq = log_seq + 1 WHERE name = $1 RETURNING position`, name).Scan(&position)
		}))
		for _, e := range caching {
			eventually.Holds(t, "the change is seen", func() bool { return e.Watch.LastState().Active(name).Position == position })
		}
		for range 12 {
			target := fmt.Sprintf("/wander?seed=%d", random.IntN(6))
			want := get(plain, target)
			for i, e := range caching {
				if got := get(e, target); got.Code != want.Code || got.Body.String() != want.Body.String() {
					t.Fatalf("step %d, process %d: %s: got %d %s, want %d %s", step, i, target, got.Code, got.Body, want.Code, want.Body)
				}
			}
		}
	}
	for _, e := range caching {
		found, _ := e.Cache.Counts()
		hits += found
	}
	if hits == 0 {
		t.Error("nothing was cached")
	}
}

// Who asks for a position does not get an answer that a projection is part of which has not reached it, also if the
// operation had never read that one before.
func TestLearnedPosition(t *testing.T) {
	t.Parallel()
	s, projections := probed(t)
	s.Exec(`UPDATE strata.projection SET log_seq = 160`)
	s.Exec(`UPDATE strata.projection SET log_seq = 150 WHERE name = 'chain'`)
	s.Exec(`UPDATE chain_v1.probe SET n = 0`)
	s.Exec(`UPDATE balances_v1.probe SET n = 0`)
	e := newWanderer(t, projections, engine.Config{Pool: s.Pool, RequestTimeout: 500 * time.Millisecond, WatchInterval: 5 * time.Millisecond}, true)
	if got := get(e, "/wander?seed=0&min_position=160"); got.Code != http.StatusServiceUnavailable {
		t.Errorf("the first request of all reads what is behind: got %d %s, want 503", got.Code, got.Body)
	}
	e = newWanderer(t, projections, engine.Config{Pool: s.Pool, RequestTimeout: 500 * time.Millisecond, WatchInterval: 5 * time.Millisecond}, true)
	for range 2 {
		if got := get(e, "/wander?seed=1&min_position=160"); got.Code != http.StatusOK {
			t.Errorf("what is read is at the position: got %d %s, want 200", got.Code, got.Body)
		}
	}
	if got := get(e, "/wander?seed=0&min_position=160"); got.Code != http.StatusServiceUnavailable {
		t.Errorf("another request reads what is behind: got %d %s, want 503", got.Code, got.Body)
	}
	if got := get(e, "/wander?seed=0"); got.Code != http.StatusOK || !strings.HasPrefix(got.Header().Get("Strata-Position"), "log=150") {
		t.Errorf("without a position: got %d %s at %q, want 200 at log=150", got.Code, got.Body, got.Header().Get("Strata-Position"))
	}
}

// A projection without an active version is noticed when a handler reads it.
func TestLearnedBuilding(t *testing.T) {
	t.Parallel()
	s, projections := probed(t)
	s.Exec(`UPDATE chain_v1.probe SET n = 0`)
	s.Exec(`DELETE FROM strata.active WHERE name = 'balances'`)
	for _, run := range []bool{true, false} {
		e := newWanderer(t, projections, engine.Config{Pool: s.Pool, WatchInterval: 5 * time.Millisecond}, run)
		for range 2 {
			if got := get(e, "/wander?seed=0"); got.Code != http.StatusOK {
				t.Errorf("running %t: what reads another projection: got %d %s, want 200", run, got.Code, got.Body)
			}
			if got := get(e, "/wander?seed=1"); got.Code != http.StatusServiceUnavailable {
				t.Errorf("running %t: what reads it: got %d %s, want 503", run, got.Code, got.Body)
			}
		}
	}
}
