package tablefile

import (
	"fmt"
	"io"
)

// encoder writes rows in a format.
type encoder interface {
	// write writes a row, whose values are nil, int64, bool, string, []byte or time.Time.
	write(values []any) error
	close() error
}

func newEncoder(format string, w io.Writer, s source) (encoder, error) {
	switch format {
	case "parquet":
		return newParquet(w, s)
	case "csv":
		return newCSV(w, s)
	case "ndjson":
		return newNDJSON(w, s), nil
	}
	return nil, fmt.Errorf("there is no format %q; use parquet, csv or ndjson", format)
}
