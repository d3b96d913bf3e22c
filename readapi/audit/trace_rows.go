package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// lookupsMax is the maximum number of look-ups in a round trip.
const lookupsMax = 16

// traceRow is a row behind an answer.
type traceRow struct {
	Table   string        `json:"table" doc:"The table with its schema, as in SQL." example:"balances_v1.ledger"`
	Version int           `json:"version,omitempty" doc:"Version of the projection that owns the table; absent for tables of the log and the register."`
	Key     tracedColumns `json:"key" doc:"The columns that identify the row, with their values."`
	Values  tracedColumns `json:"values" doc:"The other columns with their values. Numbers that may be large are strings."`
	Sources []traceSource `json:"sources" nullable:"false" doc:"The events that the row comes from."`
}

// traceSource is an event that a row comes from.
type traceSource struct {
	Column   string   `json:"column" doc:"The column of the row that names the event."`
	Seq      int64    `json:"seq"`
	Pointers []string `json:"pointers" nullable:"false" doc:"JSON pointers into the event's body to what the row says; the empty pointer is the whole body. Empty when the places are not known."`

	report bool
}

// tracedColumns is a JSON object of columns of a row and their values.
type tracedColumns json.RawMessage

// Schema implements huma.SchemaProvider.
func (tracedColumns) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{}}
}

// MarshalJSON implements json.Marshaler.
func (c tracedColumns) MarshalJSON() ([]byte, error) { return c, nil }

// shape returns the row that a look-up has found in a table.
func shape(r *engine.LookupRow, s *engine.Snapshot, t *engine.TraceTable) (traceRow, error) {
	row := traceRow{Table: t.Name, Key: tracedColumns(r.Key), Values: tracedColumns(r.Values), Sources: []traceSource{}}
	if t.Projection != "" {
		v := s.Active(t.Projection)
		row.Table, row.Version = v.String()+"."+t.Name, v.Number
	}
	var sources []struct {
		Column   string
		Seq      *int64
		Report   bool
		Pointers []string
	}
	if err := json.Unmarshal([]byte(r.Sources), &sources); err != nil {
		return row, fmt.Errorf("decode the sources of a row of %s: %w", t.Name, err)
	}
	for _, source := range sources {
		if source.Seq != nil {
			row.Sources = append(row.Sources, traceSource{source.Column, *source.Seq, schema.NonNil(source.Pointers), source.Report})
		}
	}
	return row, nil
}

// traceCursor is the end of a page: a place in a look-up, a colon and the name of the look-up.
type traceCursor string

func (c traceCursor) parse() (after engine.Place, name string, err error) {
	numbers, name, _ := strings.Cut(string(c), ":")
	for part := range strings.SplitSeq(numbers, ".") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, "", engine.BadRequest("invalid cursor %q", string(c))
		}
		after = append(after, n)
	}
	return after, name, nil
}

// cursorName returns the name of a look-up in cursors. It may have an asset in it.
func cursorName(l *engine.Lookup) string { return page.ShortName(l.Name, page.NameSize) }

// from returns the look-ups that are left after the cursor, and the place in the first of them at which the last page
// ended.
func (c traceCursor) from(lookups []engine.Lookup) (left []engine.Lookup, after engine.Place, err error) {
	if c == "" {
		return lookups, nil, nil
	}
	after, name, err := c.parse()
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(lookups, func(l engine.Lookup) bool { return cursorName(&l) == name })
	if i < 0 || !lookups[i].Fits(after) {
		return nil, nil, engine.BadRequest("the cursor %q is not of this answer: begin again without one", string(c))
	}
	return lookups[i:], after, nil
}

// readRows reads a page of the rows of look-ups, one look-up after the other. next is the cursor of the next page; nil
// for the last page.
func readRows(ctx context.Context, s *engine.Snapshot, lookups []engine.Lookup, cursor traceCursor, limit int) (rows []traceRow, next *string, err error) {
	lookups, after, err := cursor.from(lookups)
	if err != nil {
		return nil, nil, err
	}
	rows = []traceRow{}
	var end string
	for len(lookups) > 0 {
		batch := lookups[:min(len(lookups), lookupsMax)]
		lookups = lookups[len(batch):]
		b := s.Batch()
		found := make([]*engine.Result[engine.LookupRow], len(batch))
		for i := range batch {
			found[i] = batch[i].Queue(b, after, limit+1-len(rows))
			after = nil
		}
		if err := b.Run(ctx); err != nil {
			return nil, nil, fmt.Errorf("read the rows behind an answer: %w", err)
		}
		for i, l := range batch {
			for _, r := range found[i].Rows {
				if len(rows) == limit {
					return rows, &end, nil
				}
				row, err := shape(&r, s, l.Table)
				if err != nil {
					return nil, nil, err
				}
				rows, end = append(rows, row), r.Place.String()+":"+cursorName(&l)
			}
		}
	}
	return rows, nil, nil
}
