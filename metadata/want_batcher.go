package metadata

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"
)

const (
	loadMax = 256 // maximum number of wants in one query
	// loadLinger is how long the first lookup of a batch waits for others.
	loadLinger  = 2 * time.Millisecond
	loadTimeout = 10 * time.Second
)

// loader reads the wants of jobs that begin. Jobs that begin at about the same time share a query.
type loader struct {
	pool  querier
	queue chan *lookup
}

// lookup is a want that is looked up, and the result.
type lookup struct {
	task task
	key  []byte
	want loadedWant
	ok   bool // a projection has the want in this revision
	err  error
	done chan struct{} // closed when the result is there
}

func newLoader(pool querier) *loader { return &loader{pool: pool, queue: make(chan *lookup)} }

// load reads the want of a task. ok is false if no projection has the want in this revision any more.
func (l *loader) load(ctx context.Context, t task) (w loadedWant, ok bool, err error) {
	entry := &lookup{task: t, done: make(chan struct{})}
	if entry.key, err = hex.DecodeString(t.Revision.Key); err != nil {
		return w, false, fmt.Errorf("decode the key of a want: %w", err)
	}
	select {
	case l.queue <- entry:
	case <-ctx.Done():
		return w, false, context.Cause(ctx)
	}
	select {
	case <-entry.done:
		return entry.want, entry.ok, entry.err
	case <-ctx.Done():
		return w, false, context.Cause(ctx)
	}
}

// run answers lookups until stop is closed. No worker may be left by then.
func (l *loader) run(stop <-chan struct{}) {
	for {
		select {
		case first := <-l.queue:
			all := l.gather(first)
			l.find(all)
			for _, entry := range all {
				close(entry.done)
			}
		case <-stop:
			return
		}
	}
}

// gather collects a batch: the first lookup, and those that arrive within a moment.
func (l *loader) gather(first *lookup) []*lookup {
	all := []*lookup{first}
	timer := time.NewTimer(loadLinger)
	defer timer.Stop()
	for len(all) < loadMax {
		select {
		case entry := <-l.queue:
			all = append(all, entry)
		case <-timer.C:
			return all
		}
	}
	return all
}

// find looks wants up in the schemas that they were dispatched from. It looks for the others in the other active
// schemas, because one job serves all projections that raised the same want at the same event.
func (l *loader) find(all []*lookup) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	schemas := map[string][]*lookup{}
	for _, entry := range all {
		schemas[entry.task.Schema] = append(schemas[entry.task.Schema], entry)
	}
	for schema, batch := range schemas {
		failAll(batch, loadFrom(ctx, l.pool, schema, batch))
	}
	left := unresolved(all)
	if len(left) == 0 {
		return
	}
	versions, err := activeVersions(ctx, l.pool)
	failAll(left, err)
	for _, v := range versions {
		var batch []*lookup
		for _, entry := range unresolved(left) {
			if entry.task.Schema != v.schema {
				batch = append(batch, entry)
			}
		}
		if len(batch) > 0 {
			failAll(batch, loadFrom(ctx, l.pool, v.schema, batch))
		}
	}
}

// unresolved returns the lookups that have neither a want nor an error yet.
func unresolved(all []*lookup) (left []*lookup) {
	for _, entry := range all {
		if !entry.ok && entry.err == nil {
			left = append(left, entry)
		}
	}
	return left
}

// failAll sets err, if it is not nil, on the unresolved lookups.
func failAll(all []*lookup, err error) {
	if err == nil {
		return
	}
	for _, entry := range unresolved(all) {
		entry.err = err
	}
}
