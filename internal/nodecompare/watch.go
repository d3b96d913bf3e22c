package nodecompare

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"strata/domain/hash"
	"strata/internal/instrument"
	"strata/internal/pause"
)

const (
	// tipInterval is how often a Watch looks whether there is another tip: seldom, because every server with a node does.
	tipInterval = 2 * time.Second
	// AccountsMax is the maximum number of random accounts that a Watch compares at a tip. It also bounds how many accounts that
	// differ are known: more of them say nothing new.
	AccountsMax = 1000
	// roundTouched and roundKnown are how many accounts that blocks touched, and that differed before, a round compares. At ten
	// requests a second, a round takes some 15 seconds. The next one compares what the tables say then, and what this one left.
	roundTouched, roundKnown = 100, 50
	// holdTime is how long a process that has begun a round keeps others from comparing the same accounts. After it, another one
	// takes its place.
	holdTime = time.Minute
	// behindMax is how many times in a row the node may be behind the tables before that is said, a minute: it posts a block
	// before it answers for it.
	behindMax = 30
)

// WatchConfig configures a Watch.
type WatchConfig struct {
	Pool *pgxpool.Pool
	// URL is the node's RPC address, which must be valid.
	URL string
	// Accounts is the number of random accounts to compare at each tip, AccountsMax at most.
	Accounts int
	// Rate is the maximum number of requests to the node per second.
	Rate   float64
	Logger *slog.Logger
	// Registry for metrics; nil for none.
	Registry prometheus.Registerer
}

// Watch compares accounts with a node again and again: at each tip those that blocks have touched since the last one, those that
// differed before, and a random sample. What differs is in the database. Of several processes with a Watch for the same database,
// one compares at a time.
type Watch struct {
	WatchConfig
	limiter *rate.Limiter
	node    *client
	name    string // of this Watch, among those of the same database

	compared, found, failures   prometheus.Counter
	differing, accepted, height prometheus.Gauge

	// These are Run's.
	at     hash.Hash32 // the tip at which the last round was; zero: none
	queue  []string    // accounts that blocks touched, to be compared
	recent []touched   // what was queued, oldest first; the last one is that of the queue

	mu      sync.Mutex
	problem string // why the last round was not possible; empty if it was
}

// NewWatch prepares a Watch. Call Run.
func NewWatch(config WatchConfig) *Watch {
	w := &Watch{WatchConfig: config, limiter: rate.NewLimiter(rate.Limit(config.Rate), 1), node: newClient(config.URL), name: rand.Text()}
	counter := func(name, help string) prometheus.Counter {
		return instrument.Registered(config.Registry, prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help}))
	}
	gauge := func(name, help string) prometheus.Gauge {
		return instrument.Registered(config.Registry, prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help}))
	}
	w.compared = counter("strata_compare_accounts_total", "Accounts that were compared with a node.")
	w.found = counter("strata_compare_differences_total", "Differences between accounts of the read tables and of a node, each time that one was found.")
	w.failures = counter("strata_compare_failures_total", "Tips at which accounts could not be compared, such as because the node did not answer.")
	w.differing = gauge("strata_compare_differing_accounts", "Accounts that differed from the node when they were last compared, and that nobody has accepted.")
	w.accepted = gauge("strata_compare_accepted_accounts", "Accounts that differed from the node when they were last compared, as was accepted.")
	w.height = gauge("strata_compare_height", "Height of the last block up to which all accounts that blocks touched were compared.")
	return w
}

// Problem returns why the last round was not possible; empty if it was.
func (w *Watch) Problem() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.problem
}

// Run compares until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	defer w.node.close()
	defer w.release(context.WithoutCancel(ctx))
	_ = w.measure(ctx) // a process that has just begun knows, too
	failed := 0        // rounds in a row
	for ; ctx.Err() == nil; pause.For(ctx, tipInterval) {
		tip, err := w.tip(ctx)
		if err == nil && tip == w.at {
			continue
		}
		for more := err == nil; more; {
			more, err = w.round(ctx)
		}
		if err == nil {
			err = w.measure(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		w.problem = ""
		if err != nil {
			w.problem = err.Error()
		}
		w.mu.Unlock()
		if err == nil {
			failed = 0
			continue
		}
		failed++
		w.failures.Inc()
		behind := errors.Is(err, errNodeBehind)
		if failed == 1 && !behind || failed == behindMax {
			w.Logger.LogAttrs(ctx, slog.LevelWarn, "accounts can't be compared with the node; trying again at the next tip", slog.String("node", w.node.name), slog.Any("error", err))
		}
		if !behind || failed >= behindMax {
			w.release(ctx) // another process may have a better node
		}
	}
}

// tip returns the block at which the tables are; zero if they are at none.
func (w *Watch) tip(ctx context.Context) (tip hash.Hash32, err error) {
	var block []byte
	err = w.Pool.QueryRow(ctx, `
		SELECT (SELECT index_block_hash FROM strata.active JOIN strata.projection USING (name, version) WHERE name = 'balances')`).Scan(&block)
	copy(tip[:], block)
	if err != nil {
		err = fmt.Errorf("read the tip of the balances: %w", err)
	}
	return tip, err
}

// hold makes this process the one that compares, unless another one is. It returns the block up to which accounts were compared.
func (w *Watch) hold(ctx context.Context) (done touched, ours bool, err error) {
	var height *int64
	var block []byte
	err = w.Pool.QueryRow(ctx, `
		INSERT INTO log.comparison AS c (holder, held_until) VALUES ($1, now() + $2)
		ON CONFLICT (singleton) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
		WHERE c.holder = excluded.holder OR c.held_until < now()
		RETURNING height, index_block_hash`, w.name, holdTime).Scan(&height, &block)
	if errors.Is(err, pgx.ErrNoRows) {
		return touched{}, false, nil
	}
	if err != nil {
		return touched{}, false, fmt.Errorf("take the comparison with the node: %w", err)
	}
	if height != nil {
		done.height = *height
		copy(done.hash[:], block)
	}
	return done, true, nil
}

// release lets another process compare. Without it, others wait for holdTime.
func (w *Watch) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tipInterval)
	defer cancel()
	_, _ = w.Pool.Exec(ctx, `UPDATE log.comparison SET held_until = '-infinity' WHERE holder = $1`, w.name)
}

// errNodeBehind is returned when the node is not yet where the tables are.
var errNodeBehind = errors.New("the node is behind the tables")

// round compares accounts at the tip of the tables. It reports whether some that blocks touched are left for another round.
func (w *Watch) round(ctx context.Context) (more bool, err error) {
	done, ours, err := w.hold(ctx)
	if err != nil {
		return false, err
	}
	c := &comparison{node: w.node}
	var accounts []account
	var known []string
	batch := 0
	// The snapshot ends before the first request: the node is asked for the block of the snapshot, whenever that is.
	err = pgx.BeginTxFunc(ctx, w.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		tables, err := c.readTip(ctx, tx)
		if err != nil || !ours {
			return err
		}
		if known, err = texts(ctx, tx, `SELECT account FROM log.difference GROUP BY account ORDER BY min(height), account`); err != nil {
			return fmt.Errorf("read which accounts differ: %w", err)
		}
		var names []string
		if c.IndexBlockHash != w.at {
			if names, err = w.sample(ctx, tx, tables); err != nil {
				return err
			}
			names = append(names, known[:min(len(known), roundKnown)]...)
		}
		if len(w.queue) == 0 && w.queued() != c.IndexBlockHash {
			if err := w.refill(ctx, tx, tables, touched{height: c.BlockHeight, hash: c.IndexBlockHash}, done); err != nil {
				return err
			}
		}
		batch = min(len(w.queue), roundTouched)
		names = append(names, w.queue[:batch]...)
		slices.Sort(names)
		accounts, err = readAccounts(ctx, tx, tables, slices.Compact(names))
		return err
	})
	if err != nil {
		return false, err
	}
	w.at = c.IndexBlockHash
	if !ours {
		w.queue, w.recent = nil, nil // the other process has them
		return false, nil
	}
	if err := w.compare(ctx, c, accounts, known); err != nil {
		if errors.Is(err, errNodeBehind) {
			w.at = hash.Hash32{} // it will come: ask again, also at this tip
		}
		return false, err
	}
	w.queue = w.queue[batch:]
	if len(w.queue) == 0 && len(w.recent) > 0 {
		last := w.recent[len(w.recent)-1]
		if _, err := w.Pool.Exec(ctx, `UPDATE log.comparison SET height = $1, index_block_hash = $2 WHERE holder = $3`, last.height, last.hash[:], w.name); err != nil {
			return false, fmt.Errorf("note up to which block accounts were compared: %w", err)
		}
	}
	return len(w.queue) > 0 || w.queued() != c.IndexBlockHash, nil
}

// queued returns the block up to which the accounts that blocks touched were queued; zero if none were.
func (w *Watch) queued() (block hash.Hash32) {
	if n := len(w.recent); n > 0 {
		block = w.recent[n-1].hash
	}
	return block
}

// compare compares accounts with the node, and records what differs. known are the accounts that differed before.
func (w *Watch) compare(ctx context.Context, c *comparison, accounts []account, known []string) (err error) {
	if err := w.limiter.Wait(ctx); err != nil {
		return err
	}
	if c.NodeHeight, err = w.node.tipHeight(ctx); err != nil {
		return err
	}
	if c.NodeHeight < c.BlockHeight {
		return fmt.Errorf("%w: at block %d, and they are at block %d", errNodeBehind, c.NodeHeight, c.BlockHeight)
	}
	for _, a := range accounts {
		if err := w.limiter.Wait(ctx); err != nil {
			return err
		}
		answer, err := w.node.account(ctx, a.name, c.IndexBlockHash)
		if err != nil {
			return err
		}
		w.compared.Inc()
		differences := c.differences(a, answer)
		w.found.Add(float64(len(differences)))
		switch {
		case slices.Contains(known, a.name):
		case len(differences) == 0, len(known) >= AccountsMax:
			continue
		default:
			known = append(known, a.name)
		}
		news, err := record(ctx, w.Pool, a.name, c.BlockHeight, differences)
		if err != nil {
			return err
		}
		for _, d := range differences {
			level := slog.LevelDebug // it was said before, or is accepted
			if slices.Contains(news, d.What) {
				level = slog.LevelError
			}
			w.Logger.LogAttrs(ctx, level, "an account differs from the node", slog.String("difference", d.String()))
		}
		if len(differences) == 0 {
			w.Logger.LogAttrs(ctx, slog.LevelInfo, "an account no longer differs from the node", slog.String("account", a.name))
		}
	}
	return nil
}

// measure sets the metrics of what is known.
func (w *Watch) measure(ctx context.Context) error {
	known, err := Read(ctx, w.Pool, 0)
	if err != nil || known == nil {
		return err
	}
	w.differing.Set(float64(known.DifferingAccounts))
	w.accepted.Set(float64(known.AcceptedAccounts))
	w.height.Set(float64(known.BlockHeight))
	return nil
}

// pagesPerAccount is how many random pages are read for each account that is wanted: how many a sample has varies, and few
// could be none.
const pagesPerAccount = 8

// sample returns random accounts: any of those on random pages of the table. That is a few reads, however many accounts there are;
// sorting all of them at every block would take seconds.
func (w *Watch) sample(ctx context.Context, tx pgx.Tx, tables string) ([]string, error) {
	in := func(sql string) string { return strings.ReplaceAll(sql, "{schema}", tables) }
	wanted := min(w.Accounts, AccountsMax)
	if wanted == 0 {
		return nil, nil
	}
	var percent float64
	err := tx.QueryRow(ctx, in(`
		SELECT least(100, 100.0 * $1::int / greatest(1, pg_relation_size('{schema}.holding') / current_setting('block_size')::int))::float8`), wanted*pagesPerAccount).Scan(&percent)
	if err != nil {
		return nil, fmt.Errorf("read how many accounts there are: %w", err)
	}
	names, err := texts(ctx, tx, in(`
		SELECT account FROM {schema}.holding TABLESAMPLE SYSTEM ($1::float4) WHERE asset = 'stx' ORDER BY random() LIMIT $2`), percent, wanted)
	if err != nil {
		return nil, fmt.Errorf("choose accounts: %w", err)
	}
	return names, nil
}

// readAccounts reads accounts, which must be different ones.
func readAccounts(ctx context.Context, tx pgx.Tx, tables string, names []string) ([]account, error) {
	rows, err := tx.Query(ctx, strings.ReplaceAll(selectAccounts(`(SELECT unnest($1::text[]) AS account)`), "{schema}", tables), names)
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	return all, nil
}

// texts returns the rows of a query with one column of text.
func texts(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
