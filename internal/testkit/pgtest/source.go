package pgtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// FillFunc fills a template. It connects to url as the application's user, creates what every database of the Source
// starts with, and closes its connections.
type FillFunc func(ctx context.Context, url string) error

// Source creates test databases that all start with the same contents. It is safe for concurrent use.
type Source struct {
	name string
	fill FillFunc // nil: empty databases

	once     sync.Once
	template string
	err      error
}

// empty is the Source behind the package-level New, URL and Fresh.
var empty = &Source{name: "empty"}

// Template returns a Source whose databases are copies of one that fill has filled. fill runs once per process, at the
// first use. name appears in errors and in the name of the template.
func Template(name string, fill FillFunc) *Source { return &Source{name: name, fill: fill} }

// New returns a pool on the empty database of test t, which is the one that URL(t) names. See Source.New.
func New(t testing.TB) *pgxpool.Pool { t.Helper(); return empty.New(t) }

// URL returns the connection string of the empty database of test t. See Source.URL.
func URL(t testing.TB) string { t.Helper(); return empty.URL(t) }

// Fresh creates one more empty database for test t. See Source.Fresh.
func Fresh(t testing.TB) string { t.Helper(); return empty.Fresh(t) }

// AdminURL returns the superuser's connection string to the newest database of test t, from any Source. If there is
// none, it creates an empty one. The superuser may do what the application may not: see other users' sessions, damage
// rows, change settings.
func AdminURL(t testing.TB) string {
	t.Helper()
	db, ok := latest(t)
	if !ok {
		db = empty.database(t)
	}
	return db.adminURL
}

// New returns a new pool on the database of test t, which the first call creates. The pool is closed when the test
// ends. The test fails if it has not released all connections by then.
func (s *Source) New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return openPool(t, s.database(t).url)
}

// URL returns the connection string of the database of test t, which the first call creates. All calls with one t, and
// New, use the same database. A subtest has its own t and gets another database.
func (s *Source) URL(t testing.TB) string {
	t.Helper()
	return s.database(t).url
}

// Fresh creates one more database for test t at each call and returns its connection string.
func (s *Source) Fresh(t testing.TB) string {
	t.Helper()
	return s.create(t).url
}

// NewFresh creates one more database, as Fresh does, and returns a pool on it, which is closed when the test ends.
func (s *Source) NewFresh(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return openPool(t, s.create(t).url)
}

// poolCloseTimeout bounds the wait for connections that a test has not released to its pool.
const poolCloseTimeout = time.Minute

func openPool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	check(t, "read a database's URL", err)
	config.MaxConns = 10
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	check(t, "open a pool", err)
	AtEnd(t, func() {
		closed := make(chan struct{})
		go func() { pool.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(poolCloseTimeout):
			t.Errorf("pgtest: the test has not released %d connections to their pool", pool.Stat().AcquiredConns())
		}
	})
	return pool
}

// ready returns the name of the template. The first call creates and fills it.
func (s *Source) ready(cluster *shared) (string, error) {
	s.once.Do(func() {
		if s.fill == nil {
			s.template = "template0"
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), fillTimeout)
		defer cancel()
		s.template, s.err = s.createTemplate(ctx, cluster)
	})
	return s.template, s.err
}

// fillTimeout bounds the filling of a template.
const fillTimeout = 5 * time.Minute

func (s *Source) createTemplate(ctx context.Context, cluster *shared) (string, error) {
	name, err := cluster.create(ctx, "template0", "template_"+s.name)
	if err != nil {
		return "", fmt.Errorf("create the template %s: %w", s.name, err)
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

// seal refuses further connections to a filled template and ends those that are left: CREATE DATABASE can copy a
// database only while it has no sessions. For those that take longer to end, CREATE DATABASE waits up to 5 seconds.
func (s *shared) seal(ctx context.Context, name string) error {
	if err := s.exec(ctx, "ALTER DATABASE "+ident(name)+" WITH ALLOW_CONNECTIONS false"); err != nil {
		return err
	}
	return s.endSessions(ctx, name)
}
