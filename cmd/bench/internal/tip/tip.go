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
func (b *Bench) Measure(ctx context.Context) {
	programs := []*measured{{Bench: b, name: "tip", program: b.Program}}
	if b.Before != "" {
		programs = append(programs, &measured{Bench: b, name: "tip_before", program: b.Before})
	}
	for _, part := range []func(*measured, context.Context){
		(*measured).small, (*measured).follow, (*measured).visible, (*measured).large, (*measured).recordings,
	} {
		for _, p := range programs {
			part(p, ctx)
		}
	}
	for i, r := range programs[0].rows {
		before := ""
		if len(programs) > 1 {
			before = programs[1].rows[i].figure + " before"
		}
		b.Row(r.what, r.figure, before, "", r.target)
	}
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
func (m *measured) small(ctx context.Context) {
	w := m.openWarm(ctx, "_small", smallBlock, idleWarm)
	defer w.close()
	m.idle(ctx, w)
	w.fold(ctx, warmEvents, 0)
	m.pace(ctx, w, smallBlock, slowEvents, perSecond, "≤ 3 transactions")
}

// follow measures a server that follows blocks of usual size.
func (m *measured) follow(ctx context.Context) {
	w := m.openWarm(ctx, "", transfers, warmEvents)
	defer w.close()
	m.pace(ctx, w, transfers, slowEvents, perSecond, "≤ 3 transactions, ≤ 10 ms")
	m.pace(ctx, w, transfers, fastEvents, 0, "≥ 300 events/s, ≤ 4 ms")
}

// pace measures what events cost that come at a rate, or as fast as the server answers.
func (m *measured) pace(ctx context.Context, w *world, transfers, events, rate int, target string) {
	cost := w.follow(ctx, events, rate)
	speed := "at full speed"
	if rate > 0 {
		speed = fmt.Sprintf("at %d events/s", rate)
	}
	figure := fmt.Sprintf("%.1f transactions, %.0f statements in %.1f round trips, %s CPU an event, %.0f events/s",
		cost.transactions, cost.statements, cost.roundTrips, cost.cpu(), cost.rate)
	m.row(fmt.Sprintf("follow %s %s", blocksOf(transfers), speed), figure, target)
}

// blocksOf names blocks of a size.
func blocksOf(transfers int) string {
	if transfers == 1 {
		return "blocks of 1 transfer"
	}
	return fmt.Sprintf("blocks of %d transfers", transfers)
}

// idle measures what a server does when nothing comes.
func (m *measured) idle(ctx context.Context, w *world) {
	time.Sleep(settleTime)
	before := w.sample(ctx)
	time.Sleep(idleTime)
	after := w.sample(ctx)
	var connections int
	bench.Check(w.pool.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'strata'`).Scan(&connections))
	cpu := (after.strata - before.strata + after.postgres - before.postgres).Seconds() / idleTime.Seconds()
	m.row("idle", fmt.Sprintf("%.1f transactions/s, %.2f %% of a core, %d connections",
		float64(after.transactions-before.transactions)/idleTime.Seconds(), cpu*100, connections), "≤ 5/s, < 0.5 %, ≤ 15")
}

// large measures the time from the acknowledgement of a large block until all projections have folded it.
func (m *measured) large(ctx context.Context) {
	w := m.openWarm(ctx, "_large", largeBlock, largeWarm)
	defer w.close()
	var took []time.Duration
	for len(took) < largeRounds {
		p := w.chain.Next()
		bench.Post(ctx, w.server.Observer+p.Path, p.Body)
		began := time.Now()
		w.waitForEnd(ctx)
		if p.Path == "/new_block" { // the others are small
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	m.row(fmt.Sprintf("a block of %d, acknowledged → folded by all, best / median of %d", largeBlock, largeRounds),
		fmt.Sprintf("%d / %d ms", took[0].Milliseconds(), took[largeRounds/2].Milliseconds()), "≤ 150 ms")
}

// visible measures the time from the acknowledgement of a block until the API shows the balance of its sender.
func (m *measured) visible(ctx context.Context) {
	for _, size := range []int{smallBlock, transfers} {
		w := m.open(ctx, fmt.Sprintf("_visible_%d", size), size)
		p50, p99 := bench.Visibility{
			WarmUp: visibleWarm, Rounds: visibleRounds, Next: bench.NextBlock(w.chain), Path: "/extended/v1/address/" + w.chain.Accounts()[0] + "/stx",
		}.Measure(ctx, w.server)
		w.close()
		m.row(blocksOf(size)+", acknowledged → visible in a balance, p50 / p99", bench.Milliseconds(p50)+" / "+bench.Milliseconds(p99), "p50 ≤ 15 ms")
	}
}

// recorded is a part of the name of the recording that is posted one by one.
const recorded = "epoch-3-transition"

// recordings posts what a node posted while it was recorded to a new server, one event after the other, and measures until
// all is folded.
func (m *measured) recordings(ctx context.Context) {
	for i, path := range m.Recordings {
		if !strings.Contains(filepath.Base(path), recorded) {
			continue
		}
		posts := bench.Recording(path)
		w := m.open(ctx, fmt.Sprintf("_recording_%d", i), transfers, "--network", "testnet") // or the server would find it out, and start again
		began := time.Now()
		for _, p := range posts {
			bench.Post(ctx, w.server.Observer+p.Path, p.Body)
		}
		bench.UntilFolded(ctx, w.pool)
		took := time.Since(began)
		w.close()
		m.row(fmt.Sprintf("%s, %d events one by one, new server, until folded", recorded, len(posts)), fmt.Sprintf("%.2f s", took.Seconds()), "≤ 0.8 s")
	}
}

// world is a server that receives a made-up chain.
type world struct {
	*Bench
	pool   *pgxpool.Pool
	server *bench.Server
	chain  *synthchain.Chain
}

// open starts a server on a new database, whose name ends with suffix.
func (m *measured) open(ctx context.Context, suffix string, transfers int, more ...string) (w *world) {
	w = &world{Bench: m.Bench, chain: synthchain.New(synthchain.Config{
		Seed: 5, TxPerBlock: synthchain.Range{Min: transfers, Max: transfers}, SigningSample: 100, ForgetHistory: true, Accounts: max(64, transfers),
	})}
	url, pool := m.Database(ctx, m.name+suffix)
	w.pool, w.server = pool, m.ServeBy(ctx, m.program, url, more...)
	return w
}

// openWarm opens a world whose server has followed some events.
func (m *measured) openWarm(ctx context.Context, suffix string, transfers, events int) *world {
	w := m.open(ctx, suffix, transfers)
	w.fold(ctx, events, 0)
	return w
}

func (w *world) close() {
	w.server.Stop()
	w.pool.Close()
}

// post posts blocks, and what comes with them, one after the other; rate is the most per second, or 0.
func (w *world) post(ctx context.Context, events, rate int) {
	began := time.Now()
	for i := range events {
		if rate > 0 {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		}
		p := w.chain.Next()
		bench.Post(ctx, w.server.Observer+p.Path, p.Body)
	}
}

// waitForEnd waits until all projections of the chain have folded everything. It asks often, and costs little.
func (w *world) waitForEnd(ctx context.Context) {
	for behind := true; behind; time.Sleep(time.Millisecond) {
		bench.Check(w.pool.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM strata.projection p JOIN strata.active USING (name, version) CROSS JOIN log.head h WHERE p.log_seq < h.size AND p.input <> $1)`, ordinals.Spec().Schema.String()).Scan(&behind))
	}
}

// fold posts events, and returns when they are folded.
func (w *world) fold(ctx context.Context, events, rate int) {
	w.post(ctx, events, rate)
	bench.UntilFolded(ctx, w.pool)
}

// follow posts events and measures until they are folded.
func (w *world) follow(ctx context.Context, events, rate int) (c cost) {
	time.Sleep(countedLate)
	before := w.sample(ctx)
	w.fold(ctx, events, rate)
	took := time.Since(before.at)
	time.Sleep(countedSoon)
	c = costOf(before, w.sample(ctx), events)
	c.rate = float64(events) / took.Seconds()
	return c
}
