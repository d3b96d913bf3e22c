package versions

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

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/version"
)

// Any process that folds the log with the right code builds the registered versions, usually a running server. If no
// version makes progress for buildPatience, this process folds too. Any number of processes may: one leads each version,
// and the others stand by.
const (
	buildTick     = 250 * time.Millisecond
	buildPatience = 3 * time.Second
)

// buildWait waits for versions that are being built.
type buildWait struct {
	db         *database.DB
	schemas    []projections.Schema
	forkChoice string
	globals    *program.Globals

	begun time.Time
	last  map[projections.Schema]version.Status
	moved time.Time // when a version last made progress
	stop  func()    // stops the runner of this process; nil if there is none
}

// wait returns when all versions are caught up at the same time and have the indexes that readers need, so that each can
// be activated.
func (b *buildWait) wait(ctx context.Context) error {
	bytes, err := readLogBytes(ctx, b.db.Pool)
	if err != nil {
		return err
	}
	folds, err := version.Led(ctx, b.db.Pool)
	if err != nil {
		return err
	}
	b.begun, b.moved = time.Now(), time.Now()
	if !folds {
		b.moved = time.Time{} // no other process will build them: do not wait for one
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

// look shows the progress of each version, and reports whether all are ready.
func (b *buildWait) look(ctx context.Context, show *buildProgress) (done bool, err error) {
	statuses, err := version.Statuses(ctx, b.db.Pool)
	if err != nil {
		return false, err
	}
	var size int64
	if err := b.db.Pool.QueryRow(ctx, `SELECT size FROM log.head`).Scan(&size); err != nil {
		return false, fmt.Errorf("read how long the log is: %w", err)
	}
	now := map[projections.Schema]version.Status{}
	for _, s := range statuses {
		now[s.Schema()] = s
	}
	done = true
	ready := map[string]bool{}    // by schema
	for _, i := range b.schemas { // a leader stands before the projections that fold its steps
		s, ok := now[i]
		switch {
		case !ok:
			return false, fmt.Errorf("projection %s: %w: it was dropped during the build", i, version.ErrNotRegistered)
		case s.State == version.StateFailed:
			return false, errors.Join(&version.FailedError{Status: s},
				fmt.Errorf("Fix the cause, then resume it with: strata projections resume %s", i.Name)) //nolint:staticcheck // a sentence for people
		}
		if before, ok := b.last[i]; ok && (before.Position != s.Position || before.State != s.State || before.Indexed != s.Indexed) {
			b.moved = time.Now()
		}
		hasLeader := slices.ContainsFunc(b.schemas, func(j projections.Schema) bool { return j.String() == s.Input })
		ready[i.String()] = s.State == version.StateLive && s.Indexed && s.Lag() == 0 && (!hasLeader || ready[s.Input])
		done = done && ready[i.String()]
		show.note(s, size, ready[i.String()])
	}
	b.last = now
	show.draw(done)
	return done, nil
}

// fold starts a runner in this process. It folds the log until stop is called.
func (b *buildWait) fold(ctx context.Context) error {
	quiet := *b.globals
	// The progress lines show how far it is, and warnings about events were logged when the log was folded first.
	quiet.LogLevel = max(quiet.LogLevel, slog.LevelError)
	registry := prometheus.NewRegistry()
	lines, err := folding.Lines(b.forkChoice, quiet.Logger(), registry)
	if err != nil {
		return err
	}
	b.stop = folding.Start(ctx, folding.NewRunner(b.db.Log, lines, false, nil, nil, nil, quiet.Logger(), registry))
	return nil
}
