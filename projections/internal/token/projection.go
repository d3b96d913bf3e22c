package token

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/token"
	"strata/projections"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Spec describes the tables for a kind of token.
func Spec(kind token.Kind, version int) projections.Spec {
	spec := projections.Spec{Schema: projections.Schema{Name: string(kind), Version: version}, Tables: tables, Records: []projections.RecordKind{projections.Fetched}}
	spec.API = strings.ReplaceAll(views, "{kind}", string(kind))
	for _, table := range []string{"contract", "token", "document", "image", "reference", "want", "notification"} {
		spec.Views = append(spec.Views, string(kind)+"_"+table+":"+table)
	}
	return spec
}

// Projection folds the blocks and records that concern tokens of one kind. It is not safe for concurrent use; one
// follower owns it.
type Projection struct {
	kind   token.Kind
	spec   projections.Spec
	logger *slog.Logger
	// tip is the newest block that the rows reflect. It is valid only if the next fold continues at position.
	tip      *block
	position int64
}

// New returns the projection for a kind of token.
func New(kind token.Kind, version int, logger *slog.Logger) *Projection {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Projection{kind: kind, spec: Spec(kind, version), logger: logger, position: -1}
}

// Spec implements projections.Projection.
func (p *Projection) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Projection) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return New(p.kind, spec.Version, p.logger)
}

// Readable implements projections.Readable. Until the new version is active, tokens lack all properties if their node failed to
// ask one of them and, of rules 1, if their contract failed to state one.
func (p *Projection) Readable() []int { return []int{1, 3} }

// Forget implements projections.Projection.
func (p *Projection) Forget() { p.tip, p.position = nil, -1 }

// block is the newest canonical block.
type block struct {
	projections.Tip
	time time.Time
}

// batch is the state of one Fold.
type batch struct {
	*Projection
	ctx     context.Context // a batch lives no longer than its Fold
	tx      pgx.Tx
	touched *projections.Touched
}

func (b *batch) sql(query string) string { return b.spec.SQL(query) }

// Fold implements projections.Projection.
func (p *Projection) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{Projection: p, ctx: ctx, tx: tx}
	if len(steps) == 1 {
		b.touched = projections.NewTouched() // a batch of many steps changes too much to name it
	}
	if p.position != after {
		if err := b.readTip(); err != nil {
			return projections.Outcome{}, err
		}
	}
	last := steps[len(steps)-1].Number
	// Records for other projections would only split the runs.
	steps = slices.DeleteFunc(slices.Clone(steps), func(step projections.Step) bool {
		return step.Kind == projections.TakeRecord && step.Record == nil
	})
	for first := 0; first < len(steps); {
		step := steps[first]
		var err error
		switch step.Kind {
		case projections.Apply: // a run of blocks is read and written as one
			run := first + 1
			for run < len(steps) && steps[run].Kind == projections.Apply {
				run++
			}
			err = b.apply(steps[first:run])
			first = run
		case projections.Revert:
			err = b.revert(step)
			first++
		default: // and so is a run of records, as far as these are independent of each other
			run := first + 1
			for run < len(steps) && steps[run].Kind == projections.TakeRecord {
				run++
			}
			err = b.records(steps[first:run])
			first = run
		}
		if err != nil {
			return projections.Outcome{}, fmt.Errorf("%s %s at height %d: %w", step.Kind, step.IndexBlockHash, step.Height, err)
		}
	}
	p.position = last
	if p.tip == nil {
		return projections.Outcome{Touched: b.touched}, nil
	}
	tip := p.tip.Tip
	return projections.Outcome{Tip: &tip, Touched: b.touched}, nil
}

// readTip reads the newest block that the rows reflect.
func (b *batch) readTip() error {
	var seconds int64
	t, err := b.spec.ReadTipWith(b.ctx, b.tx, ", time", &seconds)
	b.tip = nil
	if t != nil {
		b.tip = &block{Tip: *t, time: time.Unix(seconds, 0)}
	}
	return err
}
