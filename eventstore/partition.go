package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/longlock"
)

// partitions adds partitions to the log's table, half a partition ahead of the newest event, in the background. An append
// waits only for the partition that it needs itself. So what stops DDL for a while (an ANALYZE of the table, a role that may
// not make tables) stops no append while there is room.
type partitions struct {
	pool   *pgxpool.Pool
	count  int64 // positions per partition
	logger *slog.Logger

	mu    longlock.Lock
	ready int64 // positions below this have a partition; 0: unknown

	ahead   sync.Mutex // held while a partition is added ahead
	retryAt time.Time  // when that is tried again after an error; guarded by ahead
	adding  sync.WaitGroup
	closed  context.Context // ends the background
	end     context.CancelFunc
}

const (
	// partitionAttempts is the maximum number of attempts to add partitions while other processes add the same.
	partitionAttempts = 5
	// aheadTimeout bounds an attempt to add partitions in the background.
	aheadTimeout = time.Minute
	// aheadInterval is how long the background waits after an attempt that failed.
	aheadInterval = 10 * time.Second
)

func newPartitions(pool *pgxpool.Pool, count int64, logger *slog.Logger) *partitions {
	p := &partitions{pool: pool, count: count, logger: logger, mu: longlock.New()}
	p.closed, p.end = context.WithCancel(context.Background())
	return p
}

// ensure returns once positions up to seq have a partition. Half a partition beyond, it adds the next one in the
// background.
func (p *partitions) ensure(ctx context.Context, seq int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seq >= p.ready {
		if err := p.addUpTo(ctx, seq); err != nil {
			return fmt.Errorf("add the log's next partition: %w", err)
		}
	}
	if need := seq + p.count/2; need >= p.ready && p.ahead.TryLock() {
		if time.Now().Before(p.retryAt) {
			p.ahead.Unlock()
			return nil
		}
		p.adding.Go(func() { p.addAhead(need) })
	}
	return nil
}

// addAhead adds partitions up to need in the background. It unlocks p.ahead.
func (p *partitions) addAhead(need int64) {
	defer p.ahead.Unlock()
	ctx, cancel := context.WithTimeout(p.closed, aheadTimeout)
	defer cancel()
	other := partitions{pool: p.pool, count: p.count}
	err := other.find(ctx)
	if err == nil {
		err = other.addUpTo(ctx, need)
	}
	if err != nil {
		p.retryAt = time.Now().Add(aheadInterval)
		if p.closed.Err() == nil {
			p.logger.LogAttrs(ctx, slog.LevelWarn, "cannot add the log's next partition ahead of time; trying again; events are taken as long as there is room",
				slog.Duration("wait", aheadInterval), slog.Any("error", err))
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = max(p.ready, other.ready)
}

// close ends the background.
func (p *partitions) close() {
	p.end()
	p.adding.Wait()
}

// addUpTo adds partitions until positions up to need have one.
func (p *partitions) addUpTo(ctx context.Context, need int64) error {
	for attempt := 1; need >= p.ready; attempt++ {
		err := p.add(ctx, need)
		if err == nil {
			break
		}
		// If the server refused, another process was most likely faster: look again.
		p.ready = 0
		var refused *pgconn.PgError
		if attempt == partitionAttempts || !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

// find looks up which positions have a partition. Another process may have added some, and with another count.
func (p *partitions) find(ctx context.Context) error {
	err := p.pool.QueryRow(ctx, `
		SELECT coalesce(max((regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''(\d+)''\)'))[1]::bigint), 0)
		FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'log.event'::regclass`).Scan(&p.ready)
	if err != nil {
		return fmt.Errorf("look up the partitions: %w", err)
	}
	return nil
}

func (p *partitions) add(ctx context.Context, need int64) error {
	if p.ready == 0 {
		if err := p.find(ctx); err != nil {
			return err
		}
	}
	for p.ready <= need {
		if _, err := p.pool.Exec(ctx, `SELECT log.add_partition($1, $2)`, p.ready, p.count); err != nil {
			return err
		}
		p.ready += p.count
	}
	return nil
}

const (
	// unseenRetries is the maximum number of retries of an append after partitionUnseen: for a second and more, because a busy
	// machine may stop the other session between the two.
	unseenRetries = 200
	// unseenWait is the wait before each retry.
	unseenWait = 5 * time.Millisecond
)

// partitionUnseen reports whether an append failed, with nothing written, because its session saw no partition for it.
// Appends call ensure first, so the partition exists. But if another process has just attached it, a session may see
// that commit a moment before it sees the partition (ATTACH PARTITION does not block writers).
func partitionUnseen(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "23514" && // check_violation
		refused.TableName == "event" && refused.ConstraintName == ""
}
