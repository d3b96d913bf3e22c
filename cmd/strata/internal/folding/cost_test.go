package folding_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/cmd/strata/internal/folding"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/pgtraffic"
	"strata/projections/follow"
	"strata/rig"
	"strata/rig/replay"
)

// At the tip, an event costs few transactions, round trips and statements, with all projections that a server runs. It
// counts what is sent to the database from the append on, so that a projection shows which asks something in each block
// although nothing in it concerns it.
func TestCostOfAnEvent(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(replay.Databases.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	counts := &pgtraffic.Counter{}
	counts.Watch(&config.ConnConfig.Config)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	log := eventstore.Open(pool, eventstore.Config{})
	pgtest.AtEnd(t, func() {
		log.Close()
		pool.Close()
	})
	registry := prometheus.NewRegistry()
	lines, err := folding.Lines("recommended", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	replay.Follow(t, follow.Config{Log: log, Registry: registry}, lines...)
	followers := len(lines.Definitions()) - 1
	eventually.Holds(t, "all projections have joined", func() bool {
		return int(rig.Metric(t, registry, "strata_projection_on_board")) == followers
	})
	const transactions = "strata_projection_transactions_total"
	chain := synthchain.New(synthchain.Config{Seed: 5, TxPerBlock: synthchain.Range{Min: 10, Max: 10}, SigningSample: 100})
	feed := synthordinals.New(synthordinals.Config{Seed: 5})
	post := func(n int) { // each once the one before is folded, as from a node at the tip
		for i := range n {
			folded := rig.Metric(t, registry, transactions)
			var p replay.Post
			if i%10 == 9 {
				p = feed.Next()
			} else {
				p = chain.Next()
			}
			if _, err := log.Append(t.Context(), eventstore.Incoming{
				ReceivedAt: time.Now(), Source: "test", Path: p.Path, ContentType: "application/json", Body: eventstore.NewBody(bytes.Clone(p.Body)),
			}); err != nil {
				t.Fatal(err)
			}
			eventually.Holds(t, "the event is folded", func() bool { return rig.Metric(t, registry, transactions) > folded })
		}
	}
	post(40) // connections prepare their statements
	const events = 200
	const statements, roundTrips = "strata_projection_statements_total", "strata_projection_round_trips_total"
	folded, asked, waited := rig.Metric(t, registry, transactions), rig.Metric(t, registry, statements), rig.Metric(t, registry, roundTrips)
	before := counts.Now()
	post(events)
	sent := counts.Since(before)
	if n := rig.Metric(t, registry, transactions) - folded; n > events {
		t.Errorf("%v transactions folded %d events, want one for each", n, events)
	}
	each := func(n int64) float64 { return float64(n) / events }
	t.Logf("each event took %.1f statements in %.1f round trips, and %.1f commits", each(sent.Statements), each(sent.RoundTrips), each(sent.Commits))
	// One statement appends, which is a transaction by itself, and one transaction folds. What is looked up once a second,
	// and events that are read because their notification was fast, come on top.
	if each(sent.Statements) > 100 || each(sent.RoundTrips) > 9 || each(sent.Commits) > 2 {
		t.Error("that is more than it may")
	}
	folds := rig.Metric(t, registry, transactions) - folded
	asked, waited = (rig.Metric(t, registry, statements)-asked)/folds, (rig.Metric(t, registry, roundTrips)-waited)/folds
	t.Logf("each fold took %.1f statements in %.1f round trips", asked, waited)
	if asked > 95 || waited > 7 {
		t.Error("that is more than a fold may take")
	}
}
