package fold

import (
	"context"
	"encoding/json"
	"errors"
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
func (b *Bench) Rebuild(ctx context.Context) error {
	for events := min(10_000, b.Rebuilt); ; events = min(10*events, b.Rebuilt) {
		if err := b.rebuild(ctx, fmt.Sprintf("rebuild_%d", events), posts(longChain, limits{events: events}), fmt.Sprintf("%d synthetic events", events)); err != nil {
			return err
		}
		if events == b.Rebuilt {
			break
		}
	}
	for i, path := range b.Recordings {
		recorded, err := bench.Recording(path)
		if err == nil {
			err = b.rebuild(ctx, fmt.Sprintf("rebuild_recording_%d", i), slices.Values(recorded), filepath.Base(path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Bench) rebuild(ctx context.Context, database string, posts iter.Seq[simulate.Post], what string) error {
	url, pool, events, size, err := b.Log(ctx, database, posts)
	if err != nil {
		return err
	}
	defer pool.Close()
	scan, err := scanLog(ctx, pool)
	if err != nil {
		return err
	}
	builder, err := b.Helper(ctx, "rebuild")
	if err != nil {
		return err
	}
	defer builder.Stop()
	memory := bench.WatchMemory(builder.Pid())
	r, postgresTime, err := b.buildIn(builder, buildRequest{URL: url})
	usage := memory.Summary()
	if err != nil {
		return err
	}
	rows, bare, err := copyAgain(ctx, pool)
	if err != nil {
		return err
	}
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
	return nil
}

// buildIn lets a helper process build projections. postgresTime is the processor time that Postgres spends meanwhile.
func (b *Bench) buildIn(builder *bench.Helper, request buildRequest) (r buildResult, postgresTime time.Duration, err error) {
	before, err := bench.ProcessorTime(b.Cluster.Pid())
	if err != nil {
		return r, 0, err
	}
	if err := builder.Ask(request, &r); err != nil {
		return r, 0, err
	}
	after, err := bench.ProcessorTime(b.Cluster.Pid())
	return r, after - before, err
}

// Staking measures what the projection of pox-5 adds to a rebuild. The chain goes through all epochs, and one of ten
// transactions has to do with staking: far more than on mainnet. Builds with and without it take turns. The processor time is
// that of the program and of Postgres.
func (b *Bench) Staking(ctx context.Context) error {
	config := synthchain.AllEpochs(1)
	config.SigningSample, config.ForgetHistory = 1000, true
	config.Mix.Staking = 11
	builder, err := b.Helper(ctx, "rebuild")
	if err != nil {
		return err
	}
	defer builder.Stop()
	var took, spent [2]time.Duration
	events := min(4000, b.Rebuilt)
	for n := range 4 {
		url, pool, _, _, err := b.Log(ctx, fmt.Sprintf("rebuild_staking_%d", n), posts(config, limits{events: events}))
		if err != nil {
			return err
		}
		pool.Close()
		r, postgresTime, err := b.buildIn(builder, buildRequest{URL: url, WithoutStaking: n%2 == 0})
		if err != nil {
			return err
		}
		took[n%2], spent[n%2] = took[n%2]+r.Took, spent[n%2]+r.Processor+postgresTime
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(2*events) }
	b.Row(fmt.Sprintf("staking in a rebuild, %d events", events), fmt.Sprintf("%.0f µs, %.0f µs CPU an event", each(took[1]), each(spent[1])),
		fmt.Sprintf("%.0f µs, %.0f µs CPU without", each(took[0]), each(spent[0])),
		bench.Times(took[1].Seconds(), took[0].Seconds())+", CPU "+bench.Times(spent[1].Seconds(), spent[0].Seconds()), "CPU ≤ 1.1×")
	return nil
}

// scanLog reads all bodies, as a decoder must, and discards them.
func scanLog(ctx context.Context, pool *pgxpool.Pool) (took time.Duration, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	started := time.Now()
	_, err = conn.Conn().PgConn().CopyTo(ctx, io.Discard, `COPY (SELECT body FROM log.event ORDER BY seq) TO STDOUT (FORMAT binary)`)
	return time.Since(started), err
}

// copyAgain copies the finished rows of all tables into tables with the same indexes. As in a build, it creates the
// indexes for readers last.
func copyAgain(ctx context.Context, pool *pgxpool.Pool) (rows int64, took time.Duration, err error) {
	for _, definition := range nodeLines(true).Definitions() {
		again := definition.Spec
		again.Version += 1000
		makeTables, makeIndexes, _ := strings.Cut(again.DDL(), projections.ReaderIndexes)
		if _, err := pool.Exec(ctx, makeTables); err != nil {
			return 0, 0, fmt.Errorf("create the tables of %s again: %w", definition.Spec.Name, err)
		}
		tables, err := tablesOf(ctx, pool, definition.Spec.String())
		if err != nil {
			return 0, 0, err
		}
		for _, table := range tables {
			// The DDL inserts some rows.
			if _, err := pool.Exec(ctx, `TRUNCATE `+pgx.Identifier{again.String(), table}.Sanitize()); err != nil {
				return 0, 0, err
			}
			copied, spent, err := copyTable(ctx, pool, pgx.Identifier{definition.Spec.String(), table}, pgx.Identifier{again.String(), table})
			if err != nil {
				return 0, 0, err
			}
			rows, took = rows+copied, took+spent
		}
		started := time.Now()
		if _, err := pool.Exec(ctx, makeIndexes); err != nil {
			return 0, 0, fmt.Errorf("create the indexes of %s again: %w", definition.Spec.Name, err)
		}
		took += time.Since(started)
	}
	return rows, took, nil
}

func tablesOf(ctx context.Context, pool *pgxpool.Pool, schema string) ([]string, error) {
	rows, err := pool.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename`, schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// copyTable streams the rows of one table into another. It reads and writes at the same time, on two cores.
func copyTable(ctx context.Context, pool *pgxpool.Pool, from, to pgx.Identifier) (rows int64, took time.Duration, err error) {
	reading, err := pool.Acquire(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer reading.Release()
	writing, err := pool.Acquire(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer writing.Release()
	in, out := io.Pipe()
	started := time.Now()
	go func() {
		_, err := reading.Conn().PgConn().CopyTo(ctx, out, `COPY `+from.Sanitize()+` TO STDOUT (FORMAT binary)`)
		_ = out.CloseWithError(err)
	}()
	tag, err := writing.Conn().PgConn().CopyFrom(ctx, in, `COPY `+to.Sanitize()+` FROM STDIN (FORMAT binary)`)
	_ = in.CloseWithError(err)
	if err != nil {
		return 0, 0, fmt.Errorf("copy the rows of %s: %w", from.Sanitize(), err)
	}
	return tag.RowsAffected(), time.Since(started), nil
}

// nodeLines returns the projections of a node's events, with that of pox-5 or without.
func nodeLines(withStaking bool) projections.Lines {
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		panic(err) // Recommended is a valid rule
	}
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

// rebuildAll builds projections as a helper process, one build for each request.
func rebuildAll(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	return bench.AnswerQuestions(in, out, func(request buildRequest) (buildResult, error) { return rebuildOnce(ctx, request) })
}

// rebuildOnce folds a log until everything is folded.
func rebuildOnce(ctx context.Context, request buildRequest) (r buildResult, err error) {
	pool, err := pgxpool.New(ctx, request.URL)
	if err != nil {
		return r, err
	}
	defer pool.Close()
	before, err := bench.ProcessorTime(os.Getpid())
	if err != nil {
		return r, err
	}
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	runner := follow.NewRunner(follow.Config{Log: log}, nodeLines(!request.WithoutStaking)...)
	if err := runner.Register(ctx); err != nil {
		return r, err
	}
	running, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	started := time.Now()
	following.Go(func() { runner.Run(running) })
	err = bench.UntilFolded(ctx, pool)
	r.Took = time.Since(started)
	stop()
	following.Wait()
	after, timeErr := bench.ProcessorTime(os.Getpid())
	r.Processor, r.Memory = after-before, bench.ResidentPeak(os.Getpid())
	return r, errors.Join(err, timeErr)
}
