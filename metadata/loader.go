package metadata

import (
	"context"
	"encoding/hex"
	"errors"
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
	places []querier // the databases with wants
	queue  chan *lookup
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

func newLoader(places []querier) *loader { return &loader{places: places, queue: make(chan *lookup)} }

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

// find looks wants up in the databases that they were dispatched from, and looks for the others in all databases, because one job
// serves all projections that raised the same want at the same event. A database that fails keeps no want from being found in
// another one.
func (l *loader) find(all []*lookup) {
	failed := map[*lookup]error{}
	look := func(place int, batch []*lookup) {
		if len(batch) == 0 {
			return
		}
		timeout := loadTimeout
		if place > 0 {
			timeout = elsewhereTimeout
		}
		findIn(l.places[place], timeout, batch)
		for _, entry := range batch {
			var malformed *wantError
			if entry.err != nil && !errors.As(entry.err, &malformed) {
				failed[entry], entry.err = entry.err, nil
			}
		}
	}
	for place := range l.places {
		var batch []*lookup
		for _, entry := range unresolved(all) {
			if entry.task.Place == place {
				batch = append(batch, entry)
			}
		}
		look(place, batch)
	}
	for place := range l.places {
		var batch []*lookup
		for _, entry := range unresolved(all) {
			if entry.task.Place != place {
				batch = append(batch, entry)
			}
		}
		look(place, batch)
	}
	for _, entry := range unresolved(all) {
		entry.err = failed[entry]
	}
}

// findIn looks wants up in the schemas of a database that they were dispatched from, and then in its other active schemas.
func findIn(q querier, timeout time.Duration, all []*lookup) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	schemas := map[string][]*lookup{}
	for _, entry := range all {
		schemas[entry.task.Schema] = append(schemas[entry.task.Schema], entry)
	}
	for schema, batch := range schemas {
		failAll(batch, loadFrom(ctx, q, schema, batch))
	}
	left := unresolved(all)
	if len(left) == 0 {
		return
	}
	versions, err := activeVersions(ctx, q)
	failAll(left, err)
	for _, v := range versions {
		var batch []*lookup
		for _, entry := range unresolved(left) {
			if entry.task.Schema != v.schema {
				batch = append(batch, entry)
			}
		}
		if len(batch) > 0 {
			failAll(batch, loadFrom(ctx, q, v.schema, batch))
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
