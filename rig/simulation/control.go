package simulation

import (
	"context"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"strata/projections/version"
)

// control is the script's own connection to the database, which nothing disturbs.
type control struct {
	conn   *pgx.Conn
	asking sync.Mutex // held while conn is used: a COPY is carried out beside the script

	mu       sync.Mutex
	sessions []*session
}

// openControl connects to a database.
func openControl(ctx context.Context, url string) (*control, error) {
	conn, err := pgx.Connect(ctx, url)
	return &control{conn: conn}, err
}

// know remembers a session.
func (c *control) know(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions = append(c.sessions, s)
}

// forget forgets a session that has ended.
func (c *control) forget(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions = slices.DeleteFunc(c.sessions, func(other *session) bool { return other == s })
}

// listening returns the sessions that listen for notifications.
func (c *control) listening() (all []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if s.hears {
			all = append(all, s)
		}
	}
	return all
}

// statuses returns those of all versions of projections.
func (c *control) statuses() ([]version.Status, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	return version.StatusesWithoutSizes(context.Background(), c.conn)
}

// locked reports whether a session of the server waits for a lock.
func (c *control) locked(pid uint32) (locked bool) {
	c.asking.Lock()
	defer c.asking.Unlock()
	err := c.conn.QueryRow(context.Background(), `SELECT coalesce((SELECT wait_event_type = 'Lock' FROM pg_catalog.pg_stat_activity WHERE pid = $1), false)`, pid).Scan(&locked)
	if err != nil {
		panic(err)
	}
	return locked
}

// await waits until sessions of the server that were cut have ended, so that nothing depends on when it notices.
func (c *control) await(pids ...uint32) {
	for {
		var left int
		c.asking.Lock()
		err := c.conn.QueryRow(context.Background(), `
			SELECT count(*), count(pg_catalog.pg_terminate_backend(pid)) FILTER (WHERE wait_event_type = 'Lock')
			FROM pg_catalog.pg_stat_activity WHERE pid = ANY($1::int[])`, pids).Scan(&left, nil)
		c.asking.Unlock()
		if err != nil {
			panic(err)
		}
		if left == 0 {
			return
		}
	}
}
