package pipeline

import (
	"fmt"
	"runtime/debug"
)

// lane is the turn-taking side of a fold.
type lane struct {
	pipeline *pipeline
	index    int
	*coroutine
}

func newLane(p *pipeline, index int, fold Fold) *lane {
	l := &lane{pipeline: p, index: index, coroutine: resting.take()}
	l.task = func() {
		if err := l.run(fold); err != nil {
			p.fail(index, err)
		}
	}
	return l
}

// run calls the fold. A panic of its code becomes an error.
func (l *lane) run(fold Fold) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fold(&laneTx{l})
}

// resume lets the fold go on until it waits or ends, and reports whether it waits.
func (l *lane) resume() bool {
	if l.next(); l.task != nil {
		return true
	}
	resting.give(l.coroutine)
	l.coroutine = nil
	return false
}

// wait returns when what is queued has been sent and answered.
func (l *lane) wait() { l.yield(struct{}{}) }
