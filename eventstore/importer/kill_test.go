package importer_test

import (
	"context"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/importer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtraffic"
	"strata/internal/testkit/short"
)

// An import that is killed again and again ends with exactly the log of one that is not.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	first := writeFile(t, "first.tsv.gz", packed(t, synthetic(10_000, 1)))
	second := writeFile(t, "second.tsv", synthetic(6000, 2))
	whole := openLog(t)
	mustImport(t, whole, files(first, second))
	want := checkpoint(t, whole)

	url := migrated.Fresh(t)
	log := logAt(t, url)
	kill(t, url, short.Form(8, 3), 300, func(ctx context.Context, log *eventstore.Log) error {
		_, err := importer.Import(ctx, log, files(first, second).WithBatchEvents(100))
		return err
	})
	mustImport(t, log, files(first, second))
	if got := checkpoint(t, log); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if result := mustImport(t, log, files(first, second)); result.Events != 0 || !result.Files[0].AlreadyImported() || !result.Files[1].AlreadyImported() {
		t.Errorf("once more: got %+v, want nothing to do", result)
	}
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), mustExport(t, whole, importer.ExportOptions{}))
}

// kill lets an import begin again and again, until it has died so many times after it had appended something. It sends nothing more to
// the database after one of its first writes, or before it.
func kill(t *testing.T, url string, times, writesMost int, run func(context.Context, *eventstore.Log) error) {
	t.Helper()
	whole := logAt(t, url)
	for progressed := 0; progressed < times; {
		before := must.Get(whole.Size(t.Context()))(t)
		ctx, die := context.WithCancel(t.Context())
		d := &death{die: die, sends: rand.IntN(2) == 0}
		d.left.Store(1 + rand.Int64N(int64(writesMost)))
		config := must.Get(pgxpool.ParseConfig(url))(t)
		pgtraffic.Through(&config.ConnConfig.Config, func(conn net.Conn) net.Conn { return mortal{conn, d} })
		pool := must.Get(pgxpool.NewWithConfig(ctx, config))(t)
		log := eventstore.Open(pool, eventstore.Config{})
		err := run(ctx, log)
		log.Close()
		pool.Close()
		if err == nil {
			t.Fatalf("an import that was to be killed has ended, after %d kills", progressed)
		}
		if must.Get(whole.Size(t.Context()))(t) > before { // not before it had appended anything, when every start is the same
			progressed++
		}
	}
}

// death is that of the connections of an import.
type death struct {
	die   func()
	left  atomic.Int64 // writes
	sends bool         // the last of them
}

type mortal struct {
	net.Conn
	*death
}

func (m mortal) Write(b []byte) (n int, err error) {
	left := m.left.Add(-1)
	if left > 0 || left == 0 && m.sends {
		n, err = m.Conn.Write(b)
	}
	if left > 0 {
		return n, err
	}
	m.die()
	_ = m.Close()
	return 0, net.ErrClosed
}
