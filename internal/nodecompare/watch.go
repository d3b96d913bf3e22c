package nodecompare

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	// tipInterval is how often a Watch looks whether there is another tip.
	tipInterval = time.Second
	// AccountsMax is the maximum number of accounts that a Watch compares at a tip. It also bounds how many of those that
	// differ are compared again.
	AccountsMax = 1000
)

// WatchConfig configures a Watch.
type WatchConfig struct {
	Pool *pgxpool.Pool
	// URL is the node's RPC address, which must be valid.
	URL string
	// Accounts is the number of accounts to compare at each tip, AccountsMax at most.
	Accounts int
	// Rate is the maximum number of requests to the node per second.
	Rate   float64
	Logger *slog.Logger
	// Registry for metrics; nil for none.
	Registry prometheus.Registerer
}

// Watch compares accounts with a node again and again: at each tip a random sample, and those that differed before.
type Watch struct {
	WatchConfig
	limiter *rate.Limiter
	node    *client

	compared, found, failures prometheus.Counter
	differing, height         prometheus.Gauge

	mu        sync.Mutex
	differ    map[string][]Difference // by account, as of the last comparison
	checkedAt int64                   // height of the last tip at which all accounts were compared
	problem   string                  // why the last comparison was not possible; empty if it was
}

// NewWatch prepares a Watch. Call Run.
func NewWatch(config WatchConfig) *Watch {
	w := &Watch{WatchConfig: config, limiter: rate.NewLimiter(rate.Limit(config.Rate), 1), node: newClient(config.URL), differ: map[string][]Difference{}}
	counter := func(name, help string) prometheus.Counter {
		return instrument.Registered(config.Registry, prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help}))
	}
	gauge := func(name, help string) prometheus.Gauge {
		return instrument.Registered(config.Registry, prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help}))
	}
	w.compared = counter("strata_compare_accounts_total", "Accounts that were compared with a node.")
	w.found = counter("strata_compare_differences_total", "Differences between accounts of the read tables and of a node, each time that one was found.")
	w.failures = counter("strata_compare_failures_total", "Tips at which accounts could not be compared, such as because the node did not answer.")
	w.differing = gauge("strata_compare_differing_accounts", "Accounts that differed from the node when they were last compared.")
	w.height = gauge("strata_compare_height", "Height of the last block at which accounts were compared.")
	return w
}

// Verdict is what a Watch has found.
type Verdict struct {
	OK bool
	// Accounts is the number of accounts that differed when they were last compared.
	Accounts int
	// Height is that of the last block at which accounts were compared; 0: none yet.
	Height int64
	// Message names a difference, or says why nothing was compared; empty if there is nothing to say.
	Message string
}

// Verdict returns what was found last. It is OK if no account differs; also as long as nothing could be compared.
func (w *Watch) Verdict() Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := Verdict{OK: len(w.differ) == 0, Accounts: len(w.differ), Height: w.checkedAt}
	if w.problem != "" {
		v.Message = "The last comparison was not possible: " + w.problem
	}
	for _, name := range slices.Sorted(maps.Keys(w.differ)) {
		v.Message = w.differ[name][0].String()
		break
	}
	return v
}

// Run compares until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	defer w.node.close()
	var last hash.Hash32
	for ; ctx.Err() == nil; pause.For(ctx, tipInterval) {
		tip, err := w.compareAt(ctx, last)
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		before := w.problem
		w.problem = ""
		if err != nil {
			w.problem = err.Error()
		}
		w.mu.Unlock()
		if err != nil {
			w.failures.Inc()
			if before == "" {
				w.Logger.LogAttrs(ctx, slog.LevelWarn, "accounts can't be compared with the node; trying again at the next tip", slog.String("node", w.node.name), slog.Any("error", err))
			}
		}
		last = tip
	}
}

// errNodeBehind is returned when the node is not yet where the tables are.
var errNodeBehind = errors.New("the node is behind the tables")

// compareAt compares accounts at the tip of the tables, unless that is last, and returns it.
func (w *Watch) compareAt(ctx context.Context, last hash.Hash32) (tip hash.Hash32, err error) {
	c := &comparison{node: w.node}
	var sample []account
	// The snapshot ends before the first request: the node is asked for the block of the snapshot, whenever that is.
	err = pgx.BeginTxFunc(ctx, w.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		tables, err := c.readTip(ctx, tx)
		if err != nil || c.IndexBlockHash == last {
			return err
		}
		sample, err = w.sample(ctx, tx, tables)
		return err
	})
	if err != nil || c.IndexBlockHash == last {
		return last, err
	}
	if err := w.limiter.Wait(ctx); err != nil {
		return last, err
	}
	if c.NodeHeight, err = w.node.tipHeight(ctx); err != nil {
		return c.IndexBlockHash, err
	}
	if c.NodeHeight < c.BlockHeight { // it will come: ask again, also at this tip
		return last, fmt.Errorf("%w: at block %d, and they are at block %d", errNodeBehind, c.NodeHeight, c.BlockHeight)
	}
	for _, a := range sample {
		if err := w.limiter.Wait(ctx); err != nil {
			return last, err
		}
		answer, err := w.node.account(ctx, a.name, c.IndexBlockHash)
		if err != nil {
			return c.IndexBlockHash, err
		}
		w.compared.Inc()
		w.note(ctx, a.name, c.differences(a, answer))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checkedAt = c.BlockHeight
	w.height.Set(float64(c.BlockHeight))
	return c.IndexBlockHash, nil
}

// note remembers what differs of an account, or that nothing does any more.
func (w *Watch) note(ctx context.Context, name string, differences []Difference) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.differ[name]
	switch {
	case len(differences) == 0:
		delete(w.differ, name)
	case known || len(w.differ) < AccountsMax:
		w.differ[name] = differences
	}
	w.differing.Set(float64(len(w.differ)))
	w.found.Add(float64(len(differences)))
	for _, d := range differences {
		level := slog.LevelError
		if known {
			level = slog.LevelDebug // it was said before
		}
		w.Logger.LogAttrs(ctx, level, "an account differs from the node", slog.String("difference", d.String()))
	}
}

// pagesPerAccount is how many random pages are read for each account that is wanted: how many a sample has varies, and few
// could be none.
const pagesPerAccount = 8

// sample reads the accounts that differed before, and random ones: any of those on random pages of the table. That is a few
// reads, however many accounts there are; sorting all of them at every block would take seconds.
func (w *Watch) sample(ctx context.Context, tx pgx.Tx, tables string) ([]account, error) {
	w.mu.Lock()
	names := slices.Collect(maps.Keys(w.differ))
	w.mu.Unlock()
	in := func(sql string) string { return strings.ReplaceAll(sql, "{schema}", tables) }
	wanted := min(w.Accounts, AccountsMax)
	var percent float64
	err := tx.QueryRow(ctx, in(`
		SELECT least(100, 100.0 * $1::int / greatest(1, pg_relation_size('{schema}.holding') / current_setting('block_size')::int))::float8`), wanted*pagesPerAccount).Scan(&percent)
	if err != nil {
		return nil, fmt.Errorf("read how many accounts there are: %w", err)
	}
	rows, err := tx.Query(ctx, in(`
		SELECT account FROM {schema}.holding TABLESAMPLE SYSTEM ($1::float4) WHERE asset = 'stx' ORDER BY random() LIMIT $2`), percent, wanted)
	if err != nil {
		return nil, fmt.Errorf("choose accounts: %w", err)
	}
	chosen, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("choose accounts: %w", err)
	}
	names = append(names, chosen...)
	slices.Sort(names)
	rows, err = tx.Query(ctx, in(selectAccounts(`(SELECT unnest($1::text[]) AS account)`)), slices.Compact(names))
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	return all, nil
}
