package serve_test

import (
	"context"
	"flag"
	"log/slog"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/serve"
	"strata/eventstore"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/projections/follow"
	"strata/readapi"
	"strata/rig/every"
	"strata/rig/simulation"
)

var (
	seed      = flag.Uint64("seed", 1, "the first seed")
	histories = flag.Int("histories", 3, "the number of histories")
)

// simulated are databases with a log and the tables of all projections.
var simulated = pgtest.Template("simulated", func(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	return follow.NewRunner(follow.Config{Log: log}, every.Lines()...).Register(ctx)
})

// program runs strata serve in a world.
func program(ctx context.Context, t *testing.T, host, url string, arguments []string) error {
	var cli struct {
		Serve serve.Command `cmd:""`
	}
	parser, err := kong.New(&cli)
	if err != nil {
		return err
	}
	if _, err = parser.Parse(append([]string{
		"serve", "--api-addr", host + ":3999", "--observer-addr", host + ":3700", "--admin-addr", "", "--allow-unsafe-database",
		"--data-dir", t.TempDir(), "--database-url", url, "--network", "testnet", "--disk-floor", "0",
	}, arguments...)); err != nil {
		return err
	}
	return cli.Serve.Serve(ctx, readapi.Version{Tag: "test"}, slog.New(slog.DiscardHandler), func(string, string) {})
}

func TestSimulation(t *testing.T) {
	truth := simulation.Truth.New(t)
	for i := range *histories {
		url := simulated.Fresh(t)
		h, scene := simulation.Run(t, "chain", *seed+uint64(i), 1, url, program)
		pool, err := pgxpool.New(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		simulation.Judge(t, h, scene, pool, truth)
		pool.Close()
		t.Logf("seed %d: %d steps, %v, %v, hash %x", h.Seed, h.Steps, h.Counts, h.Took, h.Hash)
		if len(h.Wrong) > 0 {
			t.Log(h.Trace)
			for _, w := range h.Wrong {
				t.Error(w)
			}
			return
		}
	}
}
