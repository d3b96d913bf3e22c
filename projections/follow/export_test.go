package follow

import (
	"context"
	"log/slog"
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/commit"
	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/decode"
	"strata/projections/internal/register"
)

// TryLead makes a connection the leader of a version, unless another connection is.
var TryLead = register.TryLead

// ErrMoved is the error of a follower that another process has overtaken.
var ErrMoved = errMoved

// Still are the followers of the active versions of a line, the leader first. They do only what a test calls, in its goroutine.
type Still struct {
	engine engine
	leader *follower[projections.LogItem]
	all    []stillFollower
}

type stillFollower interface {
	versionFollower
	joiner
	arrive(ctx context.Context) (bool, error)
	stands(ctx context.Context) (position, head int64, err error)
	skipNext(ctx context.Context, cause error) error
}

func (f *follower[T]) skipNext(ctx context.Context, cause error) error {
	items, _, err := f.source.read(ctx, f.position)
	if err != nil {
		return err
	}
	return f.skip(ctx, items[0], cause)
}

// NewStill returns the followers of a line.
func NewStill(t *testing.T, log *eventstore.Log, l projections.Line) *Still {
	t.Helper()
	s := &Still{engine: engine{
		log: log, pool: log.Pool(), logger: slog.New(slog.DiscardHandler), metrics: newMetrics(prometheus.NewRegistry()), signals: &TestSignals{}, turns: newTurns(), publish: func([]commit.Move) {},
	}}
	s.engine.decoder = decode.New(log, 0, s.engine.metrics.decoded)
	es := must.Get(register.Read(t.Context(), log.Pool()))(t)
	must.Do(t, s.engine.connect(t.Context()))
	pgtest.AtEnd(t, s.engine.tip.Close)
	for _, m := range newLines(projections.Lines{l})[0] {
		active, _ := es.Active(m.Spec.Name)
		s.all = append(s.all, m.newFollower(&s.engine, active).(stillFollower))
	}
	s.leader = s.all[0].(*follower[projections.LogItem])
	return s
}

// Join lets all followers join the group of the leader, which must stand where the log ends.
func (s *Still) Join(ctx context.Context) error {
	s.leader.group.open()
	for _, f := range s.all[1:] {
		if _, _, err := s.leader.group.admit(ctx, &member{f, make(chan error, 1)}); err != nil {
			return err
		}
	}
	return nil
}

// Members returns how many are members of the group.
func (s *Still) Members() int { return len(s.leader.group.members) }

// Leave lets all members leave.
func (s *Still) Leave() { s.leader.group.close() }

// Fold folds what there is, with the members of the group if it is the leader.
func (s *Still) Fold(ctx context.Context, i int) error { return s.all[i].foldUntil(ctx, math.MaxInt64) }

// Again lets the leader take all events, of which it has folded some.
func (s *Still) Again(ctx context.Context) error {
	events, _, err := s.leader.source.read(ctx, 0)
	if err != nil {
		return err
	}
	_, err = s.leader.handler(ctx)(batch(ctx, events))
	return err
}

// Skip skips the next item, which has failed.
func (s *Still) Skip(ctx context.Context, i int, cause error) error {
	return s.all[i].skipNext(ctx, cause)
}

// Look does what followers do at the head.
func (s *Still) Look(ctx context.Context) error {
	for _, f := range s.all {
		if arrived, err := f.arrive(ctx); err != nil || !arrived {
			return err
		}
		if _, _, err := f.stands(ctx); err != nil {
			return err
		}
	}
	return (&delivery[projections.LogItem]{follower: s.leader}).confirm(ctx)
}
