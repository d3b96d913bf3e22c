package projections

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
)

// VerifyRowsOptions say what VerifyRows compares. The zero value of any field means its default.
type VerifyRowsOptions struct {
	// Names of the projections; default all. What leads one is built along with it.
	Names []string
	// Logger for warnings; default none.
	Logger *slog.Logger
	// Progress, if any, is told about every second how many items of a line are folded, of how many.
	Progress func(done, total int64)
	// Difference is called for each row that differs, in which Old is what is there and New what the log gives. It ends the
	// comparison of a projection by returning false.
	Difference func(name string, d Difference) bool
}

// VerifyRows folds the log anew, into tables beside the active ones, compares these with the active ones where they stand by
// then, and drops them. The followers of the active versions wait for it at the end, for moments; readers never do. ErrRules when
// other code has built what is active: it can't be told what that would make of the log.
func VerifyRows(ctx context.Context, log *eventstore.Log, lines Lines, options VerifyRowsOptions) error {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	for _, name := range options.Names {
		if _, err := lines.of(name); err != nil {
			return fmt.Errorf("verify rows: %w", err)
		}
	}
	for _, line := range lines {
		if err := line.verifyRows(ctx, log, options); err != nil {
			return fmt.Errorf("verify the rows of the line of projection %s: %w", line.members[0].Spec.Name, err)
		}
	}
	return nil
}

// twin is an active instance with the one that is built to compare it with.
type twin struct {
	Definition
	active, built registered
	following     following
	compare       bool
	until         int64 // where the active one stood
}

func (l Line) verifyRows(ctx context.Context, log *eventstore.Log, options VerifyRowsOptions) (err error) {
	pool := log.Pool()
	conn, err := leadership(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := dropLeftovers(ctx, pool, conn); err != nil {
		return err
	}
	e := &engine{log: log, pool: pool, logger: options.Logger, metrics: newMetrics(prometheus.NewRegistry())}
	e.decoder = NewDecoder(log, 0, e.metrics.decoded)

	twins, err := l.twins(ctx, pool, options.Names)
	if err != nil || len(twins) == 0 {
		return err
	}
	var made []Instance // those that fold the steps of others first
	defer func() { err = errors.Join(err, dropScratch(ctx, pool, made)) }()
	for i := range twins {
		t := &twins[i]
		reads := "log"
		if i > 0 {
			reads = twins[0].built.String()
		}
		if t.built, err = scratch(ctx, pool, conn, t.Definition, reads); err != nil {
			return err
		}
		made = slices.Insert(made, 0, t.built.Instance)
		if t.following = l.member(t.Spec.Name).follow(e, t.built); t.following == nil {
			return fmt.Errorf("the code of projection %s can fold into version %d only", t.Spec.Name, t.Spec.Version)
		}
	}
	return buildAndCompare(ctx, pool, twins, options)
}

func (l Line) member(name string) member {
	return l.members[slices.IndexFunc(l.members, func(m member) bool { return m.Spec.Name == name })]
}

// twins are what is to be built of a line: the leader first, and those that are to be compared.
func (l Line) twins(ctx context.Context, pool *pgxpool.Pool, names []string) (twins []twin, err error) {
	es, err := readRegister(ctx, pool)
	if err != nil {
		return nil, err
	}
	compared := 0
	for i, m := range l.members {
		active, ok := es.active(m.Spec.Name)
		compare := ok && (len(names) == 0 || slices.Contains(names, m.Spec.Name))
		if compare {
			compared++
		}
		if !compare && i > 0 {
			continue
		}
		if ok && active.rules != m.Spec.Version {
			return nil, fmt.Errorf("projection %s: %w: number %d, here is number %d", active.Instance, ErrRules, active.rules, m.Spec.Version)
		}
		twins = append(twins, twin{Definition: m.Definition, active: active, compare: compare})
	}
	if compared == 0 {
		return nil, nil
	}
	return twins, nil
}

// near is how many items behind the active ones the built ones may be when the followers of the active ones are made to wait,
// and rounds is how often it is tried to come as near.
const (
	near   = 4 * bulkLag
	rounds = 20
)

func buildAndCompare(ctx context.Context, pool *pgxpool.Pool, twins []twin, options VerifyRowsOptions) error {
	stop := tell(ctx, twins, options.Progress)
	defer stop()
	for range rounds {
		if err := mark(ctx, pool, twins); err != nil {
			return err
		}
		behind := int64(0)
		for _, t := range twins {
			behind = max(behind, t.until-t.following.seen().position.Load())
		}
		if behind <= near {
			break
		}
		if err := foldTwins(ctx, twins); err != nil {
			return err
		}
	}
	return inSnapshotAfter(ctx, pool, func(lock pgx.Tx) (bool, error) {
		ordered := slices.Clone(twins)
		slices.SortFunc(ordered, func(a, b twin) int { return strings.Compare(a.Spec.Name, b.Spec.Name) })
		for _, t := range ordered {
			if _, err := hold(ctx, lock, t.active.Instance); err != nil {
				return false, err
			}
		}
		if err := mark(ctx, lock, twins); err != nil {
			return false, err
		}
		return true, foldTwins(ctx, twins)
	}, func(tx pgx.Tx) error {
		for _, t := range twins {
			if !t.compare {
				continue
			}
			err := diff(ctx, tx, t.BuildDependent, t.active.Instance, t.built.Instance, func(d Difference) bool { return options.Difference(t.Spec.Name, d) })
			if err != nil && !errors.Is(err, errEnough) {
				return fmt.Errorf("compare projection %s: %w", t.active, err)
			}
			if errors.Is(err, errEnough) {
				_, err := tx.Exec(ctx, `CLOSE difference`)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// mark notes where the active instances stand.
func mark(ctx context.Context, q querier, twins []twin) error {
	for i := range twins {
		t := &twins[i]
		var until int64
		if err := q.QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = $1 AND version = $2`, t.active.Name, t.active.Version).Scan(&until); err != nil {
			return fmt.Errorf("read where projection %s stands: %w", t.active, err)
		}
		atomic.StoreInt64(&t.until, until)
	}
	return nil
}

// foldTwins folds up to where the active instances stood: the leader, and at the same time those that fold its steps.
func foldTwins(ctx context.Context, twins []twin) error {
	group, ctx := errgroup.WithContext(ctx)
	written := make(chan struct{}) // closed when the leader has written its steps
	group.Go(func() error {
		defer close(written)
		return twins[0].following.foldUntil(ctx, twins[0].until)
	})
	for _, t := range twins[1:] {
		group.Go(func() error {
			for last := false; ; sleep(ctx, gatherTime) {
				select {
				case <-written:
					last = true
				default:
				}
				if err := t.following.foldUntil(ctx, t.until); err != nil {
					return err
				}
				if last || ctx.Err() != nil || t.following.seen().position.Load() >= t.until {
					return ctx.Err()
				}
			}
		})
	}
	return group.Wait()
}

// tell tells of progress until stop is called.
func tell(ctx context.Context, twins []twin, progress func(done, total int64)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			sleep(ctx, time.Second)
			var folded, total int64
			for i := range twins {
				folded += twins[i].following.seen().position.Load()
				total += atomic.LoadInt64(&twins[i].until)
			}
			progress(folded, total) // the last time when all is built
			if ctx.Err() != nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
