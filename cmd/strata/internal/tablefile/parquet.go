package tablefile

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// A row group is kept in memory until it is written.
const (
	groupRows  = 100_000
	groupBytes = 64 << 20
)

// parquetFile writes Parquet. Amounts are decimal text: 2^128 has 39 digits, and DECIMAL has room for 38 in most readers.
type parquetFile struct {
	out   *parquet.GenericWriter[any]
	row   parquet.Row
	rows  int
	bytes int
}

func newParquet(w io.Writer, s source) (encoder, error) {
	group := parquet.Group{}
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		group[c.name], names[i] = parquet.Optional(parquet.Compressed(c.node(), &zstd.Codec{})), c.name
	}
	options := []parquet.WriterOption{
		parquet.NewSchema(s.relation, ordered{group, names}), parquet.CreatedBy("strata", "", ""),
	}
	for _, key := range slices.Sorted(maps.Keys(s.facts)) {
		options = append(options, parquet.KeyValueMetadata(key, s.facts[key]))
	}
	return &parquetFile{out: parquet.NewGenericWriter[any](w, options...), row: make(parquet.Row, len(names))}, nil
}

// ordered keeps the columns in the order of the view; a Group sorts them by name.
type ordered struct {
	parquet.Group
	names []string
}

// Fields implements parquet.Node.
func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name())
	})
	return fields
}

func (c column) node() parquet.Node {
	switch c.kind {
	case integer:
		return parquet.Int(64)
	case boolean:
		return parquet.Leaf(parquet.BooleanType)
	case instant:
		return parquet.Timestamp(parquet.Microsecond)
	case binary:
		return parquet.Leaf(parquet.ByteArrayType)
	case list:
		return parquet.JSON()
	}
	return parquet.String()
}

func (f *parquetFile) write(values []any) error {
	for i, v := range values {
		value, level := parquet.NullValue(), 0
		if v != nil {
			level = 1
		}
		switch v := v.(type) {
		case nil:
		case int64:
			value = parquet.Int64Value(v)
		case bool:
			value = parquet.BooleanValue(v)
		case time.Time:
			value = parquet.Int64Value(v.UnixMicro())
		case []byte:
			value = parquet.ByteArrayValue(v)
			f.bytes += len(v)
		case string:
			value = parquet.ByteArrayValue([]byte(v))
			f.bytes += len(v)
		default:
			return fmt.Errorf("no column has values of type %T", v)
		}
		f.row[i] = value.Level(0, level, i)
		f.bytes += 8
	}
	if _, err := f.out.WriteRows([]parquet.Row{f.row}); err != nil {
		return err
	}
	if f.rows++; f.rows < groupRows && f.bytes < groupBytes {
		return nil
	}
	f.rows, f.bytes = 0, 0
	return f.out.Flush()
}

func (f *parquetFile) close() error { return f.out.Close() }
