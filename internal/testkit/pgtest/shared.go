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

	"strata/internal/postgres"
)

// startTimeout bounds the start of a cluster, the first one's initdb included.
const startTimeout = 90 * time.Second

// settings of the test clusters.
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

// shared is this process's hold on the shared cluster.
type shared struct {
	cluster *postgres.Cluster
	token   string // in the names of this process's databases, and of its session

	mu   sync.Mutex
	conn *pgx.Conn // the session that holds the databases; also makes and drops them
	made int
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
		// Without fsync a crash of the machine may have spoilt it, or the server was upgraded. If nobody else
		// is about to find the same, begin anew.
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
	if err := s.exec(ctx, "SELECT"); err != nil { // opens the session
		return nil, err
	}
	return s, s.sweep(ctx)
})

// broken says if the cluster itself is the reason why it did not start.
func broken(err error) bool {
	var version *postgres.VersionError
	var server *postgres.ServerError
	return errors.As(err, &version) || errors.As(err, &server)
}

// settingsKey tells clusters of different settings apart, so that two revisions of this package can't meet in one.
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

// sessionPrefix begins the application_name of the sessions that hold databases.
const sessionPrefix = "pgtest-"

// exec runs one statement in the holding session, which is opened, or opened again, where need be.
func (s *shared) exec(ctx context.Context, sql string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locked(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql, args...)
		return err
	})
}

func (s *shared) locked(ctx context.Context, do func(*pgx.Conn) error) error {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locked(ctx, func(conn *pgx.Conn) error {
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
		left, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range left {
			// Another process may be dropping the same one: what it takes from us need not be ours to drop.
			_, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+ident(name)+" WITH (FORCE)")
			if err != nil && conn.IsClosed() {
				return err
			}
		}
		return nil
	})
}

// create makes a database from a template and returns its name. hint helps whoever lists the databases.
func (s *shared) create(ctx context.Context, template, hint string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	name := fmt.Sprintf("test_%s_%d_%s", s.token, s.made, plain(hint))
	return name, s.locked(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE DATABASE "+ident(name)+" TEMPLATE "+ident(template)+" OWNER "+postgres.AppUser+strategy(conn))
		return err
	})
}

// strategy is how a database is copied: by files, which takes half the time of copying by pages through the log. Before
// version 15 there was no other way, nor a word for it.
func strategy(conn *pgx.Conn) string {
	major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), ".")
	if version, err := strconv.Atoi(major); err != nil || version < 15 {
		return ""
	}
	return " STRATEGY FILE_COPY"
}

func (s *shared) drop(ctx context.Context, name string) error {
	return s.exec(ctx, "DROP DATABASE IF EXISTS "+ident(name)+" WITH (FORCE)")
}

func ident(name string) string { return pgx.Identifier{name}.Sanitize() }

// plain makes a test's name fit to be the end of a database's name (63 bytes in all).
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

// withDatabase is base with another database in it.
func withDatabase(base, name string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// mustShared is the shared cluster, or the end of the test.
func mustShared(t testing.TB) *shared {
	t.Helper()
	s, err := openShared()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return s
}
