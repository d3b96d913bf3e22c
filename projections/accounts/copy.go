package accounts

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/projections"
)

// copied gathers rows of a table in the form in which COPY takes them (PostgreSQL: COPY, "Binary Format"). That of pgx asks
// the database each time what columns there are and boxes every number, which for rows as small as these costs more than to
// store them.
type copied struct {
	table   string
	columns []string
	rows    int
	data    []byte
	err     error
}

var (
	copyHeader  = append([]byte("PGCOPY\n\xff\r\n\x00"), make([]byte, 8)...) // signature, no flags, no extension
	copyTrailer = []byte{0xff, 0xff}
)

// add begins a row. As many values follow as there are columns.
func (c *copied) add() {
	if c.rows++; c.rows == 1 {
		c.data = append(c.data, copyHeader...)
	}
	c.data = binary.BigEndian.AppendUint16(c.data, uint16(len(c.columns)))
}

func (c *copied) size(n int) { c.data = binary.BigEndian.AppendUint32(c.data, uint32(n)) }

func (c *copied) null() { c.data = append(c.data, 0xff, 0xff, 0xff, 0xff) }

func (c *copied) bigint(numbers ...int64) {
	for _, n := range numbers {
		c.size(8)
		c.data = binary.BigEndian.AppendUint64(c.data, uint64(n))
	}
}

func (c *copied) int(numbers ...int32) {
	for _, n := range numbers {
		c.size(4)
		c.data = binary.BigEndian.AppendUint32(c.data, uint32(n))
	}
}

// intOrNull writes null for zero, in columns where most rows have nothing.
func (c *copied) intOrNull(numbers ...int32) {
	for _, n := range numbers {
		if n == 0 {
			c.null()
			continue
		}
		c.int(n)
	}
}

func (c *copied) smallint(n int16) {
	c.size(2)
	c.data = binary.BigEndian.AppendUint16(c.data, uint16(n))
}

func (c *copied) text(s string) {
	c.size(len(s))
	c.data = append(c.data, s...)
}

func (c *copied) bytea(b []byte) {
	c.size(len(b))
	c.data = append(c.data, b...)
}

// intArray writes an array of int.
func (c *copied) intArray(numbers []int32) {
	c.value(pgtype.Int4ArrayOID, numbers)
}

// byteaArray writes an array of bytea.
func (c *copied) byteaArray(all [][]byte) {
	c.value(pgtype.ByteaArrayOID, all)
}

// numeric writes null for nil.
func (c *copied) numeric(n *big.Int) {
	if n == nil {
		c.null()
		return
	}
	c.value(pgtype.NumericOID, projections.Amount(n))
}

// types know how values of less plain types are written. They are only read here.
var types = pgtype.NewMap()

func (c *copied) value(oid uint32, value any) {
	at := len(c.data)
	c.null()
	data, err := types.Encode(oid, pgtype.BinaryFormatCode, value, c.data)
	if err != nil {
		c.err = err
		return
	}
	c.data = data
	binary.BigEndian.PutUint32(c.data[at:], uint32(len(c.data)-at-4))
}

// write sends the rows.
func (c *copied) write(ctx context.Context, tx pgx.Tx, spec projections.Spec) error {
	if c.rows == 0 {
		return nil
	}
	err := c.err
	if err == nil {
		c.data = append(c.data, copyTrailer...)
		_, err = tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(c.data),
			spec.SQL(`COPY {schema}.`+c.table+` (`+strings.Join(c.columns, ", ")+`) FROM STDIN (FORMAT binary)`))
	}
	if err != nil {
		return fmt.Errorf("write %d rows of %s: %w", c.rows, c.table, err)
	}
	return nil
}
