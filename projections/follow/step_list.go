package follow

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/projections"
	"strata/projections/decode"
)

// stepList says how the list of steps of a leader is read.
type stepList[T projections.Item] struct {
	columns string // of its table
	// scan reads a row with these columns, and more after them.
	scan func(row pgx.Row, more ...any) (T, error)
	// load adds the content of the steps.
	load func(ctx context.Context, steps []T) error
}

// chainSteps are the steps of chain. Of records, load adds those of the kinds that a projection reads.
func chainSteps(decoder *decode.Decoder, records []projections.RecordKind) stepList[projections.Step] {
	return stepList[projections.Step]{
		columns: `step, kind, coalesce(record, 0), height, index_block_hash, block_seq, source_seq`,
		scan: func(row pgx.Row, more ...any) (step projections.Step, err error) {
			return step, row.Scan(append([]any{&step.Number, &step.Kind, &step.RecordKind, &step.Height, &step.IndexBlockHash, &step.BlockSeq, &step.SourceSeq}, more...)...)
		},
		load: func(ctx context.Context, steps []projections.Step) error {
			if len(records) > 0 {
				err := loadContent(ctx, steps, decoder.Records, func(step *projections.Step) (int64, *projections.Record) {
					return step.BlockSeq, fieldIf(slices.Contains(records, step.RecordKind), &step.Record)
				})
				if err != nil {
					return err
				}
			}
			return loadContent(ctx, steps, decoder.Blocks, func(step *projections.Step) (int64, **projections.Block) {
				return step.BlockSeq, fieldIf(step.Kind == projections.Apply, &step.Block)
			})
		},
	}
}

// feedSteps are the steps of ordinals.
func feedSteps(decoder *decode.Decoder, _ []projections.RecordKind) stepList[projections.FeedStep] {
	return stepList[projections.FeedStep]{
		columns: `step, kind, height, block_hash, block_seq, block_index, source_seq`,
		scan: func(row pgx.Row, more ...any) (step projections.FeedStep, err error) {
			return step, row.Scan(append([]any{&step.Number, &step.Kind, &step.Height, &step.BlockHash, &step.BlockSeq, &step.BlockIndex, &step.SourceSeq}, more...)...)
		},
		load: func(ctx context.Context, steps []projections.FeedStep) error {
			var seqs []int64
			for _, step := range steps {
				if step.Kind == projections.Apply {
					seqs = append(seqs, step.BlockSeq)
				}
			}
			payloads, err := decoder.Payloads(ctx, seqs)
			if err != nil {
				return err
			}
			for i := range steps {
				step := &steps[i]
				if step.Kind != projections.Apply {
					continue
				}
				payload := payloads[step.BlockSeq]
				if payload == nil || step.BlockIndex >= len(payload.Apply) {
					return fmt.Errorf("step %d names block %d of event %d of the log, which is not there", step.Number, step.BlockIndex, step.BlockSeq)
				}
				step.Block = &payload.Apply[step.BlockIndex]
			}
			return nil
		},
	}
}

// fieldIf returns the field of a step that has content for it, and nil for other steps.
func fieldIf[T any](has bool, field *T) *T {
	if !has {
		return nil
	}
	return field
}

// loadContent sets a field of steps to the content of the event that each names. field returns the position of the
// event and the field; nil where the step has no such content.
func loadContent[S projections.Item, T comparable](
	ctx context.Context, steps []S, read func(context.Context, []int64) (map[int64]T, error), field func(*S) (seq int64, content *T),
) error {
	var seqs []int64
	for i := range steps {
		if seq, content := field(&steps[i]); content != nil {
			seqs = append(seqs, seq)
		}
	}
	contents, err := read(ctx, seqs)
	if err != nil {
		return err
	}
	var missing T
	for i := range steps {
		seq, content := field(&steps[i])
		if content == nil {
			continue
		}
		if *content = contents[seq]; *content == missing {
			return fmt.Errorf("step %d names event %d of the log, which is not there", steps[i].Position(), seq)
		}
	}
	return nil
}
