// Package inscriptions keeps what is inscribed on which satoshi, and where these satoshis are and were.
//
// # Rules
//
// Everything follows from the locations of sats. A reveal and a transfer each take a sat to a location; (height, tx_index)
// orders the locations of a sat, and the greatest is the current one. What is on the sat is where the sat is: the owner of
// an inscription is the address of its sat's current location, and a reveal on a sat moves what was revealed on it before.
// Of two operations with the same key on one sat the first counts.
//
// # Order
//
// Blocks come in any order: one that the feed had lost comes after higher ones, and one below others can be taken back.
// The rows are always those of the applied blocks in the order of their heights. Only two things of a sat hang on its other
// blocks: its current location, with the owner of what is on it, and how many inscriptions each later location moved. Where
// a block brings the newest locations of its sats, as nearly all do, both follow from one row a sat. Otherwise the numbers
// of the later locations are counted again: see recount.
//
// A feed that reveals an id twice is at fault: what came first stays, the other is put in quarantine, and its location
// counts.
//
// # Cost
//
// A run of blocks is one wave, however many: what it needs is read at once, and rows are written by COPY. A sat with many
// inscriptions that gets one more, or moves to the same owner, costs what any other does, because what it moves is a number.
// Only another owner changes as many rows as there are inscriptions on it, small ones.
package inscriptions

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/projections"
	"strata/projections/internal/ranked"
)

//go:embed tables.sql
var tables string

// Name of the projection.
const Name = "inscriptions"

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: owners are in a table of their own.
const Version = 2

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		Views: []string{
			"inscription", "inscription_owner:owner", "satoshi", "satoshi_location:location", "inscription_block:block", "inscription_list:list",
			"inscription_part:part", "missing_inscription:missing",
		},
	}
}

// Inscriptions is the projection. It is not safe for concurrent use; one follower owns it.
type Inscriptions struct {
	spec    projections.Spec
	lists   *ranked.Lists
	logger  *slog.Logger
	metrics *metrics
}

// New makes the projection.
func New(logger *slog.Logger) *Inscriptions {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	spec := Spec()
	return &Inscriptions{spec: spec, lists: ranked.New(spec, source), logger: logger, metrics: newMetrics(prometheus.NewRegistry())}
}

// Instrument registers the projection's metrics. Call it before the projection runs.
func (p *Inscriptions) Instrument(registry prometheus.Registerer) { p.metrics = newMetrics(registry) }

// Spec implements projections.Projection.
func (p *Inscriptions) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Inscriptions) WithSpec(spec projections.Spec) projections.Projection[projections.FeedStep] {
	return &Inscriptions{spec: spec, lists: ranked.New(spec, source), logger: p.logger, metrics: p.metrics}
}

// Forget implements projections.Projection. There is nothing to forget: each wave reads what it needs.
func (p *Inscriptions) Forget() {}

// Fold implements projections.Projection.
func (p *Inscriptions) Fold(ctx context.Context, tx pgx.Tx, _ int64, steps []projections.FeedStep) (projections.Outcome, error) {
	b := &batch{projection: p, ctx: ctx, tx: tx}
	// A plan for any arguments, made while the tables were small, would be kept when they no longer are.
	if _, err := tx.Exec(ctx, `SET LOCAL plan_cache_mode = force_custom_plan`); err != nil {
		return projections.Outcome{}, fmt.Errorf("set how statements are planned: %w", err)
	}
	for len(steps) > 0 {
		run := 1
		for run < len(steps) && steps[run].Kind == steps[0].Kind {
			run++
		}
		if err := b.wave(steps[:run]); err != nil {
			return projections.Outcome{}, fmt.Errorf("%s blocks, the first at height %d, the last at height %d: %w",
				steps[0].Kind, steps[0].Height, steps[run-1].Height, err)
		}
		steps = steps[run:]
	}
	return b.outcome()
}

// batch is one Fold: the steps of one transaction.
type batch struct {
	projection *Inscriptions
	ctx        context.Context
	tx         pgx.Tx
	repeats    int // reveals of what was revealed before
}

func (b *batch) sql(query string) string { return b.projection.spec.SQL(query) }

// wave folds steps of one kind. No two are of one height: one would have to be taken back before the other is applied.
func (b *batch) wave(steps []projections.FeedStep) error {
	if steps[0].Kind == projections.Revert {
		return b.revert(steps)
	}
	return b.apply(steps)
}

// outcome is the state after the last step.
func (b *batch) outcome() (projections.Outcome, error) {
	var tip projections.Tip
	found, total, missing := false, int64(0), int64(0)
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`SELECT height, block_hash FROM {schema}.block ORDER BY height DESC LIMIT 1`)).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&tip.Height, &tip.BlockHash}, func() error {
			found = true
			return nil
		})
		return err
	})
	queries.Queue(b.sql(`SELECT coalesce((SELECT n FROM {schema}.list WHERE name = $1), 0), n FROM {schema}.missing`), listAll).QueryRow(func(row pgx.Row) error {
		return row.Scan(&total, &missing)
	})
	if err := b.tx.SendBatch(b.ctx, queries).Close(); err != nil {
		return projections.Outcome{}, fmt.Errorf("read the tip: %w", err)
	}
	outcome := projections.Outcome{Observe: func() {
		metrics := b.projection.metrics
		metrics.inscriptions.Set(float64(total))
		metrics.missing.Set(float64(missing))
		metrics.repeated.Add(float64(b.repeats))
	}}
	if !found {
		return outcome, nil
	}
	tip.IndexBlockHash, tip.BurnBlockHeight = tip.BlockHash, tip.Height
	outcome.Tip = &tip
	return outcome, nil
}
