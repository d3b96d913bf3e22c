package metadata

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"
)

// Bounds of what is looked up at once.
const (
	loadMax = 256
	// loadLinger is how long the first of a look-up waits for company.
	loadLinger  = 2 * time.Millisecond
	loadTimeout = 10 * time.Second
)

// loader reads the wants of jobs that begin, those that begin at about the same time together.
type loader struct {
	pool  querier
	queue chan *loading
}

// loading is a want that is looked up, and what came of it.
type loading struct {
	task  task
	key   []byte
	found wanted
	ok    bool // a projection wants it in this raising
	err   error
	done  chan struct{} // closed when the rest is there
}

func newLoader(pool querier) *loader { return &loader{pool: pool, queue: make(chan *loading)} }

// load reads the want of a task again. ok is false when no projection wants it any more in this raising.
func (l *loader) load(ctx context.Context, t task) (w wanted, ok bool, err error) {
	one := &loading{task: t, done: make(chan struct{})}
	if one.key, err = hex.DecodeString(t.Raising.Key); err != nil {
		return w, false, fmt.Errorf("key of a want: %w", err)
	}
	select {
	case l.queue <- one:
	case <-ctx.Done():
		return w, false, context.Cause(ctx)
	}
	select {
	case <-one.done:
		return one.found, one.ok, one.err
	case <-ctx.Done():
		return w, false, context.Cause(ctx)
	}
}

// run looks up until stop is closed. Whoever closes it makes sure that no worker is left.
func (l *loader) run(stop <-chan struct{}) {
	for {
		select {
		case first := <-l.queue:
			all := l.gather(first)
			l.look(all)
			for _, one := range all {
				close(one.done)
			}
		case <-stop:
			return
		}
	}
}

// gather waits a moment for what else is looked for.
func (l *loader) gather(first *loading) []*loading {
	all := []*loading{first}
	timer := time.NewTimer(loadLinger)
	defer timer.Stop()
	for len(all) < loadMax {
		select {
		case one := <-l.queue:
			all = append(all, one)
		case <-timer.C:
			return all
		}
	}
	return all
}

// look finds wants where they were dispatched from. The others may be elsewhere: a job stands for every projection that
// raised the same want at the same event.
func (l *loader) look(all []*loading) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	schemas := map[string][]*loading{}
	for _, one := range all {
		schemas[one.task.Schema] = append(schemas[one.task.Schema], one)
	}
	for schema, those := range schemas {
		failAll(those, loadFrom(ctx, l.pool, schema, those))
	}
	left := open(all)
	if len(left) == 0 {
		return
	}
	versions, err := current(ctx, l.pool)
	failAll(left, err)
	for _, v := range versions {
		var those []*loading
		for _, one := range open(left) {
			if one.task.Schema != v.schema {
				those = append(those, one)
			}
		}
		if len(those) > 0 {
			failAll(those, loadFrom(ctx, l.pool, v.schema, those))
		}
	}
}

// open are those of which nothing is known yet.
func open(all []*loading) (left []*loading) {
	for _, one := range all {
		if !one.ok && one.err == nil {
			left = append(left, one)
		}
	}
	return left
}

// failAll notes an error, if there is one, where nothing else is known.
func failAll(all []*loading, err error) {
	if err == nil {
		return
	}
	for _, one := range open(all) {
		one.err = err
	}
}
