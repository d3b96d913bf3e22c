package engine

import (
	"context"

	"strata/readapi/internal/answer"
)

// ReadOnce answers a request whose answer is not cached, such as one whose parameters are in its body. d is what the
// handler reads; the answer's headers say where it comes from, as those of Get do.
func (e *Engine) ReadOnce(ctx context.Context, d Dependencies, handler func(ctx context.Context, s *Snapshot) (any, error)) Delivery {
	value, s, err := e.ReadInTurn(ctx, nil, nil, handler)
	if err != nil {
		return Delivery{Answer: e.FailureAnswer(ctx, err, answer.Config{})}
	}
	e.Watch.Cover(ctx, s.State)
	built, err := NewAnswer(value, answer.Config{Fields: s.Provenance.fields(nil)})
	if err != nil {
		return Delivery{Answer: e.FailureAnswer(ctx, err, answer.Config{})}
	}
	return Delivery{Answer: built, moment: d.moment(s.State)}
}
