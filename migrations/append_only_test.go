package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

func TestLogRefusesChange(t *testing.T) {
	pool := pgtest.New(t)
	must.Do(t, migrations.Up(t.Context(), pgtest.URL(t)))
	log := eventstore.Open(pool, eventstore.Config{})
	pgtest.AtEnd(t, log.Close)
	must.Get(pool.Exec(context.Background(), `SELECT log.add_partition(1000000, 1000000)`))(t)
	for _, body := range [][]byte{{'x'}, {'y'}, make([]byte, 16<<10)} { // the last one is large
		must.Get(log.Append(t.Context(), eventstore.Incoming{Path: "/new_block", Body: eventstore.NewBody(body)}))(t)
	}
	state := func() string {
		size, root, err := log.Checkpoint(t.Context())
		must.Do(t, err)
		return fmt.Sprintf("%d %x %v", size, root, must.Get(log.Read(t.Context(), eventstore.Range{Events: 9, Bytes: 1 << 20}))(t))
	}
	before := state()

	const insufficientPrivilege = "42501"
	ctx := context.Background()
	for role, url := range map[string]string{"application": pgtest.URL(t), "superuser": pgtest.AdminURL(t)} {
		conn := pgtest.Connect(t, url)
		for _, sql := range []string{
			`UPDATE log.event SET path = '/other'`,
			`UPDATE log.event SET body = '' WHERE seq = 1`,
			`DELETE FROM log.event WHERE seq = 1`,
			`TRUNCATE log.event`,
			`TRUNCATE log.event CASCADE`,
			`UPDATE log.event_000000000000000 SET path = '/other'`,
			`DELETE FROM log.event_000000000000000 WHERE seq = 1`,
			`TRUNCATE log.event_000000000000000`,
			`TRUNCATE log.event_000000001000000`,
			`UPDATE log.body SET seq = 2`,
			`DELETE FROM log.body`,
			`TRUNCATE log.body`,
			`UPDATE log.small_body SET seq = 2`,
			`DELETE FROM log.small_body`,
			`TRUNCATE log.small_body`,
			`UPDATE log.head SET size = size - 1`,
			`UPDATE log.head SET frontier = ''`,
			`UPDATE log.head SET size = size + 1, leaf_version = 2`,
			`DELETE FROM log.head`,
			`TRUNCATE log.head`,
			`INSERT INTO log.event SELECT * FROM log.event ON CONFLICT (seq) DO UPDATE SET path = '/other'`,
		} {
			_, err := conn.Exec(ctx, sql)
			var refused *pgconn.PgError
			if !errors.As(err, &refused) || refused.Code != insufficientPrivilege {
				t.Errorf("%s: %s: got %v, want it refused", role, sql, err)
			}
		}
	}
	if after := state(); after != before {
		t.Errorf("the log has changed from %s to %s", before, after)
	}
}
