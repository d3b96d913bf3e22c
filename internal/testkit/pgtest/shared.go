package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/pause"
	"strata/internal/postgres"
)

// startTimeout bounds the start of a cluster, including initdb for a new one.
const startTimeout = 5 * time.Minute

// settings returns the server settings of the test clusters.
func settings() map[string]string {
	return map[string]string{
		"search_path":          "",
		"shared_buffers":       "64MB",
		"max_connections":      "500",
		"maintenance_work_mem": "32MB",
		"min_wal_size":         "64MB",
		"max_wal_size":         "512MB",
		"autovacuum":           "off",
	}
}

// shared is this process's use of the shared cluster.
type shared struct {
	cluster *postgres.Cluster
	token   string // part of the names of this process's databases, and of its session

	mu      sync.Mutex
	conn    *pgx.Conn // while this session lives, no other process drops the databases; it also creates and drops them
	created int
}

var openShared = sync.OnceValues(func() (*shared, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	f, err := openFolder()
	if err != nil {
		return nil, err
	}
	dir, use, err := f.enter(ctx, sharedPrefix+settingsKey())
	if err != nil {
		return nil, err
	}
	start := func() (*postgres.Cluster, error) {
		return postgres.Start(ctx, postgres.Config{DataDir: f.path(dir), NoFsync: true, Settings: settings()})
	}
	cluster, err := start()
	if broken(err) {
		// Either a crash of the machine has damaged the cluster, which runs without fsync, or the server was upgraded.
		// Start over with an empty cluster, unless another process uses this one.
		if alone, lockErr := use.TryExclusive(); alone && lockErr == nil {
			if err := os.RemoveAll(f.path(dir)); err != nil {
				return nil, err
			}
			cluster, err = start()
		}
		err = errors.Join(err, use.Shared(ctx))
	}
	if err != nil {
		return nil, err
	}
	s := &shared{cluster: cluster, token: token()}
	if err := s.exec(ctx, "SELECT"); err != nil { // any statement opens the session
		return nil, err
	}
	return s, s.sweep(ctx)
})

// broken reports whether a start failed because of the cluster itself.
func broken(err error) bool {
	var version *postgres.VersionError
	var server *postgres.ServerError
	return errors.As(err, &version) || errors.As(err, &server)
}

// settingsKey returns a hash of the settings, so that two revisions of this package with different settings do not
// share a cluster.
func settingsKey() string {
	all := settings()
	parts := []string{os.Getenv(postgres.BinEnv)}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, name+"="+all[name])
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:4])
}

func token() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// sessionPrefix starts the application_name of the sessions that protect databases from being dropped.
const sessionPrefix = "pgtest-"

// exec runs one statement in the session.
func (s *shared) exec(ctx context.Context, sql string) error {
	return s.inSession(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

// inSession calls do with the session, which it opens if there is none or if it has broken. Calls exclude each other.
func (s *shared) inSession(ctx context.Context, do func(*pgx.Conn) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || s.conn.IsClosed() {
		config, err := pgx.ParseConfig(s.cluster.AdminURL())
		if err != nil {
			return err
		}
		config.RuntimeParams["application_name"] = sessionPrefix + s.token
		if s.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
			return err
		}
	}
	return do(s.conn)
}

// sweep drops the databases of processes that are gone.
func (s *shared) sweep(ctx context.Context) error {
	return s.inSession(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `
			SELECT d.datname
			FROM pg_catalog.pg_database d
			WHERE d.datname LIKE 'test\_%'
			  AND NOT EXISTS (
				SELECT FROM pg_catalog.pg_stat_activity a
				WHERE a.application_name = $1 || split_part(d.datname, '_', 2))`, sessionPrefix)
		if err != nil {
			return err
		}
		orphans, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range orphans {
			// Another process may drop the same database at the same time. Errors of a single drop do not matter.
			_, err := conn.Exec(ctx, dropStatement(name))
			if err != nil && conn.IsClosed() {
				return err
			}
		}
		return nil
	})
}

// create creates a database from a template and returns its name, which ends with hint for people who list the
// databases.
func (s *shared) create(ctx context.Context, template, hint string) (name string, err error) {
	err = s.inSession(ctx, func(conn *pgx.Conn) error {
		s.created++
		name = fmt.Sprintf("test_%s_%d_%s", s.token, s.created, plain(hint))
		_, err := conn.Exec(ctx, "CREATE DATABASE "+ident(name)+" TEMPLATE "+ident(template)+" OWNER "+postgres.AppUser+strategy(conn))
		return err
	})
	return name, err
}

// strategy returns the clause that makes CREATE DATABASE copy files, which takes half as long as copying pages through
// the write-ahead log. Versions before 15 always copy files and have no such clause.
func strategy(conn *pgx.Conn) string {
	major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), ".")
	if version, err := strconv.Atoi(major); err != nil || version < 15 {
		return ""
	}
	return " STRATEGY FILE_COPY"
}

// drop ends the sessions of a database and drops it.
func (s *shared) drop(ctx context.Context, name string) error {
	if err := s.endSessions(ctx, name); err != nil {
		return err
	}
	return s.exec(ctx, dropStatement(name))
}

// forcePoll is the interval at which DROP DATABASE … WITH (FORCE) looks whether the sessions that it ends are gone.
const forcePoll = 100 * time.Millisecond

// endSessions ends the sessions of a database and waits until they are gone, for little more than forcePoll. DROP
// DATABASE … WITH (FORCE) does the same, but it sleeps for a whole forcePoll even if a session ends within a
// millisecond, as those of a pool that has just been closed do. That is ten times as long as everything else that it
// does.
func (s *shared) endSessions(ctx context.Context, name string) error {
	for wait := time.Millisecond; wait < forcePoll; wait *= 2 {
		sessions := 0
		err := s.inSession(ctx, func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, `
				SELECT count(pg_catalog.pg_terminate_backend(pid))
				FROM pg_catalog.pg_stat_activity WHERE datname = $1`, name).Scan(&sessions)
		})
		if err != nil || sessions == 0 {
			return err
		}
		pause.For(ctx, wait)
	}
	return nil
}

func dropStatement(name string) string {
	return "DROP DATABASE IF EXISTS " + ident(name) + " WITH (FORCE)"
}

func ident(name string) string { return pgx.Identifier{name}.Sanitize() }

// plain turns a test's name into the end of a database's name, which is limited to 63 bytes.
func plain(hint string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		default:
			return '_'
		}
	}, hint)
	return name[:min(len(name), 36)]
}

// withDatabase returns the connection string base with the database replaced by name.
func withDatabase(base, name string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// mustShared returns the shared cluster, or fails the test.
func mustShared(t testing.TB) *shared {
	t.Helper()
	s, err := openShared()
	check(t, "start the shared cluster", err)
	return s
}
