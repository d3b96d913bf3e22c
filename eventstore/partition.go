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

// partitions makes sure that the log's table has a partition for what is about to be appended, and the next one
// ahead of time, so that an append never waits for one.
type partitions struct {
	pool  *pgxpool.Pool
	count int64

	mu    sync.Mutex
	ready int64 // positions below this have a partition
}

// partitionAttempts bounds how often adding partitions is tried again because another process adds the same.
const partitionAttempts = 5

// ensure returns when positions up to seq, and half a partition beyond, can be written.
func (p *partitions) ensure(ctx context.Context, seq int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	need := seq + p.count/2
	for attempt := 1; need >= p.ready; attempt++ {
		err := p.add(ctx, need)
		if err == nil {
			break
		}
		// What the server refused, it most likely refused because another process was faster: look again.
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
		// Partitions may have been made by others, with another count.
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

// unseenAttempts bounds how often an append is tried again because the server does not see a partition yet.
const unseenAttempts = 20

// unseenWait is how long to wait before that.
const unseenWait = 5 * time.Millisecond

// unseen says whether an append failed, with nothing written, because there was no partition for it. Appends see to that there is
// one, but when another process has just attached it, a server's session may know of the commit a moment before it knows of the
// partition (ATTACH does not stop writers).
func unseen(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "23514" && // check_violation
		refused.TableName == "event" && refused.ConstraintName == ""
}
