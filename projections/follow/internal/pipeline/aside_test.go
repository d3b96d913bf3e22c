package pipeline_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/eventually"
	"strata/projections"
	"strata/projections/follow/internal/pipeline"
)

// binaryItems returns rows of s.item in the binary format of COPY, and the statement that takes them.
func binaryItems(lane, first, n int) (sql string, rows []byte) {
	rows = append([]byte("PGCOPY\n\xff\r\n\x00"), make([]byte, 8)...)
	for i := range n {
		rows = binary.BigEndian.AppendUint16(rows, 2)
		for _, value := range []int{lane, first + i} {
			rows = binary.BigEndian.AppendUint32(rows, 4)
			rows = binary.BigEndian.AppendUint32(rows, uint32(value))
		}
	}
	return `COPY s.item (lane, n) FROM STDIN (FORMAT binary)`, append(rows, 0xff, 0xff)
}

// The server copies the rows of one lane while another still computes.
func TestServerCopiesMeanwhile(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	if _, err := pool.Exec(ctx, `CREATE SEQUENCE s.copied; ALTER TABLE s.item ADD COLUMN place bigint DEFAULT nextval('s.copied')`); err != nil {
		t.Fatal(err)
	}
	const rows = 300
	for name, copies := range map[string]pipeline.Fold{
		"values": func(tx pgx.Tx) error { return put(ctx, tx, 0, rows) },
		"binary": func(tx pgx.Tx) error {
			sql, data := binaryItems(1, 0, rows)
			return tx.(projections.BinaryCopier).CopyBinary(ctx, sql, data)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var before, last int
			if err := pool.QueryRow(ctx, `SELECT last_value FROM s.copied`).Scan(&before); err != nil {
				t.Fatal(err)
			}
			if err := runFolds(ctx, pool, copies, func(pgx.Tx) error {
				eventually.Holds(t, "the server has all rows of the first lane", func() bool {
					err := pool.QueryRow(ctx, `SELECT last_value FROM s.copied`).Scan(&last)
					return err == nil && last-before >= rows-1
				})
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if got := count(t, pool); len(got) != 2 || got[0] != rows || got[1] != rows {
		t.Errorf("got %v rows, want %d of each lane", got, rows)
	}
}

// Rows that the server refuses while other lanes compute are the fault of the lane that has them.
func TestCopyFailsMeanwhile(t *testing.T) {
	pool, _ := database(t)
	ctx := t.Context()
	if _, err := pool.Exec(ctx, `ALTER TABLE s.item ADD CHECK (n < 250)`); err != nil {
		t.Fatal(err)
	}
	var other error
	err := runFolds(ctx, pool,
		func(tx pgx.Tx) error { return put(ctx, tx, 0, 10) },
		func(tx pgx.Tx) error { return put(ctx, tx, 1, 300) },
		func(tx pgx.Tx) error { return put(ctx, tx, 2, 200) },
		func(tx pgx.Tx) error {
			_, other = tx.Exec(ctx, `SELECT 1`)
			return other
		})
	var failed *pipeline.Error
	if !errors.As(err, &failed) || failed.Fold != 1 || !errors.Is(other, pipeline.ErrAborted) {
		t.Errorf("got %v, and %v in another lane, want the error of lane 1", err, other)
	}
	if got := count(t, pool); len(got) != 0 {
		t.Errorf("%v rows are left", got)
	}
}
