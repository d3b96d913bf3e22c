package projections

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"strata/eventstore"
)

// keeperInterval is how often the register is looked at without a sign of a change.
const keeperInterval = time.Second

// keeper runs a follower for each instance in the register that this program's code can follow: those with its own rules,
// whose input has them too. Others are left to the processes that know them.
type keeper struct {
	runner *Runner
	logger *slog.Logger

	// unseen is why views do not show the active version, by the name of the projection; used by one goroutine.
	unseen map[string]string

	mu   sync.Mutex
	runs map[Instance]*run
}

// run is a follower that runs.
type run struct {
	registered
	following following
	stop      context.CancelFunc
	stopped   chan struct{}
}

func newKeeper(r *Runner) *keeper {
	return &keeper{runner: r, logger: r.config.Logger, unseen: map[string]string{}, runs: map[Instance]*run{}}
}

// run keeps followers until ctx ends, and returns when they have stopped.
func (k *keeper) run(ctx context.Context) {
	wake := eventstore.NewWake(k.runner.engine.pool, registerChannel, keeperInterval, k.logger)
	defer wake.Stop()
	failing := false
	for ctx.Err() == nil {
		sign := wake.C()
		es, err := readRegister(ctx, k.runner.engine.pool)
		if err == nil {
			k.look(ctx, es)
		} else if !failing && ctx.Err() == nil {
			k.logger.LogAttrs(ctx, slog.LevelWarn, "the register of projections can't be read; what runs goes on", slog.Any("error", err))
		}
		failing = err != nil
		wake.Wait(ctx, sign)
	}
	for i := range k.running() {
		k.end(i)
	}
}

// look starts and ends followers as the register says.
func (k *keeper) look(ctx context.Context, es entries) {
	wanted := map[Instance]registered{}
	for _, line := range k.runner.lines {
		for _, m := range line.members {
			for _, e := range es.of(m.Definition) {
				if line.readable(es, e) {
					wanted[e.Instance] = e
				}
			}
		}
	}
	for i, r := range k.running() {
		if e, ok := wanted[i]; !ok || e.epoch != r.epoch {
			k.end(i)
		}
	}
	running := k.running()
	for _, line := range k.runner.lines {
		for _, m := range line.members {
			for _, e := range es.of(m.Definition) {
				if _, ok := wanted[e.Instance]; !ok {
					continue
				}
				if r, ok := running[e.Instance]; ok {
					r.following.observe(e.active)
				} else {
					k.start(ctx, m, e)
				}
				if e.active && !e.viewed {
					k.show(ctx, m.Spec.at(e.Version))
				}
			}
		}
	}
}

// readable says whether the code of a line can read what an instance folds: what the shape of a list of steps is, the rules
// say that have written it.
func (l Line) readable(es entries, e registered) bool {
	leader := l.members[0].Definition
	if e.Name == leader.Spec.Name {
		return e.reads == "log"
	}
	return es.of(leader).has(func(input registered) bool { return input.Instance == e.input() })
}

func (k *keeper) start(ctx context.Context, m member, e registered) {
	following := m.follow(&k.runner.engine, e)
	if following == nil {
		return // its rules have this number, and its code can't be at another
	}
	if m.Leader == "" {
		pace := &pace{steps: func(ctx context.Context) (int64, error) { return lastStep(ctx, k.runner.engine.pool, e.Instance) }}
		pace.followers = func() []*progress { return k.followers(e.Instance) }
		following.connect(pace, func() { k.runner.committedSteps(e.Name) })
	} else {
		following.connect(nil, k.runner.committed)
	}
	ctx, stop := context.WithCancel(ctx)
	r := &run{registered: e, following: following, stop: stop, stopped: make(chan struct{})}
	k.mu.Lock()
	k.runs[e.Instance] = r
	k.mu.Unlock()
	go func() {
		defer close(r.stopped)
		following.run(ctx)
	}()
}

// end stops a follower and waits until it has stopped.
func (k *keeper) end(i Instance) {
	r := k.running()[i]
	r.stop()
	<-r.stopped
	k.mu.Lock()
	delete(k.runs, i)
	k.mu.Unlock()
}

// running are the followers that there are now.
func (k *keeper) running() map[Instance]*run {
	k.mu.Lock()
	defer k.mu.Unlock()
	runs := make(map[Instance]*run, len(k.runs))
	for i, r := range k.runs {
		runs[i] = r
	}
	return runs
}

// followers is where those are that fold the steps of an instance.
func (k *keeper) followers(leader Instance) (all []*progress) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.runs {
		if r.input() == leader {
			all = append(all, r.following.seen())
		}
	}
	return all
}

// show makes the views follow a switch. What keeps it from that now may not in a second.
func (k *keeper) show(ctx context.Context, spec Spec) {
	err := tryViews(ctx, k.runner.engine.pool, spec)
	if err == nil {
		delete(k.unseen, spec.Name)
		return
	}
	if reason := err.Error(); k.unseen[spec.Name] != reason && ctx.Err() == nil {
		k.unseen[spec.Name] = reason
		k.logger.LogAttrs(ctx, slog.LevelInfo, "the views in schema api don't show the active version yet; trying again every second",
			slog.String("projection", spec.String()), slog.Any("error", err))
	}
}
