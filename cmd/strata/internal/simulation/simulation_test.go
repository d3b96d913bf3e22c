// Package simulation_test runs strata serve in scripted worlds. See docs/simulation.md.
package simulation_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/serve"
	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/projections"
	"strata/projections/follow"
	"strata/readapi"
	"strata/rig/every"
	"strata/rig/simulation"
)

var (
	seed      = flag.Uint64("seed", 1, "seed of the first history")
	stride    = flag.Uint64("stride", 1, "difference of the seeds of two histories")
	histories = flag.Int("histories", 3, "number of histories; 0 for any")
	minutes   = flag.Float64("minutes", 0, "time for histories; 0 for any")
	world     = flag.String("world", "chain", "name of the scene; empty for the one that each seed says")
	nth       = flag.Int("nth", 400, "TestNthRequest lets every n-th request fail")
	trace     = flag.Bool("trace", false, "show what happens")
	results   = flag.String("results", "", "folder for what a history that goes wrong leaves")
)

func TestMain(m *testing.M) {
	// With one processor, and without a collector that interrupts them, goroutines take turns in nearly the same order each time.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(3 << 30)
	os.Exit(m.Run())
}

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
	for i, argument := range arguments {
		if renewed, ok := strings.CutPrefix(argument, simulation.ReleasePrefix); ok {
			arguments = slices.Delete(slices.Clone(arguments), i, i+1)
			cli.Serve.Release = func(lines projections.Lines) projections.Lines { return nextRelease(lines, renewed) }
			break
		}
	}
	parser, err := kong.New(&cli)
	if err != nil {
		return err
	}
	if _, err = parser.Parse(append([]string{
		"serve", "--api-addr", host + ":3999", "--observer-addr", host + ":3700", "--admin-addr", host + ":3998", "--allow-unsafe-database",
		"--data-dir", t.TempDir(), "--database-url", url, "--network", "testnet", "--disk-floor", "0", "--database-connections", "3",
		"--roles", "observer,projector,metadata,api,compare",
	}, arguments...)); err != nil {
		return err
	}
	return cli.Serve.Serve(ctx, readapi.Version{Tag: "test"}, slog.New(slog.DiscardHandler), func(string, string) {})
}

// nextRelease gives a projection new rules, which lead to the same rows.
func nextRelease(lines projections.Lines, name string) projections.Lines {
	for i, line := range lines {
		lines[i].Leader = renew(line.Leader, name)
		switch followers := line.Followers.(type) {
		case projections.ChainFollowers:
			for n, f := range followers {
				followers[n] = renew(f, name)
			}
		case projections.FeedFollowers:
			for n, f := range followers {
				followers[n] = renew(f, name)
			}
		}
	}
	return lines
}

func renew[T projections.Item](p projections.Projection[T], name string) projections.Projection[T] {
	if spec := p.Spec(); spec.Name == name {
		return p.(projections.Rebuildable[T]).WithSpec(spec.At(spec.Version + 1))
	}
	return p
}

// TestSimulation lets histories happen, and judges them.
func TestSimulation(t *testing.T) {
	names := slices.Sorted(maps.Keys(simulation.Scenes))
	truth := simulation.Truth.New(t)
	counts := map[string]int{}
	began, n := time.Now(), 0
	for ; *histories == 0 || n < *histories; n++ {
		if *minutes > 0 && time.Since(began).Minutes() > *minutes {
			break
		}
		number := *seed + uint64(n)**stride
		scene := *world
		if scene == "" {
			scene = names[number%uint64(len(names))]
		}
		h := happens(t, truth, simulated, scene, number, simulation.Cut{})
		for what, times := range h.Counts {
			counts[what] += times
		}
		counts["requests to the database"] += h.Steps
		if *trace {
			t.Logf("%s\nhistory %d in %s: %v, %v, %x", h.Trace, number, scene, h.Counts, h.Took, h.Hash)
		}
		if len(h.Wrong) > 0 {
			goesWrong(t, truth, h)
			break
		}
	}
	took := time.Since(began)
	t.Logf("%d histories from seed %d in %v, %.0f an hour: %v", n, *seed, took.Round(time.Second), float64(n)/took.Hours(), counts)
}

// blank are databases in which the program has yet to create everything.
var blank = pgtest.Template("blank", func(context.Context, string) error { return nil })

// Whichever request to the database is lost, or the answer to it, while a server starts, appends, folds and reads: nothing is lost,
// nothing doubled, and the program goes on.
func TestNthRequest(t *testing.T) {
	truth := simulation.Truth.New(t)
	calm := simulation.Calm{Crashes: true, Seconds: true, Cuts: true, Freezes: true}
	for name, kind := range map[string]struct {
		databases *pgtest.Source
		scene     string
		seed      uint64
	}{"folds": {simulated, "chain", 4}, "migrates": {blank, "chain", 4}, "rebuilds and switches": {simulated, "versions", 9}} {
		run := func(fault *simulation.Fault) *simulation.History {
			return happens(t, truth, kind.databases, kind.scene, kind.seed, simulation.Cut{Posts: 12, Calm: calm, Fault: fault})
		}
		requests := run(nil).Steps
		if requests < 100 {
			t.Fatalf("%s: only %d requests", name, requests)
		}
		tried := 0
		for n := 1; n <= requests; n += *nth {
			for _, answer := range []bool{false, true} {
				tried++
				if h := run(&simulation.Fault{Request: n, Answer: answer}); len(h.Wrong) > 0 {
					t.Errorf("%s: request %d of %d is lost, or only its answer (%t): %s\n%s", name, n, requests, answer, strings.Join(h.Wrong, "\n"), h.Trace)
					return
				}
			}
		}
		t.Logf("%s: %d of %d requests tried, each lost and unanswered", name, tried/2, requests)
	}
}

// The same seed leads to the same choices until many goroutines wake at one moment, and their order decides: when all followers of a
// process first do, it has made some 200.
func TestSameSeed(t *testing.T) {
	truth := simulation.Truth.New(t)
	seen := map[string]bool{}
	for range 4 {
		h := happens(t, truth, simulated, "chain", 16, simulation.Cut{})
		choices := strings.SplitN(h.Trace, "\n", 201)
		if len(choices) < 201 {
			t.Fatalf("only %d choices", len(choices))
		}
		first := strings.Join(choices[:200], "\n")
		if seen[first] {
			return
		}
		seen[first] = true
	}
	t.Error("the first 200 choices of four histories of one seed are all different")
}

// happens lets a history happen in a database of its own.
func happens(t *testing.T, truth *pgxpool.Pool, databases *pgtest.Source, scene string, seed uint64, cut simulation.Cut) (h *simulation.History) {
	t.Helper()
	runtime.GC()
	if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
		url := databases.Fresh(t)
		h = simulation.Run(t, scene, seed, cut, url, program)
		pool := must.Get(pgxpool.New(t.Context(), url))(t)
		defer pool.Close()
		simulation.Judge(t, h, pool, truth)
	}) {
		t.Fatalf("SEED=%d WORLD=%s: the simulation itself fails", seed, scene)
	}
	return h
}

// goesWrong reports a history that goes wrong, and the smallest that still does.
func goesWrong(t *testing.T, truth *pgxpool.Pool, h *simulation.History) {
	t.Helper()
	t.Errorf("SEED=%d WORLD=%s goes wrong:\n%s", h.Seed, h.Scene, strings.Join(h.Wrong, "\n"))
	if *results == "" {
		return
	}
	path := filepath.Join(*results, fmt.Sprintf("simulation-%d", h.Seed))
	if err := os.WriteFile(path+".log", []byte(h.Trace), 0o600); err != nil {
		t.Error(err)
	}
	smallest := h
	cut := simulation.Shrink(len(h.Senders[0].Posts), time.Minute, func(cut simulation.Cut) bool {
		tried := happens(t, truth, simulated, h.Scene, h.Seed, cut)
		if len(tried.Wrong) > 0 {
			smallest = tried
		}
		return len(tried.Wrong) > 0
	})
	file := must.Get(os.Create(path + ".tsv"))(t)
	defer func() { _ = file.Close() }()
	if err := smallest.WriteArchive(file); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path+".smallest.log", []byte(smallest.Trace), 0o600); err != nil {
		t.Error(err)
	}
	t.Errorf("the smallest history that goes wrong, with %+v, has %d events; they are in %[3]s.tsv, and what happened in %[3]s.smallest.log:\n%[4]s",
		cut.Calm, len(smallest.Senders[0].Posts), path, strings.Join(smallest.Wrong, "\n"))
}
