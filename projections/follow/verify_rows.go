package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/eventstore"
	"strata/internal/pause"
	"strata/projections"
	"strata/projections/decode"
	"strata/projections/follow/internal/scratch"
	"strata/projections/internal/register"
	"strata/projections/version"
)

// VerifyRowsOptions say what VerifyRows compares. The zero value of any field but Difference means its default.
type VerifyRowsOptions struct {
	// Names of the projections; default all. The leader of a projection is built along with it.
	Names []string
	// Logger for warnings; default none.
	Logger *slog.Logger
	// Progress, if set, is called about every second with the number of items of a line that are folded, and the total.
	Progress func(done, total int64)
	// Difference is called for each row that differs: Old is what the active version has, New what the log gives. It
	// ends the comparison of a projection by returning false.
	Difference func(name string, d version.Difference) bool
}

// VerifyRows folds the log anew into scratch versions, compares these with the active versions where those stand by
// then, and drops them. At the end it holds the followers of the active versions for moments; readers are never held.
// It returns version.ErrRules when other code has built an active version: this program can't tell what that code would
// make of the log.
func VerifyRows(ctx context.Context, log *eventstore.Log, lines projections.Lines, options VerifyRowsOptions) error {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	for _, name := range options.Names {
		if _, err := lines.Of(name); err != nil {
			return fmt.Errorf("verify rows: %w", err)
		}
	}
	for _, l := range newLines(lines) {
		if err := verifyLine(ctx, log, l, options); err != nil {
			return fmt.Errorf("verify the rows of the line of projection %s: %w", l.leader().Spec.Name, err)
		}
	}
	return nil
}

// twin is an active version with the scratch version that is built to compare it with.
type twin struct {
	kind
	active, scratch register.Entry
	follower        versionFollower // of scratch
	compare         bool            // false for a leader that is only built for its followers
	until           int64           // where the active version stood
}

func verifyLine(ctx context.Context, log *eventstore.Log, l line, options VerifyRowsOptions) (err error) {
	pool := log.Pool()
	conn, err := register.LeadingConn(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := scratch.DropAbandoned(ctx, pool, conn); err != nil {
		return err
	}
	e := &engine{log: log, pool: pool, logger: options.Logger, metrics: newMetrics(prometheus.NewRegistry()), signals: &TestSignals{}, turns: newTurns()}
	e.decoder = decode.New(log, 0, e.metrics.decoded)

	twins, err := planTwins(ctx, pool, l, options.Names)
	if err != nil || len(twins) == 0 {
		return err
	}
	var created []projections.Schema // followers before their leader
	defer func() { err = errors.Join(err, scratch.Drop(ctx, pool, created)) }()
	for i := range twins {
		t := &twins[i]
		input := register.Log
		if i > 0 {
			input = twins[0].scratch.String()
		}
		if t.scratch, err = scratch.Create(ctx, pool, conn, t.Definition, input); err != nil {
			return err
		}
		created = slices.Insert(created, 0, t.scratch.Schema)
		if t.follower = t.newFollower(e, t.scratch); t.follower == nil {
			return fmt.Errorf("the code of projection %s can fold into version %d only", t.Spec.Name, t.Spec.Version)
		}
	}
	return buildAndCompare(ctx, pool, twins, options)
}

// planTwins returns what is to be built of a line: the leader first, then the followers that are to be compared. It is
// empty when nothing is to be compared.
func planTwins(ctx context.Context, pool *pgxpool.Pool, l line, names []string) (twins []twin, err error) {
	es, err := register.Read(ctx, pool)
	if err != nil {
		return nil, err
	}
	compare := func(m kind) bool {
		_, ok := es.Active(m.Spec.Name)
		return ok && (len(names) == 0 || slices.Contains(names, m.Spec.Name))
	}
	if !slices.ContainsFunc(l, compare) {
		return nil, nil
	}
	for i, m := range l {
		if i > 0 && !compare(m) {
			continue
		}
		active, ok := es.Active(m.Spec.Name)
		if ok && active.Rules != m.Spec.Version {
			return nil, fmt.Errorf("projection %s: %w: number %d, here is number %d", active.Schema, version.ErrRules, active.Rules, m.Spec.Version)
		}
		twins = append(twins, twin{kind: m, active: active, compare: compare(m)})
	}
	return twins, nil
}

// The scratch versions are built, again and again, up to where the active ones stand, until they are at most nearLag
// items behind or buildRounds are over. Then the followers of the active versions are held.
const (
	nearLag     = 4 * bulkLag
	buildRounds = 20
)

func buildAndCompare(ctx context.Context, pool *pgxpool.Pool, twins []twin, options VerifyRowsOptions) error {
	stop := reportProgress(ctx, twins, options.Progress)
	defer stop()
	for range buildRounds {
		if err := mark(ctx, pool, twins); err != nil {
			return err
		}
		behind := int64(0)
		for _, t := range twins {
			behind = max(behind, t.until-t.follower.progressed().position.Load())
		}
		if behind <= nearLag {
			break
		}
		if err := foldTwins(ctx, twins); err != nil {
			return err
		}
	}
	return register.InSnapshotAfter(ctx, pool, func(lock pgx.Tx) (bool, error) {
		ordered := slices.Clone(twins)
		slices.SortFunc(ordered, func(a, b twin) int { return strings.Compare(a.Spec.Name, b.Spec.Name) })
		for _, t := range ordered {
			if _, err := register.Hold(ctx, lock, t.active.Schema); err != nil {
				return false, err
			}
		}
		if err := mark(ctx, lock, twins); err != nil {
			return false, err
		}
		if err := allFinished(ctx, lock, ordered); err != nil {
			return false, err
		}
		return true, foldTwins(ctx, twins)
	}, func(snapshot pgx.Tx) error {
		for _, t := range twins {
			if !t.compare {
				continue
			}
			more := true
			each := func(d version.Difference) bool {
				more = more && options.Difference(t.Spec.Name, d)
				return more
			}
			if err := version.DiffIn(ctx, snapshot, t.Definition, t.active.Schema, t.scratch.Schema, each); err != nil {
				return fmt.Errorf("compare projection %s: %w", t.active, err)
			}
			if err := compareQuarantine(ctx, snapshot, t, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// allFinished returns an error if an active version is in the middle of an event.
func allFinished(ctx context.Context, lock pgx.Tx, twins []twin) error {
	for _, t := range twins {
		unfinished, err := register.Unfinished(ctx, lock, t.active.Schema)
		if err != nil {
			return err
		}
		if unfinished {
			return fmt.Errorf("projection %s folds an event that changes much of the chain; verify its rows when it is done", t.active)
		}
	}
	return nil
}

// mark notes where the active versions stand.
func mark(ctx context.Context, q register.Querier, twins []twin) error {
	for i := range twins {
		until, err := register.ReadPosition(ctx, q, twins[i].active.Schema)
		if err != nil {
			return err
		}
		atomic.StoreInt64(&twins[i].until, until)
	}
	return nil
}

// foldTwins folds up to where the active versions stood: the leader, and at the same time those that fold its steps.
func foldTwins(ctx context.Context, twins []twin) error {
	group, ctx := errgroup.WithContext(ctx)
	written := make(chan struct{}) // closed when the leader has written its steps
	group.Go(func() error {
		defer close(written)
		return twins[0].follower.foldUntil(ctx, twins[0].until)
	})
	for _, t := range twins[1:] {
		group.Go(func() error {
			for last := false; ; pause.For(ctx, buildInterval) {
				select {
				case <-written:
					last = true
				default:
				}
				if err := t.follower.foldUntil(ctx, t.until); err != nil {
					return err
				}
				if last || ctx.Err() != nil || t.follower.progressed().position.Load() >= t.until {
					return ctx.Err()
				}
			}
		})
	}
	return group.Wait()
}

// reportProgress calls progress every second until stop is called, and then once more.
func reportProgress(ctx context.Context, twins []twin, progress func(done, total int64)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			pause.For(ctx, time.Second)
			var done, total int64
			for i := range twins {
				done += twins[i].follower.progressed().position.Load()
				total += atomic.LoadInt64(&twins[i].until)
			}
			progress(done, total)
			if ctx.Err() != nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
