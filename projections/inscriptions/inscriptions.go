// Package inscriptions keeps the inscriptions of satoshis, and the current and past locations of these satoshis.
//
// # Rules
//
// Everything follows from the locations of sats. Each reveal and each transfer takes a sat to a location. The locations
// of a sat are in the order of (height, tx_index), and the last one is the current one. Inscriptions are where their
// sat is: the owner of an inscription is the address of its sat's current location, and a reveal on a sat moves the
// inscriptions that are on it already. An unbound inscription is on no sat: it has a place of its own, and never moves. Of two
// operations with the same key on one sat the first counts.
//
// # Order
//
// Blocks arrive in any order: a block that the feed had lost comes after higher ones, and a block below others can be
// reverted. The rows are always those of the applied blocks in the order of their heights. Only two facts about a sat
// depend on several blocks: its current location, with the owner of its inscriptions, and the number of inscriptions
// that each of its later locations moved. If a block brings the newest locations of its sats, as nearly all blocks do,
// both follow from one row for each sat. Otherwise the numbers of the later locations are counted again: see recount.
//
// A feed that reveals an id twice is at fault. The reveal that came first stays; the other one is quarantined, but its
// location counts.
//
// # Cost
//
// A run of blocks of any length is one wave: its data is read at once, and its rows are written by COPY. A sat with
// many inscriptions that gets one more, or moves to the same owner, costs no more than any other sat, because a
// location stores only the number of inscriptions that it moved. Only a change of the owner writes a row, a small one,
// for each inscription on the sat.
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

//go:embed views.sql
var views string

// Name of the projection.
const Name = "inscriptions"

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: owners are in a table of their own.
//   - 3: unbound inscriptions are on no sat; operations that can't be read are left out, not their payloads.
const Version = 3

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		API: views,
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

// New returns the projection.
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

// Readable implements projections.Readable. Unbound inscriptions are on satoshi 0 until the new version is active.
func (p *Inscriptions) Readable() []int { return []int{2} }

// Forget implements projections.Projection. It does nothing, because each wave reads what it needs.
func (p *Inscriptions) Forget() {}

// Fold implements projections.Projection.
func (p *Inscriptions) Fold(ctx context.Context, tx pgx.Tx, _ int64, steps []projections.FeedStep) (projections.Outcome, error) {
	b := &batch{projection: p, ctx: ctx, tx: tx}
	// Otherwise Postgres would keep a generic plan from the time when the tables were small.
	if _, err := tx.Exec(ctx, `SET LOCAL plan_cache_mode = force_custom_plan`); err != nil {
		return projections.Outcome{}, fmt.Errorf("set plan_cache_mode: %w", err)
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

// batch is the state of one Fold, which folds its steps in one transaction.
type batch struct {
	projection *Inscriptions
	ctx        context.Context
	tx         pgx.Tx
	repeats    int // reveals of ids that were revealed before
}

func (b *batch) sql(query string) string { return b.projection.spec.SQL(query) }

// wave folds steps of one kind. No two of them are of the same height, because a block must be reverted before another
// is applied at its height.
func (b *batch) wave(steps []projections.FeedStep) error {
	if steps[0].Kind == projections.Revert {
		return b.revert(steps)
	}
	return b.apply(steps)
}

// outcome reads the state after the last step.
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
