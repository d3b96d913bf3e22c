package fold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
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
		if err := b.rebuildSynthetic(ctx, events); err != nil {
			return err
		}
		if events == b.Rebuilt {
			break
		}
	}
	for i, path := range b.Recordings {
		if err := b.rebuild(ctx, fmt.Sprintf("rebuild_recording_%d", i), path, filepath.Base(path)); err != nil {
			return err
		}
	}
	return b.rebuildMore(ctx, min(50_000, b.Rebuilt))
}

func (b *Bench) rebuildSynthetic(ctx context.Context, events int) error {
	path, _, _, err := b.archive(fmt.Sprintf("rebuild-%d.tsv", events), longChain, limits{events: events})
	if err != nil {
		return err
	}
	return b.rebuild(ctx, fmt.Sprintf("rebuild_%d", events), path, fmt.Sprintf("%d synthetic events", events))
}

func (b *Bench) rebuild(ctx context.Context, database, path, what string) error {
	url, pool, events, size, err := b.importArchive(ctx, database, path)
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
	limit := max(scan, bare)
	b.Row("rebuild "+what, fmt.Sprintf("%.0f events/s, %s, %.0f µs an event", float64(events)/r.Took.Seconds(), bench.MBPerSecond(size, r.Took), r.Took.Seconds()*1e6/float64(events)),
		fmt.Sprintf("%.0f events/s: %s", float64(events)/limit.Seconds(), slower(scan, bare)), bench.Times(limit.Seconds(), r.Took.Seconds()), "≥ 0.50×, flat")
	b.Row("  the two limits", "", fmt.Sprintf("%s scan of the log, %.0f rows/s COPY of %d rows", bench.MBPerSecond(size, scan), float64(rows)/bare.Seconds(), rows), "", "")
	postgresShare := 100 * postgresTime.Seconds() / (postgresTime + r.Processor).Seconds()
	b.Row("  processor time", r.Shares.String()+fmt.Sprintf("; Postgres %.0f %% of all", postgresShare), "", "", "")
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

// rebuildMore measures what the history of accounts and the mempool add to the cost of an event.
func (b *Bench) rebuildMore(ctx context.Context, events int) error {
	path, _, _, err := b.archive("rebuild-more.tsv", longChain, limits{events: events})
	if err != nil {
		return err
	}
	return b.addition(ctx, path, addition{
		name: "history of accounts and mempool", database: "rebuild_more", events: events, target: "≤ 1.4×",
		request: func(added bool) buildRequest { return buildRequest{Tokens: !added} },
	})
}

// addition is what some projections add to a rebuild.
type addition struct {
	name, database string
	events         int
	request        func(added bool) buildRequest // with or without the projections
	target         string
}

// addition measures what projections add to the cost of an event of an archive. Builds with and without them take turns.
// The processor time is that of the program and of Postgres.
func (b *Bench) addition(ctx context.Context, path string, a addition) error {
	builder, err := b.Helper(ctx, "rebuild")
	if err != nil {
		return err
	}
	defer builder.Stop()
	var took, spent [2]time.Duration
	for n := range 4 {
		url, pool, _, _, err := b.importArchive(ctx, fmt.Sprintf("%s_%d", a.database, n), path)
		if err != nil {
			return err
		}
		pool.Close()
		request := a.request(n%2 == 1)
		request.URL = url
		r, postgresTime, err := b.buildIn(builder, request)
		if err != nil {
			return err
		}
		took[n%2], spent[n%2] = took[n%2]+r.Took, spent[n%2]+r.Processor+postgresTime
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(2*a.events) }
	b.Row(fmt.Sprintf("%s, %d events", a.name, a.events), fmt.Sprintf("%.0f µs, %.0f µs CPU an event", each(took[1]), each(spent[1])),
		fmt.Sprintf("%.0f µs, %.0f µs CPU without", each(took[0]), each(spent[0])), bench.Times(took[1].Seconds(), took[0].Seconds())+", CPU "+bench.Times(spent[1].Seconds(), spent[0].Seconds()), a.target)
	return nil
}

func slower(scan, bare time.Duration) string {
	if scan > bare {
		return "bare scan of the log"
	}
	return "bare COPY of the rows"
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
	for _, definition := range nodeLines(false, staking.New()).Definitions() {
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

// nodeLines returns the projections of a node's events; if tokens is set, only chain, balances and those of tokens. more are
// further projections.
func nodeLines(tokens bool, more ...projections.Projection[projections.Step]) projections.Lines {
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		panic(err) // Recommended is a valid rule
	}
	followers := []projections.Projection[projections.Step]{balances.New(nil), ft.New(nil), sft.New(nil), nft.New(nil)}
	if !tokens {
		followers = append(followers, accounts.New(), mempool.New(), pox.New())
	}
	followers = append(followers, more...)
	return projections.Lines{projections.Chain(canonical, followers...)}
}

// buildRequest asks for a build of all projections, of those of nodeLines(true), or of all but one.
type buildRequest struct {
	URL            string // of the database
	Tokens         bool
	WithoutStaking bool
}

// lines returns the projections that are built.
func (r buildRequest) lines() projections.Lines {
	if r.Tokens || r.WithoutStaking {
		return nodeLines(r.Tokens)
	}
	return nodeLines(false, staking.New())
}

// buildResult has the cost of a build.
type buildResult struct {
	Took      time.Duration
	Processor time.Duration // of this process
	Memory    int64         // the greatest resident set of this process so far
	Shares    shares
}

// rebuildAll builds projections as a helper process, one build for each request.
func rebuildAll(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	return bench.AnswerQuestions(in, out, func(request buildRequest) (buildResult, error) { return rebuildOnce(ctx, request) })
}

func rebuildOnce(ctx context.Context, request buildRequest) (r buildResult, err error) {
	pool, err := pgxpool.New(ctx, request.URL)
	if err != nil {
		return r, err
	}
	defer pool.Close()
	before, err := ownProcessorTime()
	if err != nil {
		return r, err
	}
	profile, err := beginProfile()
	if err != nil {
		return r, err
	}
	r.Took, err = bench.Build(ctx, pool, request.lines()...)
	after, timeErr := ownProcessorTime()
	shares, profileErr := profile.end()
	r.Processor, r.Shares, r.Memory = after-before, shares, ownPeak()
	return r, errors.Join(err, timeErr, profileErr)
}
