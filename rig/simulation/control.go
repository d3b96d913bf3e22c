package simulation

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/projections/version"
)

// control is the script's own connection to the database, which nothing disturbs.
type control struct {
	asking sync.Mutex // guards the connection and clock: a COPY asks beside the script
	conn   *pgx.Conn
	clock  time.Time // of the database

	mu       sync.Mutex
	sessions []*session
}

// openControl connects to a database, and gives it a clock of the world: sessions find sim.now() before that of Postgres, whose time
// is real.
func openControl(ctx context.Context, url string) (*control, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, `
		CREATE SCHEMA sim;
		CREATE TABLE sim.clock (at timestamptz NOT NULL);
		INSERT INTO sim.clock VALUES ('epoch');
		CREATE FUNCTION sim.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM sim.clock';
		GRANT USAGE ON SCHEMA sim TO PUBLIC;
		GRANT SELECT ON sim.clock TO PUBLIC`)
	return &control{conn: conn}, err
}

// searchPath is that of a session in which now() is the time of the world.
const searchPath = "sim, pg_catalog"

// tick sets the clock.
func (c *control) tick(now time.Time) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if now.Equal(c.clock) {
		return
	}
	if _, err := c.conn.Exec(context.Background(), `UPDATE sim.clock SET at = $1`, now); err != nil {
		panic(err)
	}
	c.clock = now
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
