package tablefile

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// csvFile writes comma-separated values (RFC 4180) with a line of names. Null is an empty field, and so is empty text.
type csvFile struct {
	out    *csv.Writer
	record []string
}

func newCSV(w io.Writer, s source) (encoder, error) {
	f := &csvFile{out: csv.NewWriter(w), record: make([]string, len(s.columns))}
	for i, c := range s.columns {
		f.record[i] = c.name
	}
	return f, f.out.Write(f.record)
}

func (f *csvFile) write(values []any) error {
	for i, v := range values {
		f.record[i] = plain(v)
	}
	return f.out.Write(f.record)
}

func (f *csvFile) close() error {
	f.out.Flush()
	return f.out.Error()
}

// plain returns a value as text: bytes as hex with 0x, times as RFC 3339.
func plain(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case []byte:
		return "0x" + hex.EncodeToString(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case string:
		return v
	}
	return ""
}

// ndjson writes a JSON object on each line. Numbers up to 64 bits are numbers; amounts are strings.
type ndjson struct {
	w       io.Writer
	columns []column
	line    bytes.Buffer
}

func newNDJSON(w io.Writer, s source) encoder { return &ndjson{w: w, columns: s.columns} }

func (n *ndjson) write(values []any) error {
	n.line.Reset()
	for i, v := range values {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		n.line.WriteByte(separator)
		n.text(n.columns[i].name)
		n.line.WriteByte(':')
		switch v := v.(type) {
		case nil:
			n.line.WriteString("null")
		case int64, bool:
			n.line.WriteString(plain(v))
		case string:
			if n.columns[i].kind == list {
				n.line.WriteString(v)
			} else {
				n.text(v)
			}
		default:
			n.text(plain(v))
		}
	}
	n.line.WriteString("}\n")
	_, err := n.w.Write(n.line.Bytes())
	return err
}

func (n *ndjson) text(s string) {
	quoted, _ := json.Marshal(s) // text is always valid JSON
	n.line.Write(quoted)
}

func (n *ndjson) close() error { return nil }
