// Package tip measures what it costs to follow the head of the log, event by event, with all projections.
package tip

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
	"strata/projections/version"
)

// Bench measures a server that follows a node.
type Bench struct {
	*bench.Bench
	Recordings []string // archives
}

const (
	warmEvents = 60
	slowEvents = 200
	fastEvents = 600
	perSecond  = 20
	idleTime   = 10 * time.Second
	// settleTime is how long a server takes to become idle: it keeps connections for half a minute, and the server counts
	// the transactions of idle connections late.
	settleTime  = 50 * time.Second
	transfers   = 10
	largeBlock  = 1000
	largeRounds = 5
)

// Measure lets a server follow blocks of ten transfers: idle, at twenty events a second, and from one sender that waits
// for each answer only. It compares the processor time with that of folding the same events in bulk.
func (b *Bench) Measure(ctx context.Context) error {
	bulk, err := b.bulk(ctx)
	if err != nil {
		return err
	}
	w, err := b.open(ctx, "tip", transfers)
	if err != nil {
		return err
	}
	defer w.close()
	if _, err := w.follow(ctx, warmEvents, 0); err != nil {
		return err
	}
	if err := b.idle(ctx, w); err != nil {
		return err
	}
	for _, c := range []struct {
		what         string
		events, rate int
		target       string
	}{
		{fmt.Sprintf("at %d events/s", perSecond), slowEvents, perSecond, "≤ 3 transactions, ≤ 5 ms"},
		{"at full speed", fastEvents, 0, "≥ 400 events/s, ≤ 3 ms"},
	} {
		cost, err := w.follow(ctx, c.events, c.rate)
		if err != nil {
			return err
		}
		b.Row("follow "+c.what, fmt.Sprintf("%.1f transactions, %s CPU an event, %.0f events/s", cost.transactions, cost.cpu(), cost.rate),
			bulk.cpu()+" CPU in bulk", fmt.Sprintf("%.1f×", cost.total()/bulk.total()), c.target)
	}
	if err := b.large(ctx); err != nil {
		return err
	}
	return b.recordings(ctx)
}

// idle measures what a server does when nothing comes.
func (b *Bench) idle(ctx context.Context, w *world) error {
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
	b.Row("idle", fmt.Sprintf("%.1f transactions/s, %.2f %% of a core, %d connections", float64(after.transactions-before.transactions)/idleTime.Seconds(), cpu*100, connections),
		"", "", "≤ 5/s, < 0.5 %, ≤ 15")
	return nil
}

// large measures the time from the acknowledgement of a large block until all projections have folded it.
func (b *Bench) large(ctx context.Context) error {
	w, err := b.open(ctx, "tip_large", largeBlock)
	if err != nil {
		return err
	}
	defer w.close()
	if _, err := w.follow(ctx, 3, 0); err != nil {
		return err
	}
	shortest := time.Hour
	for range largeRounds {
		if err := w.post(ctx, 1, 0); err != nil {
			return err
		}
		began := time.Now()
		if err := w.wait(ctx); err != nil {
			return err
		}
		shortest = min(shortest, time.Since(began))
	}
	b.Row(fmt.Sprintf("a block of %d, acknowledged → folded by all, best of %d", largeBlock, largeRounds), fmt.Sprintf("%d ms", shortest.Milliseconds()), "", "", "≤ 50 ms")
	return nil
}

// bulk folds events that are there when the server starts.
func (b *Bench) bulk(ctx context.Context) (c cost, err error) {
	w, err := b.open(ctx, "tip_bulk", transfers, "--roles", "observer")
	if err != nil {
		return c, err
	}
	if err := w.post(ctx, fastEvents, 0); err != nil {
		w.close()
		return c, err
	}
	w.server.Stop()
	if w.server, err = b.Serve(ctx, w.url); err != nil {
		w.pool.Close()
		return c, err
	}
	defer w.close()
	before, err := w.sample(ctx)
	if err != nil {
		return c, err
	}
	if err := w.wait(ctx); err != nil {
		return c, err
	}
	after, err := w.sample(ctx)
	return costOf(before, after, fastEvents), err
}

// world is a server that receives a made-up chain.
type world struct {
	url        string
	pool       *pgxpool.Pool
	server     *bench.Server
	chain      *synthchain.Chain
	postmaster int
}

func (b *Bench) open(ctx context.Context, database string, transfers int, more ...string) (w *world, err error) {
	w = &world{chain: synthchain.New(synthchain.Config{
		Seed: 5, TxPerBlock: synthchain.Range{Min: transfers, Max: transfers}, SigningSample: 100, ForgetHistory: true, Accounts: max(64, transfers),
	})}
	if w.url, w.pool, err = b.Database(ctx, database); err != nil {
		return nil, err
	}
	var backend int
	if err = w.pool.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err == nil {
		w.postmaster, err = parentOf(backend)
	}
	if err == nil {
		w.server, err = b.Serve(ctx, w.url, more...)
	}
	if err != nil {
		w.pool.Close()
		return nil, err
	}
	return w, nil
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

// wait waits until all projections have folded everything.
func (w *world) wait(ctx context.Context) error {
	return version.WaitUntilCaughtUp(ctx, w.pool, func([]version.Status) {}, time.Hour)
}

// follow posts events and measures until they are folded.
func (w *world) follow(ctx context.Context, events, rate int) (c cost, err error) {
	before, err := w.sample(ctx)
	if err != nil {
		return c, err
	}
	if err := w.post(ctx, events, rate); err != nil {
		return c, err
	}
	if err := w.wait(ctx); err != nil {
		return c, err
	}
	took := time.Since(before.at)
	time.Sleep(1500 * time.Millisecond) // Postgres counts transactions a second later
	after, err := w.sample(ctx)
	c = costOf(before, after, events)
	c.rate = float64(events) / took.Seconds()
	return c, err
}

// sample is what was spent until a moment.
type sample struct {
	at               time.Time
	transactions     int64
	strata, postgres time.Duration
}

func (w *world) sample(ctx context.Context) (s sample, err error) {
	s.at = time.Now()
	if s.strata, err = bench.ProcessorTime(w.server.Pid()); err != nil {
		return s, err
	}
	if s.postgres, err = bench.ProcessorTime(w.postmaster); err != nil {
		return s, err
	}
	err = w.pool.QueryRow(ctx, `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()`).Scan(&s.transactions)
	return s, err
}

// cost is what an event costs.
type cost struct {
	transactions, strata, postgres float64 // times in milliseconds
	rate                           float64 // events per second
}

func costOf(before, after sample, events int) cost {
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(events) }
	return cost{
		transactions: float64(after.transactions-before.transactions) / float64(events),
		strata:       each(after.strata - before.strata), postgres: each(after.postgres - before.postgres),
	}
}

func (c cost) total() float64 { return c.strata + c.postgres }

func (c cost) cpu() string { return fmt.Sprintf("%.1f + %.1f ms", c.strata, c.postgres) }

// parentOf returns the process that started a process.
func parentOf(pid int) (parent int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("find the process that started a backend: %w", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var state string
	if _, err := fmt.Sscan(rest, &state, &parent); err != nil {
		return 0, fmt.Errorf("find the process that started a backend: %w", err)
	}
	return parent, nil
}
