package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/commit"
	"strata/projections"
	"strata/projections/follow/internal/pipeline"
)

// passenger is a version on board of a convoy, whatever kind of items it folds.
type passenger struct {
	place  place
	forget func()
	putOff func(error) // nil for the leader that drives
}

func passengerOf[T projections.Item](f *follower[T], putOff func(error)) *passenger {
	return &passenger{place: f.place(), forget: f.projection.Forget, putOff: putOff}
}

func placesOf(passengers []*passenger) []place {
	places := make([]place, len(passengers))
	for i, p := range passengers {
		places[i] = p.place
	}
	return places
}

// participant is a version that folds something on a trip.
type participant struct {
	move *move
	fold func(ctx context.Context, tx pgx.Tx) error
}

func participantOf[T projections.Item](f *follower[T], items []T) *participant {
	m := moveOf(f, items)
	return &participant{m, func(ctx context.Context, tx pgx.Tx) (err error) {
		m.outcome, err = f.fold(ctx, tx, items)
		return err
	}}
}

// errTooMuch says that what an item leads to does not fit into one transaction.
var errTooMuch = errors.New("too much for one transaction")

// trip is one transaction of a convoy.
type trip struct {
	leader     *follower[projections.LogItem]
	trains     []train
	passengers []*passenger
	moves      []*move
	channels   []string   // on which others wait for what has changed
	failed     *passenger // the one at fault; nil when it is the leader, or the database
	started    time.Time
	counts     pipeline.Counts // of the folds
}

// fold folds the items of the leader, then the steps that follow from them. All positions move with one
// compare-and-set.
func (t *trip) fold(ctx context.Context, tx pgx.Tx, items []projections.LogItem) error {
	t.started = time.Now()
	if err := t.hold(ctx, tx); err != nil {
		return err
	}
	var leaders, followers []*participant
	for _, train := range t.trains {
		leader, err := train.logFold(ctx, t.leader, items)
		if err != nil {
			return err
		}
		leaders = append(leaders, leader)
	}
	if err := t.run(ctx, tx, leaders); err != nil {
		return err
	}
	for _, leader := range leaders {
		if leader.move.outcome.Left > 0 {
			return errTooMuch
		}
	}
	for _, train := range t.trains {
		riders, channel, err := train.stepFolds(ctx)
		if err != nil {
			return err
		}
		if channel != "" {
			t.channels = append(t.channels, channel)
		}
		followers = append(followers, riders...)
	}
	if err := t.run(ctx, tx, followers); err != nil {
		return err
	}
	return writeMoves(ctx, tx, t.moves, notice{append(t.channels, Channel), t.leader.origin})
}

// hold makes the settings for folds, and locks the rows of all passengers in the register, which must say what this
// process believes. The locks also keep a second process from folding the same items at the same time.
func (t *trip) hold(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue(foldSettings)
	held := queueHold(batch, placesOf(t.passengers))
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("lock the positions of %d projections: %w", len(t.passengers), err)
	}
	for _, p := range t.passengers {
		if !held[p.place.version] {
			t.blame(p.place)
			return errMoved
		}
	}
	return nil
}

// run lets participants fold at the same time, and adds their moves.
func (t *trip) run(ctx context.Context, tx pgx.Tx, participants []*participant) error {
	folds := make([]pipeline.Fold, len(participants))
	for i, p := range participants {
		folds[i] = func(tx pgx.Tx) error { return p.fold(ctx, tx) }
		t.moves = append(t.moves, p.move)
	}
	counts, err := pipeline.Run(ctx, tx, folds...)
	t.counts.Statements += counts.Statements
	t.counts.RoundTrips += counts.RoundTrips
	var failed *pipeline.Error
	if errors.As(err, &failed) {
		if !transient(failed.Err) {
			t.blame(participants[failed.Fold].move.place)
		}
		return failed.Err
	}
	return err
}

// blame notes which passenger is at fault, unless it is the leader.
func (t *trip) blame(p place) {
	for _, passenger := range t.passengers {
		if passenger.place == p && passenger.putOff != nil {
			t.failed = passenger
		}
	}
}

// committed takes note that the transaction has committed.
func (t *trip) committed() {
	took := time.Since(t.started)
	t.leader.metrics.transactions.Inc()
	t.leader.metrics.statements.Add(float64(t.counts.Statements))
	t.leader.metrics.roundTrips.Add(float64(t.counts.RoundTrips))
	for _, m := range t.moves {
		m.committed(took)
	}
	moves := make([]commit.Move, len(t.moves))
	for i, m := range t.moves {
		moves[i] = m.published()
	}
	t.leader.publish(moves)
	for _, train := range t.trains {
		train.signal()
	}
}
