package projections

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// chainSteps are the steps of chain. Records are filled in of the kinds that a projection wants.
func chainSteps(decoder *Decoder, records []RecordKind) stepList[Step] {
	return stepList[Step]{
		columns: `step, kind, coalesce(record, 0), height, index_block_hash, block_seq, source_seq`,
		scan: func(row pgx.Row) (step Step, err error) {
			return step, row.Scan(&step.Number, &step.Kind, &step.RecordKind, &step.Height, &step.IndexBlockHash, &step.BlockSeq, &step.SourceSeq)
		},
		fill: func(ctx context.Context, steps []Step) error {
			if len(records) > 0 {
				err := fill(ctx, steps, decoder.Records, func(step *Step) (int64, *Record) {
					return step.BlockSeq, only(&step.Record, slices.Contains(records, step.RecordKind))
				})
				if err != nil {
					return err
				}
			}
			return fill(ctx, steps, decoder.Blocks, func(step *Step) (int64, **Block) {
				return step.BlockSeq, only(&step.Block, step.Kind == Apply)
			})
		},
	}
}

// feedSteps are the steps of ordinals.
func feedSteps(decoder *Decoder) stepList[FeedStep] {
	return stepList[FeedStep]{
		columns: `step, kind, height, block_hash, block_seq, block_index, source_seq`,
		scan: func(row pgx.Row) (step FeedStep, err error) {
			return step, row.Scan(&step.Number, &step.Kind, &step.Height, &step.BlockHash, &step.BlockSeq, &step.BlockIndex, &step.SourceSeq)
		},
		fill: func(ctx context.Context, steps []FeedStep) error {
			var seqs []int64
			for _, step := range steps {
				if step.Kind == Apply {
					seqs = append(seqs, step.BlockSeq)
				}
			}
			payloads, err := decoder.Payloads(ctx, seqs)
			if err != nil {
				return err
			}
			for i := range steps {
				step := &steps[i]
				if step.Kind != Apply {
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

// only is the place for what a step has, or nil when it does not have it.
func only[T any](place *T, has bool) *T {
	if !has {
		return nil
	}
	return place
}

// fill puts what some steps have, which load finds by the position of an event, into its place.
func fill[S Item, T comparable](ctx context.Context, steps []S, load func(context.Context, []int64) (map[int64]T, error), place func(*S) (seq int64, at *T)) error {
	var seqs []int64
	for i := range steps {
		if seq, at := place(&steps[i]); at != nil {
			seqs = append(seqs, seq)
		}
	}
	found, err := load(ctx, seqs)
	if err != nil {
		return err
	}
	var nothing T
	for i := range steps {
		seq, at := place(&steps[i])
		if at == nil {
			continue
		}
		if *at = found[seq]; *at == nothing {
			return fmt.Errorf("step %d names event %d of the log, which is not there", steps[i].Position(), seq)
		}
	}
	return nil
}
