package subscriptions

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/hash"
	"strata/internal/locks"
	"strata/subscriptions/filter"
)

// channel is notified when a person changes a subscription.
const channel = "strata_subscription"

// States of a subscription.
const (
	active = "active"
	paused = "paused"
)

// subscription is a row.
type subscription struct {
	id                         uuid.UUID
	name, filterText           string
	url, authorization, secret string
	state, reason              string
	grouped                    bool
	at                         place // meaningless if grouped
	floor                      int64
	sequence, delivered        int64
	failures                   int
	nextAttempt                time.Time
	lastError                  string
	created                    time.Time
	filter                     *filter.Filter
}

// columns are those of a subscription; a grouped one has the place that it shares.
const columns = `
	s.id, s.name, s.filter, s.url, s."authorization", s.secret, s.state, s.reason, s.grouped,
	CASE WHEN s.grouped THEN p.epoch ELSE s.epoch END, CASE WHEN s.grouped THEN p.step ELSE s.step END,
	CASE WHEN s.grouped THEN p.log_seq ELSE s.log_seq END, CASE WHEN s.grouped THEN p.height ELSE s.height END,
	CASE WHEN s.grouped THEN p.index_block_hash ELSE s.index_block_hash END,
	s.floor, s.sequence, s.delivered, s.failures, s.next_attempt_at, s.error, s.created_at
	FROM log.subscription s LEFT JOIN log.subscription_progress p ON true`

func scan(row pgx.CollectableRow) (*subscription, error) { return scanKnown(row, nil) }

// scanKnown takes filters from those that are known, for they never change.
func scanKnown(row pgx.CollectableRow, known map[uuid.UUID]*subscription) (*subscription, error) {
	s := &subscription{}
	var id []byte
	err := row.Scan(&s.id, &s.name, &s.filterText, &s.url, &s.authorization, &s.secret, &s.state, &s.reason, &s.grouped,
		&s.at.epoch, &s.at.step, &s.at.logSeq, &s.at.height, &id, &s.floor, &s.sequence, &s.delivered, &s.failures, &s.nextAttempt, &s.lastError, &s.created)
	if err != nil {
		return nil, err
	}
	copy(s.at.block[:], id)
	if before := known[s.id]; before != nil {
		s.filter = before.filter
		return s, nil
	}
	s.filter, err = filter.Compile([]byte(s.filterText))
	return s, err
}

// ErrNotFound means that there is no subscription with an id.
var ErrNotFound = errors.New("there is no such subscription")

func (r *Role) get(ctx context.Context, id uuid.UUID) (*subscription, error) {
	rows, err := r.pool.Query(ctx, `SELECT `+columns+` WHERE s.id = $1`, id)
	if err != nil {
		return nil, err
	}
	s, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	return s, err
}

// list returns subscriptions in the order of their ids, after one.
func (r *Role) list(ctx context.Context, after uuid.UUID, limit int) ([]*subscription, error) {
	rows, err := r.pool.Query(ctx, `SELECT `+columns+` WHERE s.id > $1 ORDER BY s.id LIMIT $2`, after, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// change makes a change by a person, of which the holder learns before it makes another message.
func (r *Role) change(ctx context.Context, f func(tx pgx.Tx) error) error {
	return locks.Hold(ctx, r.pool, 0, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO log.subscription_progress AS p (holder, held_until, changes) VALUES ('', '-infinity', 1)
			ON CONFLICT (singleton) DO UPDATE SET changes = p.changes + 1`)
		if err == nil {
			err = f(tx)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `SELECT pg_notify($1, '')`, channel)
		}
		return err
	})
}

func (r *Role) insert(ctx context.Context, s *subscription) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			INSERT INTO log.subscription (id, name, filter, url, "authorization", secret, state, reason, grouped, epoch, step, log_seq, height,
				index_block_hash, floor, sequence, delivered, failures, next_attempt_at, error)
			VALUES ($1, $2, $3, $4, $5, $6, 'active', '', false, $7, $8, $9, $10, $11, $12, 0, 0, 0, 'epoch', '') RETURNING created_at`,
			s.id, s.name, s.filterText, s.url, s.authorization, s.secret, s.at.epoch, s.at.step, s.at.logSeq, s.at.height, blockBytes(s.at), s.floor).Scan(&s.created)
	})
}

func blockBytes(p place) []byte {
	if p.block == (hash.Hash32{}) {
		return []byte{}
	}
	return p.block[:]
}

// pauseSQL pauses subscriptions; one that shares its place keeps it. A condition on s follows.
const pauseSQL = `
	UPDATE log.subscription s SET state = 'paused', reason = $2, grouped = false,
		epoch = CASE WHEN s.grouped THEN p.epoch ELSE s.epoch END, step = CASE WHEN s.grouped THEN p.step ELSE s.step END,
		log_seq = CASE WHEN s.grouped THEN p.log_seq ELSE s.log_seq END, height = CASE WHEN s.grouped THEN p.height ELSE s.height END,
		index_block_hash = CASE WHEN s.grouped THEN p.index_block_hash ELSE s.index_block_hash END
	FROM log.subscription_progress p WHERE s.id = $1 AND s.state = 'active'`

// pause stops a subscription, which keeps its place.
func (r *Role) pause(ctx context.Context, id uuid.UUID, reason string) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		return one(tx.Exec(ctx, pauseSQL, id, reason))
	})
}

// resume lets one go on where it was.
func (r *Role) resume(ctx context.Context, id uuid.UUID) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		return one(tx.Exec(ctx, `
			UPDATE log.subscription SET state = 'active', reason = '', failures = 0, next_attempt_at = 'epoch' WHERE id = $1 AND state = 'paused'`, id))
	})
}

func (r *Role) remove(ctx context.Context, id uuid.UUID) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		return one(tx.Exec(ctx, `DELETE FROM log.subscription WHERE id = $1`, id))
	})
}

// one returns ErrNotFound if a statement has changed no row.
func one(tag pgconn.CommandTag, err error) error {
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNotFound
	}
	return err
}
