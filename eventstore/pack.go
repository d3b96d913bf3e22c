package eventstore

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"strata/domain/packed"
)

// pack packs the bodies of a batch, on all processors, if the log's bodies are packed.
func (l *Log) pack(ctx context.Context, batch ...Incoming) error {
	packs := l.packing.Load()
	if packs == nil {
		packs = new(bool)
		if err := l.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM log.packing)`).Scan(packs); err != nil {
			return unavailable(fmt.Errorf("read whether bodies are packed: %w", err))
		}
		l.packing.Store(packs)
	}
	if !*packs {
		return nil
	}
	var all sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(batch))
	packFrom := func(first int) {
		for i := first; i < len(batch); i += workers {
			if b := batch[i].Body; b.packed == nil && b.file == nil {
				b.packed = packed.Body(batch[i].Path, b.data)
			}
		}
	}
	for first := 1; first < workers; first++ {
		all.Go(func() { packFrom(first) })
	}
	packFrom(0)
	all.Wait()
	return nil
}
