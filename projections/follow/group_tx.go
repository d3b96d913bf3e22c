package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/commit"
	"strata/internal/dberror"
	"strata/internal/tracing"
	"strata/projections"
	"strata/projections/follow/internal/sharedtx"
)

// errTooMuch says that what an item leads to does not fit into one transaction.
var errTooMuch = errors.New("too much for one transaction")

// part is what one version folds in the transaction of a group.
type part struct {
	move *move
	fold func(ctx context.Context, tx pgx.Tx) error
}

func partOf[T projections.Item](f *follower[T], items []T) *part {
	m := moveOf(f, items)
	return &part{m, func(ctx context.Context, tx pgx.Tx) (err error) {
		m.outcome, err = f.fold(ctx, tx, items)
		return err
	}}
}

// groupTx is one transaction of a group, which is locked.
type groupTx struct {
	group   *group
	leader  *follower[projections.LogItem]
	members []*member
	moves   []*move
	leaders []*group // whose leaders fold
	notice  notice   // for others that wait for what has changed
	failed  *member  // the one at fault; nil when it is the leader, or the database
	// careful makes the transaction wait for each fold to be written, and before that for the locks of all positions, so
	// that an error names the member at fault.
	careful bool
}

func newGroupTx(g *group) *groupTx {
	l := g.leader
	return &groupTx{group: g, leader: l, members: g.all(), notice: notice{payload: l.origin, alone: l.listener.Alone()}}
}

// run folds items of the leader, then the steps that follow from them, and commits.
func (t *groupTx) run(ctx context.Context, items []projections.LogItem) error {
	ctx, span := startFold(ctx, t.leader.tracer, t.leader.spec.Schema, items)
	defer span.End()
	started := time.Now()
	var sent *sharedtx.Tx
	err := sharedtx.Run(ctx, t.leader.tip, func(tx *sharedtx.Tx) error {
		sent = tx
		return t.fold(ctx, tx, items)
	})
	if err != nil {
		tracing.Fail(span, err)
		t.leader.forget()
		for _, m := range t.members {
			m.forget()
		}
		return err
	}
	t.committed(ctx, sent, time.Since(started))
	return nil
}

func (t *groupTx) fold(ctx context.Context, tx *sharedtx.Tx, items []projections.LogItem) error {
	if err := t.lockPositions(ctx, tx); err != nil {
		return err
	}
	if err := t.foldLine(ctx, tx, t.group, nil, partOf(t.leader, items)); err != nil {
		return err
	}
	for _, m := range t.group.members {
		if own := m.leads(); own != nil {
			p, err := m.partOfEvents(ctx, items)
			if err != nil {
				return err
			}
			if err := t.foldLine(ctx, tx, own, m, p); err != nil {
				return err
			}
		}
	}
	_, span := t.leader.tracer.Start(ctx, "commit")
	defer span.End()
	t.notice.channels = append(t.notice.channels, Channel)
	return writeMoves(ctx, tx, t.moves, &t.notice, `commit`)
}

// lockPositions begins the transaction, and locks the positions of all members, which keeps another process from folding
// the same items at the same time. Nothing waits for that: if a member is not where this process believes, the move at the
// end fails. A careful transaction waits, to tell which one was moved.
func (t *groupTx) lockPositions(ctx context.Context, tx *sharedtx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue(`begin`)
	if !t.leader.settled {
		batch.Queue(foldSettings, true)
	}
	places := append([]place{t.leader.place()}, placesOf(t.members)...)
	if !t.careful {
		batch.Queue(lockPlaces, placeArguments(places)...)
		return tx.SendBatch(ctx, batch).Close()
	}
	held := queuePlaces(batch, lockPlaces, places)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("lock the positions of %d projections: %w", len(places), err)
	}
	for _, m := range t.members {
		if !held[m.place().version] {
			t.failed = m
			return errMoved
		}
	}
	if !held[t.leader.spec.Schema] {
		return errMoved
	}
	return nil
}

// foldLine folds what the leader of a group reads, and the steps that it makes of that.
func (t *groupTx) foldLine(ctx context.Context, tx *sharedtx.Tx, g *group, leader *member, events *part) error {
	if err := t.foldPart(ctx, tx, leader, events); err != nil {
		return err
	}
	if events.move.outcome.Left > 0 {
		return errTooMuch
	}
	t.leaders = append(t.leaders, g)
	if g.leader.wroteSteps() {
		t.notice.channels = append(t.notice.channels, stepChannel(g.leader.spec.Name))
	}
	for _, m := range g.members {
		if m.leads() != nil {
			continue
		}
		p, err := m.partOfSteps(ctx, g.leader)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		if err := t.foldPart(ctx, tx, m, p); err != nil {
			return err
		}
	}
	return nil
}

// foldPart folds a part, and notes the member at fault: nil for the leader of the group.
func (t *groupTx) foldPart(ctx context.Context, tx *sharedtx.Tx, m *member, p *part) error {
	span := startPart(ctx, t.leader.tracer, p.move)
	defer span.End()
	err := p.fold(ctx, tx)
	if err == nil && t.careful {
		err = tx.Flush(ctx)
	}
	if err != nil {
		tracing.Fail(span, err)
		if !dberror.Passing(err) {
			t.failed = m
		}
		return err
	}
	t.moves = append(t.moves, p.move)
	return nil
}

// committed takes note that the transaction has committed.
func (t *groupTx) committed(ctx context.Context, sent *sharedtx.Tx, took time.Duration) {
	t.leader.metrics.transactions.Inc()
	t.leader.journal.Moved()
	t.leader.metrics.statements.Add(float64(sent.Statements))
	t.leader.metrics.roundTrips.Add(float64(sent.RoundTrips))
	moves := make([]commit.Move, len(t.moves))
	for i, m := range t.moves {
		m.committed(ctx, took)
		moves[i] = m.published()
	}
	t.leader.publish(moves)
	for _, g := range t.leaders {
		g.leader.signal()
	}
	if t.notice.skipped {
		for _, channel := range t.notice.channels {
			t.leader.listener.Skipped(channel)
		}
	}
}
