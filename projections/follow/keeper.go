package follow

import (
	"context"
	"log/slog"
	"maps"
	"sync"

	"strata/projections"
	"strata/projections/internal/register"
)

// keeper runs a follower for each registered version that this program's code can follow: versions with its own rules,
// whose input has them too. Other versions are left to processes with their code.
type keeper struct {
	runner *Runner
	logger *slog.Logger

	// undescribed are the versions whose tables could not be commented on; used by one goroutine.
	undescribed map[projections.Schema]bool
	// viewErrors is why the views do not show the active version, by the name of the projection; used by one goroutine.
	viewErrors map[string]string

	mu   sync.Mutex
	runs map[projections.Schema]*run
}

// run is a running follower.
type run struct {
	register.Entry
	follower versionFollower
	stop     context.CancelFunc
	stopped  chan struct{}
}

func newKeeper(r *Runner) *keeper {
	return &keeper{runner: r, logger: r.config.Logger, viewErrors: map[string]string{}, undescribed: map[projections.Schema]bool{}, runs: map[projections.Schema]*run{}}
}

// run keeps followers running until ctx ends, and returns when they have stopped.
func (k *keeper) run(ctx context.Context) {
	wake := k.runner.engine.log.Listener().Wake(register.ChangeChannel, rarely*k.runner.config.Interval)
	defer wake.Stop()
	failing, untended := false, false
	for ctx.Err() == nil {
		sign := wake.C()
		es, err := register.Read(ctx, k.runner.engine.pool)
		if err == nil {
			k.reconcile(ctx, es)
			k.runner.TestSignals.Reconciled.Send()
			err := k.runner.engine.journal.Compact(ctx, k.runner.engine.pool)
			if err != nil && !untended && ctx.Err() == nil {
				k.logger.LogAttrs(ctx, slog.LevelWarn, "the journal of changes grows; trying again every few seconds", slog.Any("error", err))
			}
			untended = err != nil
		} else if !failing && ctx.Err() == nil {
			k.logger.LogAttrs(ctx, slog.LevelWarn, "the register of projections can't be read; running followers go on", slog.Any("error", err))
		}
		failing = err != nil
		wake.Wait(ctx, sign)
	}
	for version := range k.running() {
		k.end(version)
	}
}

// reconcile starts and stops followers so that they are those that the register asks for.
func (k *keeper) reconcile(ctx context.Context, es register.Entries) {
	wanted := map[projections.Schema]register.Entry{}
	for _, l := range k.runner.typed {
		for _, m := range l {
			for _, e := range es.Of(m.Definition) {
				if l.canRead(es, e) {
					wanted[e.Schema] = e
				}
			}
		}
	}
	for version, r := range k.running() {
		if e, ok := wanted[version]; !ok || e.Epoch != r.Epoch {
			k.end(version)
			k.runner.engine.metrics.forget(version)
		}
	}
	running := k.running()
	for _, l := range k.runner.typed {
		for _, m := range l {
			for _, e := range es.Of(m.Definition) {
				if _, ok := wanted[e.Schema]; !ok {
					continue
				}
				if r, ok := running[e.Schema]; ok {
					r.follower.setActive(e.Active)
				} else {
					k.start(ctx, m, e)
				}
				if e.Active && !e.ShowsViewsOf(m.Spec) {
					k.showViews(ctx, m.Spec.At(e.Version))
				}
				if !e.IsDescribed(m.Spec) {
					k.describe(ctx, m.Spec, e)
				}
			}
		}
	}
}

// canRead reports whether the code of a line can read the input of a version: only the rules that have written a list
// of steps define its form.
func (l line) canRead(es register.Entries, e register.Entry) bool {
	leader := l.leader().Definition
	if e.Name == leader.Spec.Name {
		return e.Input == register.Log
	}
	return es.Of(leader).Has(func(input register.Entry) bool { return input.Schema == e.Leader() })
}

func (k *keeper) start(ctx context.Context, m kind, e register.Entry) {
	follower := m.newFollower(&k.runner.engine, e)
	if follower == nil {
		return // it is a version with these rules that their code can't fold into
	}
	if m.Leader == "" {
		pace := &pace{
			newestStep: func(ctx context.Context) (int64, error) {
				return register.LastStep(ctx, k.runner.engine.pool, e.Schema)
			},
			followers: func() []*progress { return k.followersOf(e.Schema) },
		}
		follower.connect(pace, func() { k.runner.committedSteps(e.Name) }, k.runner.engine.stepWakes[e.Name].Signal)
	} else {
		follower.connect(nil, k.runner.committed, func() {})
	}
	ctx, stop := context.WithCancel(ctx)
	r := &run{Entry: e, follower: follower, stop: stop, stopped: make(chan struct{})}
	k.mu.Lock()
	k.runs[e.Schema] = r
	k.mu.Unlock()
	go func() {
		defer close(r.stopped)
		follower.run(ctx)
	}()
}

// end stops a follower and waits until it has stopped.
func (k *keeper) end(version projections.Schema) {
	r := k.running()[version]
	r.stop()
	<-r.stopped
	k.mu.Lock()
	delete(k.runs, version)
	k.mu.Unlock()
}

// running returns the followers that are running now.
func (k *keeper) running() map[projections.Schema]*run {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.runs)
}

// followersOf returns the progress of the followers that fold the steps of a leader.
func (k *keeper) followersOf(leader projections.Schema) (all []*progress) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.runs {
		if r.Leader() == leader {
			all = append(all, r.follower.progressed())
		}
	}
	return all
}

// showViews makes the views show a version that has become active. When it fails, the keeper tries again when it
// reads the register the next time.
func (k *keeper) showViews(ctx context.Context, spec projections.Spec) {
	err := register.TryViews(ctx, k.runner.engine.pool, spec)
	if err == nil {
		delete(k.viewErrors, spec.Name)
		return
	}
	if reason := err.Error(); k.viewErrors[spec.Name] != reason && ctx.Err() == nil {
		k.viewErrors[spec.Name] = reason
		k.logger.LogAttrs(ctx, slog.LevelInfo, "the views in schema api don't show the active version yet; trying again every few seconds",
			slog.String("projection", spec.String()), slog.Any("error", err))
	}
}

// describe makes Postgres keep the comments on a version's tables. When it fails, the keeper tries again when it reads the
// register the next time.
func (k *keeper) describe(ctx context.Context, spec projections.Spec, e register.Entry) {
	err := register.Describe(ctx, k.runner.engine.pool, e.Schema, spec)
	if err == nil {
		delete(k.undescribed, e.Schema)
		return
	}
	if !k.undescribed[e.Schema] && ctx.Err() == nil {
		k.undescribed[e.Schema] = true
		k.logger.LogAttrs(ctx, slog.LevelInfo, "the tables of a projection have no comments, or old ones, for SQL users yet; trying again every few seconds",
			slog.String("projection", e.String()), slog.Any("error", err))
	}
}
