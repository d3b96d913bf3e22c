package engine

import (
	"context"
	"sync"

	"strata/readapi/internal/register"
)

// progress finds out how far the projections are, also those that are up to date although the last events did not concern
// them. That takes a query of the lists of steps. Requests that ask at the same time share one.
type progress struct {
	mu      sync.Mutex
	running *progressLook // nil while nobody looks
}

// progressLook is one look, for all who wait for it.
type progressLook struct {
	done  chan struct{}
	found found
	err   error
}

// found is what a look has found: a state, and the lengths of the lists of steps, by schema.
type found struct {
	state *register.State
	heads map[string]*Result[int64]
}

// look returns how far the projections are, at most some milliseconds ago.
func (p *progress) look(ctx context.Context, e *Engine) (found, error) {
	p.mu.Lock()
	l := p.running
	if l == nil {
		l = &progressLook{done: make(chan struct{})}
		p.running = l
		go func() {
			// The request that began it may leave before the others.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.Config.RequestTimeout)
			defer cancel()
			l.found, l.err = e.findProgress(ctx)
			p.mu.Lock()
			p.running = nil
			p.mu.Unlock()
			close(l.done)
		}()
	}
	p.mu.Unlock()
	select {
	case <-l.done:
		return l.found, l.err
	case <-ctx.Done():
		return found{}, ctx.Err()
	}
}

func (e *Engine) findProgress(ctx context.Context) (found, error) {
	value, s, err := e.Read(ctx, nil, nil, func(ctx context.Context, s *Snapshot) (any, error) {
		b := s.Batch()
		heads := QueueHeads(b)
		return heads, b.Run(ctx)
	})
	if err != nil {
		return found{}, err
	}
	heads, _ := value.(map[string]*Result[int64])
	return found{s.State, heads}, nil
}
