package pgtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// FillFunc fills a template: it connects to url (as the application's user), makes what every database of the
// Source shall hold, and closes its connections.
type FillFunc func(ctx context.Context, url string) error

// Source makes test databases that all begin with the same contents. Use it from any number of tests at once.
type Source struct {
	name string
	fill FillFunc // nil: empty databases

	once     sync.Once
	template string
	err      error
}

// empty is the Source behind the package's own New, URL and Fresh.
var empty = &Source{name: "empty"}

// Template returns a Source whose databases are copies of one that fill has filled. fill runs once per process, at
// the first use; name shows up in messages and in the database's name.
func Template(name string, fill FillFunc) *Source { return &Source{name: name, fill: fill} }

// New returns a pool on the empty database of test t: the same that URL(t) names. See Source.New.
func New(t testing.TB) *pgxpool.Pool { t.Helper(); return empty.New(t) }

// URL returns the connection string of the empty database of test t. See Source.URL.
func URL(t testing.TB) string { t.Helper(); return empty.URL(t) }

// Fresh makes one more empty database for test t. See Source.Fresh.
func Fresh(t testing.TB) string { t.Helper(); return empty.Fresh(t) }

// AdminURL returns the superuser's connection string to the database that test t has got last, from whichever
// Source (an empty one is made where it has none). It is for what the application may not do: see other users'
// sessions, break rows, change settings.
func AdminURL(t testing.TB) string {
	t.Helper()
	db, ok := latest(t)
	if !ok {
		db = empty.database(t)
	}
	return db.adminURL
}

// New returns a new pool on the database of test t, which is made at the first call. The pool is closed when the
// test ends; a connection that the test has not given back by then fails it.
func (s *Source) New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return openPool(t, s.database(t).url)
}

// URL returns the connection string of the database of test t, which is made at the first call. All calls with one
// t, and New, name the same database; a subtest, having a t of its own, gets another.
func (s *Source) URL(t testing.TB) string {
	t.Helper()
	return s.database(t).url
}

// Fresh makes one more database for test t, another at each call, and returns its connection string.
func (s *Source) Fresh(t testing.TB) string {
	t.Helper()
	return s.create(t).url
}

// NewFresh returns a pool on one more database, another at each call, as Fresh names it. The pool is closed as New's is.
func (s *Source) NewFresh(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return openPool(t, s.create(t).url)
}

// poolClose is how long a test's pool may take to get its connections back.
const poolClose = 10 * time.Second

func openPool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	config.MaxConns = 10
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	AtEnd(t, func() {
		closed := make(chan struct{})
		go func() { pool.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(poolClose):
			t.Errorf("pgtest: %d connections were not given back to the pool", pool.Stat().AcquiredConns())
		}
	})
	return pool
}

// ready makes and fills the template, once.
func (s *Source) ready(cluster *shared) (string, error) {
	s.once.Do(func() {
		if s.fill == nil {
			s.template = "template0"
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), fillTimeout)
		defer cancel()
		s.template, s.err = s.make(ctx, cluster)
	})
	return s.template, s.err
}

// fillTimeout bounds the filling of a template.
const fillTimeout = 2 * time.Minute

func (s *Source) make(ctx context.Context, cluster *shared) (string, error) {
	name, err := cluster.create(ctx, "template0", "template_"+s.name)
	if err != nil {
		return "", fmt.Errorf("make the template %s: %w", s.name, err)
	}
	url, err := withDatabase(cluster.cluster.URL(), name)
	if err != nil {
		return "", err
	}
	if err := s.fill(ctx, url); err != nil {
		return "", fmt.Errorf("fill the template %s: %w", s.name, err)
	}
	return name, cluster.seal(ctx, name)
}

// seal ends the sessions of a filled template: a database can be copied only while nobody is connected to it.
func (s *shared) seal(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locked(ctx, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "ALTER DATABASE "+ident(name)+" WITH ALLOW_CONNECTIONS false"); err != nil {
			return err
		}
		// The second argument waits for the session to be gone.
		_, err := conn.Exec(ctx, `
			SELECT pg_catalog.pg_terminate_backend(pid, 5000)
			FROM pg_catalog.pg_stat_activity WHERE datname = $1`, name)
		return err
	})
}
