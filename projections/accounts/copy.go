package accounts

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/projections"
)

// copyBuffer collects rows of a table in the binary format of COPY (PostgreSQL: COPY, "Binary Format"). CopyFrom of pgx
// queries the table's columns each time and boxes every number, which for such small rows costs more than storing them.
type copyBuffer struct {
	table   string
	columns []string
	oids    []uint32 // types of the columns, as far as they had values
	column  int      // the one that the next value is for
	rows    int
	full    [][]byte // pieces of the data that are complete
	data    []byte
	err     error
}

// copyPiece is the size in bytes from which on a piece of the data is complete: a genesis block has rows of 100 MB, and growing one
// slice to that size would leave several times as much garbage.
const copyPiece = 1 << 20

var (
	copyHeader  = append([]byte("PGCOPY\n\xff\r\n\x00"), make([]byte, 8)...) // signature, no flags, no extension
	copyTrailer = []byte{0xff, 0xff}
)

// add begins a row. The caller must then add one value for each column.
func (c *copyBuffer) add() {
	if c.rows++; c.rows == 1 {
		c.data = append(c.data, copyHeader...)
	} else if c.rows > copyMin && len(c.data) >= copyPiece {
		c.full = append(c.full, c.data)
		c.data = make([]byte, 0, copyPiece+copyPiece/8)
	}
	c.data = binary.BigEndian.AppendUint16(c.data, uint16(len(c.columns)))
	c.column = 0
}

// begin begins a value of a type and a size in bytes.
func (c *copyBuffer) begin(oid uint32, size int) {
	if c.oids == nil {
		c.oids = make([]uint32, len(c.columns))
	}
	c.oids[c.column] = oid
	c.column++
	c.data = binary.BigEndian.AppendUint32(c.data, uint32(size))
}

func (c *copyBuffer) null() {
	c.column++
	c.data = append(c.data, 0xff, 0xff, 0xff, 0xff)
}

func (c *copyBuffer) bigint(numbers ...int64) {
	for _, n := range numbers {
		c.begin(pgtype.Int8OID, 8)
		c.data = binary.BigEndian.AppendUint64(c.data, uint64(n))
	}
}

func (c *copyBuffer) int(numbers ...int32) {
	for _, n := range numbers {
		c.begin(pgtype.Int4OID, 4)
		c.data = binary.BigEndian.AppendUint32(c.data, uint32(n))
	}
}

// intOrNull writes null for zero, for columns that are empty in most rows.
func (c *copyBuffer) intOrNull(numbers ...int32) {
	for _, n := range numbers {
		if n == 0 {
			c.null()
			continue
		}
		c.int(n)
	}
}

func (c *copyBuffer) smallint(n int16) {
	c.begin(pgtype.Int2OID, 2)
	c.data = binary.BigEndian.AppendUint16(c.data, uint16(n))
}

func (c *copyBuffer) text(s string) {
	c.begin(pgtype.TextOID, len(s))
	c.data = append(c.data, s...)
}

func (c *copyBuffer) bytea(b []byte) {
	c.begin(pgtype.ByteaOID, len(b))
	c.data = append(c.data, b...)
}

// intArray writes an array of int.
func (c *copyBuffer) intArray(numbers []int32) {
	c.value(pgtype.Int4ArrayOID, numbers)
}

// byteaArray writes an array of bytea. Nil is an empty one.
func (c *copyBuffer) byteaArray(all [][]byte) {
	if all == nil {
		all = [][]byte{}
	}
	c.value(pgtype.ByteaArrayOID, all)
}

// numeric writes null for nil.
func (c *copyBuffer) numeric(n *big.Int) {
	if n == nil {
		c.null()
		return
	}
	c.value(pgtype.NumericOID, projections.Amount(n))
}

// types encodes values of types that have no method here. It is never changed, so all batches share it.
var types = pgtype.NewMap()

func (c *copyBuffer) value(oid uint32, value any) {
	start := len(c.data)
	c.begin(oid, 0)
	data, err := types.Encode(oid, pgtype.BinaryFormatCode, value, c.data)
	if err != nil {
		c.err = err
		return
	}
	c.data = data
	binary.BigEndian.PutUint32(c.data[start:], uint32(len(c.data)-start-4))
}

// copyMin is the smallest number of rows for which COPY costs less than INSERT. COPY takes round trips of its own for each table.
const copyMin = 128

// After spillPieces complete pieces, copying starts before the block is folded to its end.
const spillPieces = 8

// spill sends the rows if they take much memory, and forgets them.
func (c *copyBuffer) spill(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	if len(c.full) < spillPieces {
		return nil
	}
	err := c.write(ctx, tx, spec)
	c.rows = 0
	return err
}

// write sends the rows to the database.
func (c *copyBuffer) write(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	if c.rows == 0 {
		return nil
	}
	err := c.err
	if err == nil {
		err = c.send(ctx, tx, spec)
	}
	if err != nil {
		return fmt.Errorf("write %d rows of %s: %w", c.rows, c.table, err)
	}
	return nil
}

func (c *copyBuffer) send(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	if c.rows < copyMin {
		rows, err := c.decode()
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{spec.String(), c.table}, c.columns, pgx.CopyFromRows(rows))
		return err
	}
	sql := spec.SQL(`COPY {schema}.` + c.table + ` (` + strings.Join(c.columns, ", ") + `) FROM STDIN (FORMAT binary)`)
	last := append(c.data, copyTrailer...)
	pieces := make([]io.Reader, 0, len(c.full)+1)
	for _, piece := range append(c.full, last) {
		pieces = append(pieces, bytes.NewReader(piece))
	}
	c.full, c.data = nil, nil // what has been sent can be collected
	return projections.CopyBinary(ctx, tx, sql, io.MultiReader(pieces...))
}

// decode returns the rows, fewer than copyMin, as values that pgx encodes.
func (c *copyBuffer) decode() ([][]any, error) {
	data, next := c.data[len(copyHeader):], 0
	uint32Of := func() uint32 {
		next += 4
		return binary.BigEndian.Uint32(data[next-4:])
	}
	rows := make([][]any, c.rows)
	for i := range rows {
		next += 2 // the number of columns
		rows[i] = make([]any, len(c.columns))
		for j := range rows[i] {
			size := uint32Of()
			if size == math.MaxUint32 {
				continue // null
			}
			field := data[next : next+int(size)]
			next += int(size)
			t, ok := types.TypeForOID(c.oids[j])
			if !ok {
				return nil, fmt.Errorf("column %s has no type", c.columns[j])
			}
			value, err := t.Codec.DecodeValue(types, t.OID, pgtype.BinaryFormatCode, field)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.columns[j], err)
			}
			rows[i][j] = value
		}
	}
	return rows, nil
}
