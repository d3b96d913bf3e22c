// Package replay appends events to a new log and lets projections fold them, for tests.
package replay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/internal/synth/simulate"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/vector"
	"strata/migrations"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
)

// Databases creates migrated databases, whose logs may begin anywhere: many recordings do.
var Databases = Tables("migrated")

// Tables returns a source of such databases that also have the empty tables of some versions of projections.
func Tables(name string, specs ...projections.Spec) *pgtest.Source {
	return pgtest.Template(name, func(ctx context.Context, url string) error {
		if err := migrations.Up(ctx, url); err != nil {
			return err
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, `INSERT INTO log.partial_history (after_seq) VALUES (0)`)
		for _, spec := range specs {
			_, failed := conn.Exec(ctx, spec.DDL())
			err = errors.Join(err, failed)
		}
		return errors.Join(err, conn.Close(ctx))
	})
}

// Post is one body posted to a path.
type Post = simulate.Post

// Take returns the next n posts.
func Take(n int, next func() Post) []Post {
	posts := make([]Post, n)
	for i := range posts {
		posts[i] = next()
	}
	return posts
}

// NewLog opens the log in the database of the test, which is the same for all calls. The log is closed when the test
// ends.
func NewLog(t testing.TB) *eventstore.Log {
	t.Helper()
	return openLog(t, Databases.New(t))
}

// NewLogApart opens a log in another database at each call. The log is closed when the test ends.
func NewLogApart(t testing.TB) *eventstore.Log {
	t.Helper()
	return openLog(t, Databases.NewFresh(t))
}

func openLog(t testing.TB, pool *pgxpool.Pool) *eventstore.Log {
	t.Helper()
	log := eventstore.Open(pool, eventstore.Config{})
	pgtest.AtEnd(t, log.Close)
	return log
}

// Append appends posts to the log, in order, in few transactions.
func Append(t testing.TB, log *eventstore.Log, posts ...Post) {
	t.Helper()
	batch := make([]eventstore.Incoming, len(posts))
	for i, post := range posts {
		batch[i] = eventstore.Incoming{
			ReceivedAt: time.Unix(1_700_000_000, 0), Source: "test", Path: post.Path, ContentType: "application/json",
			Body: eventstore.NewBody(bytes.Clone(post.Body)),
		}
	}
	must.Get(log.AppendBatch(context.Background(), batch, nil))(t)
}

// Recording reads an archive in the folder of recordings. It skips the test if the archive is missing.
func Recording(t testing.TB, name string) []Post {
	t.Helper()
	return Archive(t, "events", name)
}

// Archive reads an archive in a folder of the shared data. It skips the test if the archive is missing.
func Archive(t testing.TB, folder, name string) []Post {
	t.Helper()
	file, err := os.Open(filepath.Join(SharedData(t), folder, name))
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = file.Close() }()
	reader := archive.NewReader(file, archive.Options{Name: name})
	var posts []Post
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return posts
		}
		if err != nil {
			t.Fatal(err)
		}
		posts = append(posts, Post{Path: record.Path, Body: bytes.Clone(record.Payload)})
	}
}

// SharedData returns the folder of recordings and vectors. It skips the test if the folder is missing.
func SharedData(t testing.TB) string {
	t.Helper()
	return filepath.Join(vector.Shared(t), "data")
}

// Run folds the log until all projections have reached its end, and then stops.
func Run(t testing.TB, log *eventstore.Log, chain projections.Projection[projections.LogItem], others ...projections.Projection[projections.Step]) {
	t.Helper()
	RunLines(t, log, projections.Chain(chain, others...))
}

// RunLines is like Run, for any lines.
func RunLines(t testing.TB, log *eventstore.Log, lines ...projections.Line) {
	t.Helper()
	stop := Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond}, lines...)
	defer stop()
	Wait(t, log)
}

// Start folds the log until stop is called or the test ends.
func Start(t testing.TB, log *eventstore.Log, chain projections.Projection[projections.LogItem], others ...projections.Projection[projections.Step]) (stop func()) {
	t.Helper()
	return Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond}, projections.Chain(chain, others...))
}

// Follow folds the log with a runner of this configuration until stop is called or the test ends.
func Follow(t testing.TB, config follow.Config, lines ...projections.Line) (stop func()) {
	t.Helper()
	return StartRunner(t, follow.NewRunner(config, lines...))
}

// StartRunner lets a runner fold the log until stop is called, or the test ends.
func StartRunner(t testing.TB, runner *follow.Runner) (stop func()) {
	t.Helper()
	must.Do(t, runner.Register(t.Context()))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		runner.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	pgtest.AtEnd(t, stop)
	return stop
}

// waitTimeout is for the folds of the largest recordings on a machine that is busy with other things.
const waitTimeout = 10 * time.Minute

// Wait returns when projections are registered and none of them lags. It fails the test if one has failed, or if none
// progresses for two minutes.
func Wait(t testing.TB, log *eventstore.Log) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitTimeout)
	defer cancel()
	eventually.Holds(t, "projections are registered, perhaps by another process", func() (registered bool) {
		must.Do(t, log.Pool().QueryRow(ctx, `SELECT EXISTS (SELECT FROM strata.active)`).Scan(&registered))
		return registered
	})
	must.Do(t, version.WaitUntilCaughtUp(ctx, log.Pool(), func([]version.Status) {}, 2*time.Minute))
}
