package eventstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// partitions adds partitions to the log's table: for the events about to be appended, and half a partition ahead.
type partitions struct {
	pool  *pgxpool.Pool
	count int64 // positions per partition

	mu    sync.Mutex
	ready int64 // positions below this have a partition; 0: unknown
}

// partitionAttempts is the maximum number of attempts to add partitions while other processes add the same.
const partitionAttempts = 5

// ensure adds partitions until positions up to seq, and half a partition beyond, have one.
func (p *partitions) ensure(ctx context.Context, seq int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	need := seq + p.count/2
	for attempt := 1; need >= p.ready; attempt++ {
		err := p.add(ctx, need)
		if err == nil {
			break
		}
		// If the server refused, another process was most likely faster: look again.
		p.ready = 0
		var refused *pgconn.PgError
		if attempt == partitionAttempts || !errors.As(err, &refused) {
			return fmt.Errorf("add the log's next partition: %w", err)
		}
	}
	return nil
}

func (p *partitions) add(ctx context.Context, need int64) error {
	if p.ready == 0 {
		// Another process may have added partitions, and with another count.
		err := p.pool.QueryRow(ctx, `
			SELECT coalesce(max((regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''(\d+)''\)'))[1]::bigint), 0)
			FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
			WHERE i.inhparent = 'log.event'::regclass`).Scan(&p.ready)
		if err != nil {
			return fmt.Errorf("look up the partitions: %w", err)
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
	// unseenRetries is the maximum number of retries of an append after partitionUnseen.
	unseenRetries = 20
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
