package replica

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/must"
)

// newChoice returns a choice among two replicas and a primary that nobody looks at but the test.
func newChoice(t *testing.T, shown *int64) *Choice {
	t.Helper()
	to := func(host string) *pgx.ConnConfig {
		return must.Get(pgx.ParseConfig("postgres://" + host + "/strata"))(t)
	}
	return New(Config{Primary: to("primary"), Replicas: []*pgx.ConnConfig{to("a"), to("b")}, LagLimit: time.Second, Shown: func() int64 { return *shown }})
}

// Reads stay where they are while that is good, do not go back, and go to the primary last.
func TestChoice(t *testing.T) {
	t.Parallel()
	var shown int64
	c := newChoice(t, &shown)
	a, b, primary := c.servers[0], c.servers[1], c.servers[2]
	learn := func(s *server, wal, log int64, err error) {
		t.Helper()
		c.learn(t.Context(), s, seen{wal: wal, writable: s.primary, log: log}, err)
	}
	is := func(what string, want *server) {
		t.Helper()
		if got := c.current.Load(); got != want {
			t.Errorf("%s: reads go to %s, want %s", what, got.name, want.name)
		}
	}
	gone := errors.New("gone")
	learn(primary, 100, 10, nil)
	learn(a, 100, 10, nil)
	learn(b, 100, 10, nil)
	is("all are good", a)
	learn(a, 0, 0, gone)
	is("the first is gone", b)
	learn(a, 100, 10, nil)
	is("the first is back", b)
	learn(b, 0, 0, gone)
	is("the second is gone", a)
	learn(a, 0, 0, gone)
	is("both are gone", primary)
	learn(b, 100, 10, nil)
	is("the second is back", b)

	// It lacks something for longer than a second, and then for less than half of that.
	learn(primary, 200, 20, nil)
	c.history.samples[len(c.history.samples)-1].at = time.Now().Add(-2 * time.Second)
	learn(a, 200, 20, nil)
	learn(b, 150, 15, nil)
	is("the second lags", a)
	if !b.out || b.lag < time.Second {
		t.Errorf("got a lag of %s", b.lag)
	}
	learn(b, 200, 20, nil)
	if b.out || b.err != nil {
		t.Error("one that has caught up is still left out")
	}

	// One that lacks what was shown is not read, unless there is nothing else.
	shown = 20
	learn(primary, 210, 20, nil)
	learn(b, 209, 19, nil)
	learn(a, 0, 0, gone)
	is("the other one lacks what was shown", primary)
	learn(primary, 0, 0, gone)
	learn(b, 209, 19, nil)
	is("only one is left", b)
	c.history.samples[len(c.history.samples)-1].at = time.Now().Add(-time.Hour) // the primary is gone, and so it will lag for ever
	learn(b, 209, 19, nil)
	is("what is left lacks the last that the primary had", b)
	learn(primary, 220, 20, nil)
	is("the primary is back", primary)
}
