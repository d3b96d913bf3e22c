package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/term"

	"strata/projections"
	"strata/projections/version"
)

// Whoever folds the log and has the right code builds what is registered: a running server, mostly. Nobody asks it. When nothing
// moves, this process folds too, as any number of processes may: one leads each version, and the others stand by.
const (
	buildTick     = 250 * time.Millisecond
	buildPatience = 3 * time.Second
)

// building waits for versions that are being built.
type building struct {
	db         *database
	schemas    []projections.Schema
	forkChoice string
	globals    *Globals

	begun time.Time
	last  map[projections.Schema]version.Status
	moved time.Time // when one of them last did
	stop  func()    // ends the runner here; nil when there is none
}

// wait returns when all have caught up at the same time, have the indexes that readers need, and one after the other can become
// active.
func (b *building) wait(ctx context.Context) error {
	bytes, err := readLogBytes(ctx, b.db.pool)
	if err != nil {
		return err
	}
	anybody, err := anybodyFolds(ctx, b.db)
	if err != nil {
		return err
	}
	b.begun, b.moved = time.Now(), time.Now()
	if !anybody {
		b.moved = time.Time{} // nobody will come
	}
	defer func() {
		if b.stop != nil {
			b.stop()
		}
	}()
	show := newBuildProgress(b.schemas, bytes, os.Stderr, term.IsTerminal(int(os.Stderr.Fd())))
	defer show.end()
	for ticker := time.NewTicker(buildTick); ; {
		done, err := b.look(ctx, show)
		if err != nil || done {
			ticker.Stop()
			return err
		}
		if b.stop == nil && time.Since(b.moved) > buildPatience {
			if err := b.fold(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look shows where they stand, and says whether all have caught up.
func (b *building) look(ctx context.Context, show *buildProgress) (done bool, err error) {
	statuses, err := version.Statuses(ctx, b.db.pool)
	if err != nil {
		return false, err
	}
	var size int64
	if err := b.db.pool.QueryRow(ctx, `SELECT size FROM log.head`).Scan(&size); err != nil {
		return false, fmt.Errorf("read how long the log is: %w", err)
	}
	now := map[projections.Schema]version.Status{}
	for _, s := range statuses {
		now[s.Schema()] = s
	}
	done = true
	ready := map[string]bool{}    // by schema
	for _, i := range b.schemas { // a leader comes before those that fold its steps
		s, ok := now[i]
		switch {
		case !ok:
			return false, fmt.Errorf("projection %s: %w: somebody has dropped it", i, version.ErrNotRegistered)
		case s.State == version.StateFailed:
			return false, errors.Join(&version.FailedError{Status: s},
				fmt.Errorf("Correct what is wrong, and let it go on: strata projections resume %s", i.Name)) //nolint:staticcheck // a sentence for people
		}
		if before, known := b.last[i]; known && (before.Position != s.Position || before.State != s.State || before.Indexed != s.Indexed) {
			b.moved = time.Now()
		}
		waits := slices.ContainsFunc(b.schemas, func(j projections.Schema) bool { return j.String() == s.Input })
		ready[i.String()] = s.State == version.StateLive && s.Indexed && s.Lag() == 0 && (!waits || ready[s.Input])
		done = done && ready[i.String()]
		show.note(s, size, ready[i.String()])
	}
	b.last = now
	show.draw(done)
	return done, nil
}

// anybodyFolds says whether a process seems to fold the log of this database: each leads by a lock.
func anybodyFolds(ctx context.Context, db *database) (anybody bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM pg_locks
			WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		)`).Scan(&anybody)
	if err != nil {
		return false, fmt.Errorf("look whether a server folds the log: %w", err)
	}
	return anybody, nil
}

// fold folds the log here until the wait is over.
func (b *building) fold(ctx context.Context) error {
	quiet := *b.globals
	quiet.LogLevel = max(quiet.LogLevel, slog.LevelError) // of its course the progress tells, and the rest was said when the log was folded first
	runner, err := newRunner(b.db.log, b.forkChoice, false, nil, quiet.logger(), prometheus.NewRegistry())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runner.Run(ctx)
	}()
	b.stop = func() {
		cancel()
		<-done
	}
	return nil
}
