package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/commit"
	"strata/internal/tracing"
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
	lanes      []*participant // that fold, in the order of the pipeline; nil for what the trip itself does
	leaders    []*participant
	moves      []*move
	notice     notice     // for others that wait for what has changed
	failed     *passenger // the one at fault; nil when it is the leader, or the database
	moved      bool       // somebody else has moved a passenger
	careful    bool       // it is known that all passengers are at their places before anything is folded
	started    time.Time
	counts     pipeline.Counts // of the folds
}

func newTrip(leader *follower[projections.LogItem], trains []train, passengers []*passenger) *trip {
	return &trip{leader: leader, trains: trains, passengers: passengers, notice: notice{payload: leader.origin, alone: leader.listener.Alone()}}
}

// make folds items of the leader, and what follows from them, in one transaction.
func (t *trip) make(ctx context.Context, items []projections.LogItem) error {
	ctx, span := startFold(ctx, t.leader.tracer, t.leader.spec.Schema, items)
	defer span.End()
	err := pipeline.InTransaction(ctx, t.leader.tip, func(tx pgx.Tx) error { return t.fold(ctx, tx, items) })
	if err != nil {
		tracing.Fail(span, err)
		for _, p := range t.passengers {
			p.forget()
		}
		return err
	}
	t.committed(ctx)
	return nil
}

// questions reports whether an error may come of a passenger that somebody else has moved, so that the trip is to be made again
// with care.
func (t *trip) questions(err error) bool {
	var refused *pgconn.PgError
	switch {
	case err == nil, t.careful, transient(err), errors.Is(err, errTooMuch):
		return false
	}
	return t.failed == nil || errors.As(err, &refused)
}

// fold folds the items of the leader, then the steps that follow from them. All positions move with one
// compare-and-set. It begins the transaction and commits it.
func (t *trip) fold(ctx context.Context, tx pgx.Tx, items []projections.LogItem) (err error) {
	t.started = time.Now()
	t.counts, err = pipeline.Run(ctx, tx,
		func() ([]pipeline.Fold, error) { return t.lead(ctx, items) },
		func() ([]pipeline.Fold, error) { return t.follow(ctx) },
		func() ([]pipeline.Fold, error) { return t.arrive(ctx) })
	var failed *pipeline.Error
	switch {
	case t.moved: // whatever else went wrong came of it
		return errMoved
	case !errors.As(err, &failed):
		return err
	}
	if p := t.lanes[failed.Fold]; p != nil && !transient(failed.Err) {
		t.blame(p.move.place)
	}
	return failed.Err
}

// lead returns the folds of the leaders. Beside these, the first lane begins the transaction.
func (t *trip) lead(ctx context.Context, items []projections.LogItem) ([]pipeline.Fold, error) {
	for _, train := range t.trains {
		leader, err := train.logFold(ctx, t.leader, items)
		if err != nil {
			return nil, err
		}
		t.leaders = append(t.leaders, leader)
	}
	return append([]pipeline.Fold{t.own(func(tx pgx.Tx) error { return t.hold(ctx, tx) })}, t.foldsOf(ctx, t.leaders)...), nil
}

// follow returns the folds of the steps that the leaders have made.
func (t *trip) follow(ctx context.Context) ([]pipeline.Fold, error) {
	for _, leader := range t.leaders {
		if leader.move.outcome.Left > 0 {
			return nil, errTooMuch
		}
	}
	var followers []*participant
	for _, train := range t.trains {
		riders, channel, err := train.stepFolds(ctx)
		if err != nil {
			return nil, err
		}
		if channel != "" {
			t.notice.channels = append(t.notice.channels, channel)
		}
		followers = append(followers, riders...)
	}
	return t.foldsOf(ctx, followers), nil
}

// arrive moves all positions, tells those that listen, and commits.
func (t *trip) arrive(ctx context.Context) ([]pipeline.Fold, error) {
	return []pipeline.Fold{t.own(func(tx pgx.Tx) error {
		_, span := t.leader.tracer.Start(ctx, "commit")
		defer span.End()
		t.notice.channels = append(t.notice.channels, Channel)
		return writeMoves(ctx, tx, t.moves, &t.notice, `commit`)
	})}, nil
}

// hold begins the transaction, and locks the positions of all passengers, which keeps another process from folding the same items at
// the same time. Nothing waits for that: if a passenger is not where this process believes, the move at the end fails. A careful trip
// waits, to tell which one was moved.
func (t *trip) hold(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue(`begin`)
	if !t.leader.settled {
		batch.Queue(foldSettings, true)
	}
	held := queueHold(batch, placesOf(t.passengers))
	results := tx.SendBatch(ctx, batch)
	if !t.careful {
		return nil
	}
	if err := results.Close(); err != nil {
		return fmt.Errorf("lock the positions of %d projections: %w", len(t.passengers), err)
	}
	for _, p := range t.passengers {
		if !held[p.place.version] {
			t.moved = true
			t.blame(p.place)
			return errMoved
		}
	}
	return nil
}

// own adds a lane of the trip itself.
func (t *trip) own(fold pipeline.Fold) pipeline.Fold {
	t.lanes = append(t.lanes, nil)
	return fold
}

// foldsOf adds lanes in which participants fold, and their moves.
func (t *trip) foldsOf(ctx context.Context, participants []*participant) []pipeline.Fold {
	folds := make([]pipeline.Fold, len(participants))
	for i, p := range participants {
		folds[i] = func(tx pgx.Tx) error {
			span := startPart(ctx, t.leader.tracer, p.move)
			defer span.End()
			err := p.fold(ctx, tx)
			tracing.Fail(span, err)
			return err
		}
		t.lanes, t.moves = append(t.lanes, p), append(t.moves, p.move)
	}
	return folds
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
func (t *trip) committed(ctx context.Context) {
	took := time.Since(t.started)
	t.leader.metrics.transactions.Inc()
	t.leader.journal.Moved()
	t.leader.metrics.statements.Add(float64(t.counts.Statements))
	t.leader.metrics.roundTrips.Add(float64(t.counts.RoundTrips))
	for _, m := range t.moves {
		m.committed(ctx, took)
	}
	moves := make([]commit.Move, len(t.moves))
	for i, m := range t.moves {
		moves[i] = m.published()
	}
	t.leader.publish(moves)
	for _, train := range t.trains {
		train.signal()
	}
	if t.notice.skipped {
		for _, channel := range t.notice.channels {
			t.leader.listener.Skipped(channel)
		}
	}
}
