package metadata_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/migrations"
)

// databases have three active projections, ft_v1, nft_v1 and names_v1, which have one block each and have folded all of the log.
var databases = pgtest.Template("metadata", fillDatabase)

// wantTables is the file with the tables of projections that have wants.
const wantTables = "../projections/internal/token/tables.sql"

// tip is the tip of the projections.
var tip = fetch.Tip{Height: 100, IndexBlockHash: hash.Hash32{1, 2, 3}}

// fillDatabase migrates a database and creates the projections. The tables of names that matter here are like those of
// tokens.
func fillDatabase(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	ddl, err := os.ReadFile(wantTables)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	for _, name := range []string{"ft", "nft", "names"} {
		schema := name + "_v1"
		_, failed := conn.Exec(ctx, `CREATE SCHEMA `+schema+`;`+strings.ReplaceAll(string(ddl), "{schema}", schema))
		err = errors.Join(err, failed)
		_, failed = conn.Exec(ctx, `INSERT INTO strata.projection (name, version, input, state) VALUES ($1, 1, 'log', 'live')`, name)
		err = errors.Join(err, failed)
		_, failed = conn.Exec(ctx, `INSERT INTO strata.active (name, version) VALUES ($1, 1)`, name)
		err = errors.Join(err, failed)
		_, failed = conn.Exec(ctx, `INSERT INTO `+schema+`.block (height, source_seq, burn_block_height, time, index_block_hash, block_hash)
			VALUES ($1, 1, 1, 1, $2, $2)`, tip.Height, tip.IndexBlockHash)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, conn.Close(ctx))
}

// dedicatedServer starts a Postgres server that the test may stop and kill, with a database like those of databases.
func dedicatedServer(t *testing.T) *pgtest.Server {
	t.Helper()
	short.Skip(t, "starts a server of its own")
	server := pgtest.Dedicated(t)
	must.Do(t, fillDatabase(t.Context(), server.URL()))
	return server
}

func openLog(t testing.TB, pool *pgxpool.Pool) *eventstore.Log {
	t.Helper()
	log := eventstore.Open(pool, eventstore.Config{})
	t.Cleanup(log.Close)
	return log
}

// row is a row of a table of wants. The zero values of its fields make the want due.
type row struct {
	want      fetch.Want
	contract  string // that of the want if empty
	seq       int64
	minHeight int64
	attempts  int
	waits     int
	priority  int
	dueIn     time.Duration
	dueAt     time.Time // overrides dueIn
}

// raise inserts a want, or raises it again.
func raise(t testing.TB, pool *pgxpool.Pool, schema string, r row) {
	t.Helper()
	text := must.Get(json.Marshal(r.want))(t)
	if r.priority == 0 {
		r.priority = 2
	}
	if r.dueAt.IsZero() {
		r.dueAt = time.Now().Add(r.dueIn - time.Second)
	}
	var minHeight *int64
	if r.minHeight > 0 {
		minHeight = &r.minHeight
	}
	key := sha256.Sum256([]byte(r.want.Key()))
	must.Get(pool.Exec(context.Background(), `
		INSERT INTO `+schema+`.want (source_seq, due_at, min_height, attempts, waits, priority, reason, severity, key_hash, kind, wanted_by, want)
		VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7, $8, $10, $9)
		ON CONFLICT (key_hash) DO UPDATE SET source_seq = $1, due_at = $2, min_height = $3, attempts = $4, waits = $5, priority = $6`,
		r.seq, r.dueAt, minHeight, r.attempts, r.waits, r.priority, key[:], r.want.Kind, string(text), cmp.Or(r.contract, r.want.Contract)))(t)
}

// reports reads all reports of the log.
func reports(t testing.TB, log *eventstore.Log) []*fetch.Report {
	t.Helper()
	all := must.Get(readReports(context.Background(), log, 0))(t)
	var list []*fetch.Report
	for _, event := range all {
		list = append(list, event.report)
	}
	return list
}

// reportEvent is a report with its position in the log.

type reportEvent struct {
	seq    int64
	report *fetch.Report
}

func readReports(ctx context.Context, log *eventstore.Log, after int64) ([]reportEvent, error) {
	var list []reportEvent
	for {
		events, err := log.Read(ctx, eventstore.Range{After: after, Events: 1000, Bytes: 64 << 20, Paths: []string{fetch.PathReport, fetch.PathRecheck}})
		if err != nil || len(events) == 0 {
			return list, err
		}
		for _, e := range events {
			after = e.Seq
			if e.Path != fetch.PathReport && e.Path != fetch.PathRecheck {
				continue
			}
			if e.Source != "metadata" || e.ContentType != fetch.ContentType {
				return nil, errors.New("a report came from " + e.Source + " as " + e.ContentType)
			}
			if e.Path == fetch.PathRecheck {
				recheck, err := fetch.DecodeRecheck(e.Body)
				if err != nil {
					return nil, err
				}
				for _, report := range recheck.Reports() {
					list = append(list, reportEvent{e.Seq, report})
				}
				continue
			}
			report, err := fetch.DecodeReport(e.Body)
			if err != nil {
				return nil, err
			}
			list = append(list, reportEvent{e.Seq, report})
		}
	}
}

// folder is a projection that folds reports: after an attempt at a want it deletes the want.
type folder struct {
	log     *eventstore.Log
	schemas []string
}

// run folds until ctx is done.
func (f *folder) run(ctx context.Context) {
	after := int64(0)
	for ctx.Err() == nil {
		// The database may be down.
		if position, err := f.step(ctx, after); err == nil {
			after = position
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (f *folder) step(ctx context.Context, after int64) (int64, error) {
	size, err := f.log.Size(ctx)
	if err != nil || size == after {
		return after, err
	}
	all, err := readReports(ctx, f.log, after)
	if err != nil {
		return after, err
	}
	for _, event := range all {
		size = max(size, event.seq)
	}
	return size, pgx.BeginFunc(ctx, f.log.Pool(), func(tx pgx.Tx) error {
		for _, event := range all {
			key := sha256.Sum256([]byte(event.report.Want.Key()))
			for _, schema := range f.schemas {
				if _, err := tx.Exec(ctx, `DELETE FROM `+schema+`.want WHERE key_hash = $1`, key[:]); err != nil {
					return err
				}
			}
		}
		_, err := tx.Exec(ctx, `UPDATE strata.projection SET position = $1`, size)
		if err == nil {
			_, err = tx.Exec(ctx, `SELECT pg_notify('strata_projection', '')`)
		}
		return err
	})
}

// fold runs a folder until the test ends.
func fold(t testing.TB, log *eventstore.Log) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { (&folder{log: log, schemas: []string{"ft_v1", "nft_v1"}}).run(ctx) })
	t.Cleanup(func() { stop(); done.Wait() })
}
