package follow

import (
	"context"
	"slices"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/decode"
)

// logSource reads the log.
type logSource struct {
	log     *eventstore.Log
	wake    *eventstore.Wake
	decoder *decode.Decoder
	input   logInput
}

func (s *logSource) head(ctx context.Context) (int64, error) { return s.log.Size(ctx) }

func (s *logSource) final(context.Context) (bool, error) { return true, nil }

func (s *logSource) read(ctx context.Context, after int64) (items []projections.LogItem, bytes int64, err error) {
	events := s.log.Recent(after)
	if len(events) == 0 {
		events, err = s.log.Read(ctx, eventstore.Range{After: after, Events: batchItems, Bytes: batchBytes, Paths: s.input.paths})
	}
	if err != nil {
		return nil, 0, err
	}
	for i := range events {
		if !slices.Contains(s.input.paths, events[i].Path) {
			events[i].Body = nil
		}
		bytes += int64(len(events[i].Body))
	}
	items, err = s.input.decode(s.decoder, ctx, events)
	return items, bytes, err
}

// own returns the items of another leader with the content that this one reads.
func (s *logSource) own(ctx context.Context, items []projections.LogItem) ([]projections.LogItem, error) {
	own := make([]projections.LogItem, len(items))
	var seqs []int64
	for i, item := range items {
		own[i] = projections.LogItem{Seq: item.Seq, Path: item.Path, Size: item.Size}
		if slices.Contains(s.input.paths, item.Path) {
			seqs = append(seqs, item.Seq)
		}
	}
	if len(seqs) == 0 {
		return own, nil
	}
	events, err := s.log.GetMany(ctx, seqs)
	if err != nil {
		return nil, err
	}
	decoded, err := s.input.decode(s.decoder, ctx, events)
	if err != nil {
		return nil, err
	}
	for _, item := range decoded {
		own[item.Seq-own[0].Seq] = item
	}
	return own, nil
}

func (s *logSource) announced(position int64) bool {
	newest := s.wake.Announced()
	return newest > 0 && position >= newest
}

func (s *logSource) grown() <-chan struct{} { return s.wake.C() }

func (s *logSource) wait(ctx context.Context, grown <-chan struct{}) { s.wake.Wait(ctx, grown) }
