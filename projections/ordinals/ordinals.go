// Package ordinals decides which Bitcoin blocks of the ordinals feed count, and writes the list of steps that inscriptions
// and brc20 fold. A step applies a block or reverts an applied block.
//
// # Rules
//
// A payload first reverts the blocks under rollback and then applies those under apply. Height and hash together identify a
// block, because feeds have reused a hash.
//
//   - A block that is applied already changes nothing: feeds repeat themselves after lost answers, restarts, and scans. If it
//     says something else this time, that is recorded as an anomaly: the feed corrects a block by rolling it back first.
//   - The rollback of a block that is not applied changes nothing, and is recorded as an anomaly.
//   - Another block at the height of an applied block replaces it, as if the feed had rolled that one back first. This is
//     recorded as an anomaly, because a rollback was lost.
//   - Heights have gaps, because feeds do not send blocks without inscriptions. They need not rise, either: a block that the
//     feed had lost comes after higher ones. This package cannot tell whether a block is missing; the numbers of
//     inscriptions can.
//   - What can't be read of a payload is quarantined, part by part. All else counts: the rollbacks, and the blocks without the
//     operations that can't be read.
//
// The projection never refuses a payload, because an indexer gives up a feed after three refusals.
package ordinals

import (
	"context"
	_ "embed"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	domain "strata/domain/ordinals"
	"strata/projections"
)

//go:embed tables.sql
var tables string

// Name of the projection.
const Name = "ordinals"

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: a payload counts without the parts that can't be read, and a repeated block that says something else is an anomaly.
const Version = 2

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: tables,
		Views: []string{"ordinals_block:block", "ordinals_step:step", "ordinals_anomaly:anomaly"},
	}
}

// Ordinals is the projection. It is not safe for concurrent use; one follower owns it.
type Ordinals struct {
	spec    projections.Spec
	logger  *slog.Logger
	metrics *metrics
	state   *state // nil until read from the tables
	written []projections.FeedStep
}

// state is what the projection remembers between folds. It may be dropped at any time and read again.
type state struct {
	position int64 // the last event that it reflects
	step     int64 // the last step written
	tip      *projections.Tip
}

// New returns the projection.
func New(logger *slog.Logger) *Ordinals {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Ordinals{spec: Spec(), logger: logger, metrics: newMetrics(prometheus.NewRegistry())}
}

// Instrument registers the projection's metrics. Call it before the projection runs.
func (p *Ordinals) Instrument(registry prometheus.Registerer) { p.metrics = newMetrics(registry) }

// Spec implements projections.Projection.
func (p *Ordinals) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Ordinals) WithSpec(spec projections.Spec) projections.Projection[projections.LogItem] {
	return &Ordinals{spec: spec, logger: p.logger, metrics: p.metrics}
}

// Readable implements projections.Readable. Payloads that could not be read whole are missing until the new version is active.
func (p *Ordinals) Readable() []int { return []int{1} }

// Forget implements projections.Projection.
func (p *Ordinals) Forget() { p.state = nil }

// Written implements projections.Leading.
func (p *Ordinals) Written() []projections.FeedStep { return p.written }

// Fold implements projections.Projection.
func (p *Ordinals) Fold(ctx context.Context, tx pgx.Tx, after int64, items []projections.LogItem) (projections.Outcome, error) {
	b := &batch{spec: p.spec, tx: tx, logger: p.logger}
	if p.state == nil || p.state.position != after {
		s, err := b.readState(ctx)
		if err != nil {
			return projections.Outcome{}, err
		}
		p.state = s
	}
	b.step = p.state.step
	if err := b.readBlocks(ctx, items); err != nil {
		return projections.Outcome{}, err
	}
	for i := range items {
		if err := b.take(&items[i]); err != nil {
			return projections.Outcome{}, err
		}
	}
	if err := b.write(ctx); err != nil {
		return projections.Outcome{}, err
	}
	p.written = b.steps
	changed := b.step != p.state.step
	if changed {
		tip, err := b.readTip(ctx)
		if err != nil {
			return projections.Outcome{}, err
		}
		p.state.tip, p.state.step = tip, b.step
	}
	p.state.position = items[len(items)-1].Seq
	tip := p.state.tip
	touched := projections.NewTouched()
	if changed || len(b.anomalies) > 0 || len(b.quarantined) > 0 {
		touched = nil
	}
	return projections.Outcome{Tip: tip, Touched: touched, Observe: func() { p.observe(ctx, b, tip) }}, nil
}

// take processes one event of the log.
func (b *batch) take(item *projections.LogItem) error {
	if item.Err != nil {
		b.quarantined = append(b.quarantined, projections.Unreadable(item, item.Err))
		return nil
	}
	if item.Feed == nil {
		return nil
	}
	for _, fault := range item.Feed.Faults {
		q := projections.Unreadable(item, fault)
		q.Subjects = fault.Subjects
		b.quarantined = append(b.quarantined, q)
	}
	for i := range item.Feed.Rollback {
		b.rollBack(item, &item.Feed.Rollback[i])
	}
	for i := range item.Feed.Apply {
		if item.Feed.Apply[i].Lost {
			continue
		}
		if err := b.apply(item, i); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) rollBack(item *projections.LogItem, id *domain.BlockID) {
	applied, ok := b.blocks[int64(id.Height)]
	if !ok || applied.hash != id.Hash {
		b.anomalies = append(b.anomalies, anomaly{item.Seq, *id, unknownRollback})
		return
	}
	b.revert(applied, item.Seq)
}

func (b *batch) apply(item *projections.LogItem, index int) error {
	block := &item.Feed.Apply[index]
	digest, err := block.Digest()
	if err != nil {
		return err
	}
	id := domain.BlockID{Pointer: block.Pointer, Height: block.Height, Hash: block.Hash}
	if applied, ok := b.blocks[int64(block.Height)]; ok {
		if applied.hash == block.Hash {
			b.repeated++
			if applied.digest != digest {
				b.anomalies = append(b.anomalies, anomaly{item.Seq, id, changed})
			}
			return nil
		}
		b.anomalies = append(b.anomalies, anomaly{item.Seq, id, replaced})
		b.revert(applied, item.Seq)
	}
	row := blockRow{height: int64(block.Height), hash: block.Hash, seq: item.Seq, size: item.Size, index: index, digest: digest}
	row.step = b.add(row, item.Seq, projections.Apply)
	b.blocks[row.height] = row
	b.changed[row.height] = true
	return nil
}

// revert reverts an applied block. The event because is the reason.
func (b *batch) revert(row blockRow, because int64) {
	b.add(row, because, projections.Revert)
	delete(b.blocks, row.height)
	b.changed[row.height] = true
}

// Kinds of anomalies.
const (
	unknownRollback = "unknown_rollback"
	replaced        = "replaced"
	changed         = "changed"
)

// observe counts and logs what a committed batch did.
func (p *Ordinals) observe(ctx context.Context, b *batch, tip *projections.Tip) {
	p.metrics.observe(b, tip)
	if len(b.anomalies) == 0 {
		return
	}
	first := b.anomalies[0]
	p.logger.LogAttrs(ctx, slog.LevelWarn, "anomalies in the ordinals feed", slog.Int("anomalies", len(b.anomalies)),
		slog.String("first", first.kind), slog.Int64("seq", first.seq), slog.String("pointer", first.block.Pointer),
		slog.Uint64("height", first.block.Height), slog.Any("block_hash", first.block.Hash))
}
