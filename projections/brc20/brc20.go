// Package brc20 keeps the BRC-20 tokens of the ordinals feed: their operations, and the balances of their holders.
//
// The feed's indexer has checked the operations, so the fold adds them up without checking them again. Every change of
// a balance is an entry of a ledger, which holds the balance after it too. So the balance at the tip and that at any
// earlier block are both single reads of the ledger.
//
// # Order
//
// Blocks can arrive late and be reverted in any order. The rows are always those of the applied blocks in the order of
// their heights, whatever the order of the steps. So a fold looks only at the outcome for each height, not at the steps
// in between. It deletes the rows of some heights, inserts those of others, and updates what depends on the operations
// that changed: the running balances of an account from its first changed entry on, the link between a transfer and its
// send, and the counts of a token. Blocks above all others, which are what a feed at the tip sends, only add rows.
//
// While a block is missing there can be operations of tokens without a deploy, sends without a transfer, and balances
// below zero, which table below_zero lists. All of them count. They become right when the missing block arrives.
package brc20

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"strata/projections"
	"strata/projections/internal/ranked"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name of the projection.
const Name = "brc20"

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: the first deploy of a ticker counts, not the last.
//   - 3: operations that can't be read are left out, not their payloads; an unbound inscription is on no satoshi.
const Version = 3

// BRC20 is the projection. It keeps no state in memory.
type BRC20 struct {
	spec     projections.Spec
	lists    *ranked.Lists
	logger   *slog.Logger
	negative prometheus.Counter
}

var _ projections.Projection[projections.FeedStep] = (*BRC20)(nil)

// New returns the projection.
func New(logger *slog.Logger) *BRC20 {
	p := newVersion(Version)
	if logger != nil {
		p.logger = logger
	}
	return p
}

func newVersion(version int) *BRC20 {
	spec := specOf(version)
	p := &BRC20{spec: spec, lists: ranked.New(spec, listSource(spec)), logger: slog.New(slog.DiscardHandler)}
	p.Instrument(prometheus.NewRegistry())
	return p
}

// Instrument registers the projection's metrics. Call it before the projection runs.
func (p *BRC20) Instrument(registry prometheus.Registerer) {
	p.negative = promauto.With(registry).NewCounter(prometheus.CounterOpts{
		Namespace: "strata", Subsystem: "brc20", Name: "negative_total",
		Help: "BRC-20 balances that became negative, which no token allows. List those that still are at /audit/v1/feed-anomalies.",
	})
}

// Spec describes the projection's tables.
func Spec() projections.Spec { return specOf(Version) }

func specOf(version int) projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		API:   views,
		Views: []string{"brc20_token:token", "brc20_operation:operation", "brc20_entry:entry", "brc20_balance:balance"},
	}
}

// Spec implements projections.Projection.
func (p *BRC20) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *BRC20) WithSpec(spec projections.Spec) projections.Projection[projections.FeedStep] {
	other := newVersion(spec.Version)
	other.logger, other.negative = p.logger, p.negative
	return other
}

// Readable implements projections.Readable. Tickers that were deployed twice have their last deploy until the new version is active.
func (p *BRC20) Readable() []int { return []int{1} }

// Forget implements projections.Projection.
func (p *BRC20) Forget() {}

// Fold implements projections.Projection.
func (p *BRC20) Fold(ctx context.Context, tx pgx.Tx, _ int64, steps []projections.FeedStep) (projections.Outcome, error) {
	var negative []account
	for len(steps) > 0 {
		var w wave
		w, steps = nextWave(steps)
		c := &change{spec: p.spec, tx: tx, wave: w, lists: p.lists.Changes()}
		if err := c.fold(ctx); err != nil {
			return projections.Outcome{}, fmt.Errorf("revert %d blocks and apply %d: %w", len(w.gone), len(w.blocks), err)
		}
		negative = append(negative, c.ledger.negative...)
	}
	// The feed knows one hash of a block.
	tip, err := projections.ReadTip(ctx, tx, p.spec.SQL(`
		SELECT height, block_hash, block_hash, height FROM {schema}.block ORDER BY height DESC LIMIT 1`))
	return projections.Outcome{Tip: tip, Observe: func() { p.observe(ctx, negative) }}, err
}

// observe counts and logs the balances that have come below zero.
func (p *BRC20) observe(ctx context.Context, negative []account) {
	p.negative.Add(float64(len(negative)))
	if len(negative) == 0 {
		return
	}
	p.logger.LogAttrs(ctx, slog.LevelWarn, "BRC-20 balances became negative; the feed lacks operations", slog.Int("balances", len(negative)),
		slog.String("first_ticker", negative[0].ticker), slog.String("first_address", negative[0].address))
}
