package fold

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/eventstore"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthchain"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/ft"
	"strata/projections/mempool"
	"strata/projections/nft"
	"strata/projections/pox"
	"strata/projections/sft"
	"strata/projections/staking"
)

// Rebuild measures how fast all projections of the chain are rebuilt from the log: for synthetic logs of different
// lengths, whose cost per event should be the same, and for recordings of real nodes. The baseline is the slower of two
// limits, measured on the same data: reading the log without decoding it, and copying the finished rows.
func (b *Bench) Rebuild(ctx context.Context) {
	for events := min(10_000, b.Rebuilt); ; events = min(10*events, b.Rebuilt) {
		b.rebuild(ctx, fmt.Sprintf("rebuild_%d", events), posts(longChain, limits{events: events}), fmt.Sprintf("%d synthetic events", events))
		if events == b.Rebuilt {
			break
		}
	}
	for i, path := range b.Recordings {
		b.rebuild(ctx, fmt.Sprintf("rebuild_recording_%d", i), slices.Values(bench.Recording(path)), filepath.Base(path))
	}
}

func (b *Bench) rebuild(ctx context.Context, database string, posts iter.Seq[simulate.Post], what string) {
	url, pool, events, size := b.Log(ctx, database, posts)
	defer pool.Close()
	scan := scanLog(ctx, pool)
	builder := b.Helper(ctx, "rebuild")
	defer builder.Stop()
	memory := bench.WatchMemory(builder.Pid())
	r, postgresTime := b.buildIn(builder, buildRequest{URL: url})
	usage := memory.Summary()
	rows, bare := copyAgain(ctx, pool)
	limit, slower := bare, "bare COPY of the rows"
	if scan > bare {
		limit, slower = scan, "bare scan of the log"
	}
	b.Row("rebuild "+what, fmt.Sprintf("%.0f events/s, %s, %.0f µs an event", float64(events)/r.Took.Seconds(), bench.MBPerSecond(size, r.Took), r.Took.Seconds()*1e6/float64(events)),
		fmt.Sprintf("%.0f events/s: %s", float64(events)/limit.Seconds(), slower), bench.Times(limit.Seconds(), r.Took.Seconds()), "≥ 0.50×, flat")
	b.Row("  the two limits", "", fmt.Sprintf("%s scan of the log, %.0f rows/s COPY of %d rows", bench.MBPerSecond(size, scan), float64(rows)/bare.Seconds(), rows), "", "")
	b.Row("  processor time", fmt.Sprintf("Postgres has %.0f %%", 100*postgresTime.Seconds()/(postgresTime+r.Processor).Seconds()), "", "", "")
	if r.Took > 5*time.Second {
		b.Row("  memory meanwhile", usage, "", "", "flat, < 300 MiB")
	}
}

// buildIn lets a helper process build projections. postgresTime is the processor time that Postgres spends meanwhile.
func (b *Bench) buildIn(builder *bench.Helper, request buildRequest) (r buildResult, postgresTime time.Duration) {
	before := bench.ProcessorTime(b.Cluster.Pid())
	builder.Ask(request, &r)
	return r, bench.ProcessorTime(b.Cluster.Pid()) - before
}

// Staking measures what the projection of pox-5 adds to a rebuild. The chain goes through all epochs, and one of ten
// transactions has to do with staking: far more than on mainnet. Builds with and without it take turns. The processor time is
// that of the program and of Postgres.
func (b *Bench) Staking(ctx context.Context) {
	config := synthchain.AllEpochs(1)
	config.SigningSample, config.ForgetHistory = 1000, true
	config.Mix.Staking = 11
	builder := b.Helper(ctx, "rebuild")
	defer builder.Stop()
	var took, spent [2]time.Duration
	events := min(4000, b.Rebuilt)
	for n := range 4 {
		url, pool, _, _ := b.Log(ctx, fmt.Sprintf("rebuild_staking_%d", n), posts(config, limits{events: events}))
		pool.Close()
		r, postgresTime := b.buildIn(builder, buildRequest{URL: url, WithoutStaking: n%2 == 0})
		took[n%2], spent[n%2] = took[n%2]+r.Took, spent[n%2]+r.Processor+postgresTime
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(2*events) }
	b.Row(fmt.Sprintf("staking in a rebuild, %d events", events), fmt.Sprintf("%.0f µs, %.0f µs CPU an event", each(took[1]), each(spent[1])),
		fmt.Sprintf("%.0f µs, %.0f µs CPU without", each(took[0]), each(spent[0])),
		bench.Times(took[1].Seconds(), took[0].Seconds())+", CPU "+bench.Times(spent[1].Seconds(), spent[0].Seconds()), "CPU ≤ 1.1×")
}

// scanLog reads all bodies, as a decoder must, and discards them.
func scanLog(ctx context.Context, pool *pgxpool.Pool) (took time.Duration) {
	conn := bench.Must(pool.Acquire(ctx))
	defer conn.Release()
	started := time.Now()
	bench.Must(conn.Conn().PgConn().CopyTo(ctx, io.Discard, `COPY (SELECT body FROM log.event ORDER BY seq) TO STDOUT (FORMAT binary)`))
	return time.Since(started)
}

// copyAgain copies the finished rows of all tables into tables with the same indexes. As in a build, it creates the
// indexes for readers last.
func copyAgain(ctx context.Context, pool *pgxpool.Pool) (rows int64, took time.Duration) {
	for _, definition := range nodeLines(true).Definitions() {
		again := definition.Spec
		again.Version += 1000
		makeTables, makeIndexes, _ := strings.Cut(again.DDL(), projections.ReaderIndexes)
		bench.Must(pool.Exec(ctx, makeTables))
		for _, table := range tablesOf(ctx, pool, definition.Spec.String()) {
			// The DDL inserts some rows.
			bench.Must(pool.Exec(ctx, `TRUNCATE `+pgx.Identifier{again.String(), table}.Sanitize()))
			copied, spent := copyTable(ctx, pool, pgx.Identifier{definition.Spec.String(), table}, pgx.Identifier{again.String(), table})
			rows, took = rows+copied, took+spent
		}
		started := time.Now()
		bench.Must(pool.Exec(ctx, makeIndexes))
		took += time.Since(started)
	}
	return rows, took
}

func tablesOf(ctx context.Context, pool *pgxpool.Pool, schema string) []string {
	rows := bench.Must(pool.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename`, schema))
	return bench.Must(pgx.CollectRows(rows, pgx.RowTo[string]))
}

// copyTable streams the rows of one table into another. It reads and writes at the same time, on two cores.
func copyTable(ctx context.Context, pool *pgxpool.Pool, from, to pgx.Identifier) (rows int64, took time.Duration) {
	reading := bench.Must(pool.Acquire(ctx))
	defer reading.Release()
	writing := bench.Must(pool.Acquire(ctx))
	defer writing.Release()
	in, out := io.Pipe()
	started := time.Now()
	go func() {
		_, err := reading.Conn().PgConn().CopyTo(ctx, out, `COPY `+from.Sanitize()+` TO STDOUT (FORMAT binary)`)
		_ = out.CloseWithError(err)
	}()
	tag, err := writing.Conn().PgConn().CopyFrom(ctx, in, `COPY `+to.Sanitize()+` FROM STDIN (FORMAT binary)`)
	_ = in.CloseWithError(err)
	bench.CheckOf("copy the rows of "+from.Sanitize(), err)
	return tag.RowsAffected(), time.Since(started)
}

// nodeLines returns the projections of a node's events, with that of pox-5 or without.
func nodeLines(withStaking bool) projections.Lines {
	canonical := bench.Must(chain.New(chain.Recommended, nil))
	followers := []projections.Projection[projections.Step]{balances.New(nil), ft.New(nil), sft.New(nil), nft.New(nil), accounts.New(), mempool.New(), pox.New()}
	if withStaking {
		followers = append(followers, staking.New())
	}
	return projections.Lines{projections.Chain(canonical, followers...)}
}

// buildRequest asks for a build of all projections, or of all but that of pox-5.
type buildRequest struct {
	URL            string // of the database
	WithoutStaking bool
}

// buildResult has the cost of a build.
type buildResult struct {
	Took      time.Duration
	Processor time.Duration // of this process
	Memory    int64         // the greatest resident set of this process so far
}

// RebuildAll builds projections as a helper process, one build for each request.
func RebuildAll(ctx context.Context, in *json.Decoder, out *json.Encoder) {
	bench.AnswerQuestions(in, out, func(request buildRequest) buildResult { return rebuildOnce(ctx, request) })
}

// rebuildOnce folds a log until everything is folded.
func rebuildOnce(ctx context.Context, request buildRequest) (r buildResult) {
	pool := bench.Must(pgxpool.New(ctx, request.URL))
	defer pool.Close()
	before := bench.ProcessorTime(os.Getpid())
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	runner := follow.NewRunner(follow.Config{Log: log}, nodeLines(!request.WithoutStaking)...)
	bench.Check(runner.Register(ctx))
	running, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	started := time.Now()
	following.Go(func() { runner.Run(running) })
	err := bench.Catch(func() { bench.UntilFolded(ctx, pool) })
	r.Took = time.Since(started)
	stop()
	following.Wait()
	bench.Check(err)
	r.Processor, r.Memory = bench.ProcessorTime(os.Getpid())-before, bench.ResidentPeak(os.Getpid())
	return r
}
