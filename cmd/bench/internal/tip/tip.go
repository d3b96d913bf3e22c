// Package tip measures what it costs to follow the head of the log, event by event, with all projections.
package tip

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
	"strata/projections/ordinals"
)

// Bench measures a server that follows a node.
type Bench struct {
	*bench.Bench
	Recordings []string // archives
	// Before is the path of an earlier program, which is measured in turns with this one; empty for none. It must
	// understand the same log and register.
	Before string
}

const (
	idleWarm   = 60 // few, so that autovacuum has little to do then
	warmEvents = 600
	slowEvents = 60 * perSecond // autovacuum comes once a minute
	fastEvents = 600
	perSecond  = 20
	idleTime   = 10 * time.Second
	// Postgres counts the transactions of a connection a second late, and 10 s late once it rests.
	countedSoon = 1500 * time.Millisecond
	countedLate = 11 * time.Second
	// settleTime is how long a server takes to become idle: it keeps connections for half a minute, the server counts the
	// transactions of idle connections late, and autovacuum, which comes once a minute, has done its work then.
	settleTime    = 75 * time.Second
	smallBlock    = 1 // transfers
	transfers     = 10
	visibleWarm   = 100
	visibleRounds = 200
	largeBlock    = 1000
	largeWarm     = 10
	largeRounds   = 15
)

// Measure lets a server follow a made-up chain: idle, at twenty events a second with blocks of one transfer and of ten, and
// from one sender that waits for each answer only. Beside each figure stands that of the earlier program, if there is one.
func (b *Bench) Measure(ctx context.Context) error {
	programs := []*measured{{Bench: b, name: "tip", program: b.Program}}
	if b.Before != "" {
		programs = append(programs, &measured{Bench: b, name: "tip_before", program: b.Before})
	}
	for _, part := range []func(*measured, context.Context) error{
		(*measured).small, (*measured).follow, (*measured).visible, (*measured).large, (*measured).recordings,
	} {
		for _, p := range programs {
			if err := part(p, ctx); err != nil {
				return err
			}
		}
	}
	for i, r := range programs[0].rows {
		before := ""
		if len(programs) > 1 {
			before = programs[1].rows[i].figure + " before"
		}
		b.Row(r.what, r.figure, before, "", r.target)
	}
	return nil
}

// measured is a program that is measured.
type measured struct {
	*Bench
	name    string // of its databases
	program string
	rows    []row
}

// row is a line of the table for one program.
type row struct{ what, figure, target string }

func (m *measured) row(what, figure, target string) {
	m.rows = append(m.rows, row{what, figure, target})
}

// small measures a server that has nothing to do, and one that follows small blocks.
func (m *measured) small(ctx context.Context) error {
	w, err := m.openWarm(ctx, "_small", smallBlock, idleWarm)
	if err != nil {
		return err
	}
	defer w.close()
	if err := m.idle(ctx, w); err != nil {
		return err
	}
	if err := w.fold(ctx, warmEvents, 0); err != nil {
		return err
	}
	return m.pace(ctx, w, smallBlock, slowEvents, perSecond, "≤ 3 transactions")
}

// follow measures a server that follows blocks of usual size.
func (m *measured) follow(ctx context.Context) error {
	w, err := m.openWarm(ctx, "", transfers, warmEvents)
	if err != nil {
		return err
	}
	defer w.close()
	if err := m.pace(ctx, w, transfers, slowEvents, perSecond, "≤ 3 transactions, ≤ 10 ms"); err != nil {
		return err
	}
	return m.pace(ctx, w, transfers, fastEvents, 0, "≥ 300 events/s, ≤ 4 ms")
}

// pace measures what events cost that come at a rate, or as fast as the server answers.
func (m *measured) pace(ctx context.Context, w *world, transfers, events, rate int, target string) error {
	cost, err := w.follow(ctx, events, rate)
	if err != nil {
		return err
	}
	speed := "at full speed"
	if rate > 0 {
		speed = fmt.Sprintf("at %d events/s", rate)
	}
	figure := fmt.Sprintf("%.1f transactions, %.0f statements in %.1f round trips, %s CPU an event, %.0f events/s",
		cost.transactions, cost.statements, cost.roundTrips, cost.cpu(), cost.rate)
	m.row(fmt.Sprintf("follow %s %s", blocksOf(transfers), speed), figure, target)
	return nil
}

// blocksOf names blocks of a size.
func blocksOf(transfers int) string {
	if transfers == 1 {
		return "blocks of 1 transfer"
	}
	return fmt.Sprintf("blocks of %d transfers", transfers)
}

// idle measures what a server does when nothing comes.
func (m *measured) idle(ctx context.Context, w *world) error {
	time.Sleep(settleTime)
	before, err := w.sample(ctx)
	if err != nil {
		return err
	}
	time.Sleep(idleTime)
	after, err := w.sample(ctx)
	if err != nil {
		return err
	}
	var connections int
	if err := w.pool.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'strata'`).Scan(&connections); err != nil {
		return err
	}
	cpu := (after.strata - before.strata + after.postgres - before.postgres).Seconds() / idleTime.Seconds()
	m.row("idle", fmt.Sprintf("%.1f transactions/s, %.2f %% of a core, %d connections",
		float64(after.transactions-before.transactions)/idleTime.Seconds(), cpu*100, connections), "≤ 5/s, < 0.5 %, ≤ 15")
	return nil
}

// large measures the time from the acknowledgement of a large block until all projections have folded it.
func (m *measured) large(ctx context.Context) error {
	w, err := m.openWarm(ctx, "_large", largeBlock, largeWarm)
	if err != nil {
		return err
	}
	defer w.close()
	var took []time.Duration
	for len(took) < largeRounds {
		p := w.chain.Next()
		if err := bench.Post(ctx, w.server.Observer+p.Path, p.Body); err != nil {
			return err
		}
		began := time.Now()
		if err := w.waitForEnd(ctx); err != nil {
			return err
		}
		if p.Path == "/new_block" { // the others are small
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	m.row(fmt.Sprintf("a block of %d, acknowledged → folded by all, best / median of %d", largeBlock, largeRounds),
		fmt.Sprintf("%d / %d ms", took[0].Milliseconds(), took[largeRounds/2].Milliseconds()), "≤ 150 ms")
	return nil
}

// visible measures the time from the acknowledgement of a block until the API shows the balance of its sender.
func (m *measured) visible(ctx context.Context) error {
	for _, size := range []int{smallBlock, transfers} {
		w, err := m.open(ctx, fmt.Sprintf("_visible_%d", size), size)
		if err != nil {
			return err
		}
		p50, p99, err := bench.Visibility{
			WarmUp: visibleWarm, Rounds: visibleRounds, Next: bench.NextBlock(w.chain), Path: "/extended/v1/address/" + w.chain.Accounts()[0] + "/stx",
		}.Measure(ctx, w.server)
		w.close()
		if err != nil {
			return err
		}
		m.row(blocksOf(size)+", acknowledged → visible in a balance, p50 / p99", bench.Milliseconds(p50)+" / "+bench.Milliseconds(p99), "p50 ≤ 15 ms")
	}
	return nil
}

// recorded is a part of the name of the recording that is posted one by one.
const recorded = "epoch-3-transition"

// recordings posts what a node posted while it was recorded to a new server, one event after the other, and measures until
// all is folded.
func (m *measured) recordings(ctx context.Context) error {
	for i, path := range m.Recordings {
		if !strings.Contains(filepath.Base(path), recorded) {
			continue
		}
		posts, err := bench.Recording(path)
		if err != nil {
			return err
		}
		w, err := m.open(ctx, fmt.Sprintf("_recording_%d", i), transfers, "--network", "testnet") // or the server would find it out, and start again
		if err != nil {
			return err
		}
		began := time.Now()
		for _, p := range posts {
			if err = bench.Post(ctx, w.server.Observer+p.Path, p.Body); err != nil {
				break
			}
		}
		if err == nil {
			err = bench.UntilFolded(ctx, w.pool)
		}
		took := time.Since(began)
		w.close()
		if err != nil {
			return err
		}
		m.row(fmt.Sprintf("%s, %d events one by one, new server, until folded", recorded, len(posts)), fmt.Sprintf("%.2f s", took.Seconds()), "≤ 0.8 s")
	}
	return nil
}

// world is a server that receives a made-up chain.
type world struct {
	url        string
	pool       *pgxpool.Pool
	server     *bench.Server
	chain      *synthchain.Chain
	postmaster int
}

// open starts a server on a new database, whose name ends with suffix.
func (m *measured) open(ctx context.Context, suffix string, transfers int, more ...string) (w *world, err error) {
	w = &world{chain: synthchain.New(synthchain.Config{
		Seed: 5, TxPerBlock: synthchain.Range{Min: transfers, Max: transfers}, SigningSample: 100, ForgetHistory: true, Accounts: max(64, transfers),
	})}
	if w.url, w.pool, err = m.Database(ctx, m.name+suffix); err != nil {
		return nil, err
	}
	var backend int
	if err = w.pool.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err == nil {
		w.postmaster, err = parentOf(backend)
	}
	if err == nil {
		w.server, err = m.serve(ctx, w.url, more...)
	}
	if err != nil {
		w.pool.Close()
		return nil, err
	}
	return w, nil
}

// openWarm opens a world whose server has followed some events.
func (m *measured) openWarm(ctx context.Context, suffix string, transfers, events int) (*world, error) {
	w, err := m.open(ctx, suffix, transfers)
	if err != nil {
		return nil, err
	}
	if err := w.fold(ctx, events, 0); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// serve starts a server of the program.
func (m *measured) serve(ctx context.Context, url string, more ...string) (*bench.Server, error) {
	own := *m.Bench.Bench
	own.Program = m.program
	return own.Serve(ctx, url, more...)
}

func (w *world) close() {
	w.server.Stop()
	w.pool.Close()
}

// post posts blocks, and what comes with them, one after the other; rate is the most per second, or 0.
func (w *world) post(ctx context.Context, events, rate int) error {
	began := time.Now()
	for i := range events {
		if rate > 0 {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		}
		p := w.chain.Next()
		if err := bench.Post(ctx, w.server.Observer+p.Path, p.Body); err != nil {
			return err
		}
	}
	return nil
}

// waitForEnd waits until all projections of the chain have folded everything. It asks often, and costs little.
func (w *world) waitForEnd(ctx context.Context) error {
	for behind := true; behind; time.Sleep(time.Millisecond) {
		err := w.pool.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM strata.projection p JOIN strata.active USING (name, version) CROSS JOIN log.head h WHERE p.log_seq < h.size AND p.input <> $1)`, ordinals.Spec().Schema.String()).Scan(&behind)
		if err != nil {
			return err
		}
	}
	return nil
}

// fold posts events, and returns when they are folded.
func (w *world) fold(ctx context.Context, events, rate int) error {
	if err := w.post(ctx, events, rate); err != nil {
		return err
	}
	return bench.UntilFolded(ctx, w.pool)
}

// follow posts events and measures until they are folded.
func (w *world) follow(ctx context.Context, events, rate int) (c cost, err error) {
	time.Sleep(countedLate)
	before, err := w.sample(ctx)
	if err != nil {
		return c, err
	}
	if err := w.fold(ctx, events, rate); err != nil {
		return c, err
	}
	took := time.Since(before.at)
	time.Sleep(countedSoon)
	after, err := w.sample(ctx)
	c = costOf(before, after, events)
	c.rate = float64(events) / took.Seconds()
	return c, err
}
