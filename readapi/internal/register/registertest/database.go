// Package registertest has a database that answers the queries of package register from memory, for tests of many histories.
package registertest

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/shard"
	"strata/readapi/internal/register"
)

// Database is a snapshot of the register.
type Database struct {
	LogSize  int64
	Versions []*Version
}

// Version is a version of a projection, with its rows of the journal.
type Version struct {
	Name     string
	Number   int
	Active   bool
	Epoch    [16]byte
	Position int64
	Height   *int64
	// From is the position at which any shard may have changed.
	From int64
	// Changes are the rows of strata.change, in order.
	Changes []Change
	// Summary is what strata.change_summary says up to SummaryTo; nil if there is no such row.
	Summary   *[shard.Count]int64
	SummaryTo int64
}

// Change is a row of strata.change.
type Change struct {
	Position int64
	Shards   []int32
}

// Read reads a state as a transaction does.
func (d *Database) Read(projections []string, before *register.State) (*register.State, error) {
	b := &pgx.Batch{}
	s := register.Queue(b, projections, before)
	for _, q := range b.QueuedQueries {
		var r rows
		switch {
		case strings.Contains(q.SQL, "FROM strata.archive"):
			r.left = [][]any{{[16]byte{1}, d.LogSize, false}}
		case strings.Contains(q.SQL, "strata.change_summary"):
			r.left = d.changes(q.Arguments)
		case strings.Contains(q.SQL, "FROM strata.projection"):
			for _, v := range d.Versions {
				r.left = append(r.left, []any{v.Name, v.Number, v.Number, v.Active, "log", "live", nil, v.Position, v.Position, v.Height, nil, nil, nil, nil, v.Epoch, v.From})
			}
			slices.SortFunc(r.left, func(a, b []any) int {
				return cmp.Or(strings.Compare(a[0].(string), b[0].(string)), a[1].(int)-b[1].(int))
			})
		default:
			return nil, fmt.Errorf("an unknown query: %s", q.SQL)
		}
		if err := q.Fn(results{rows: &r}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// changes returns the rows of the active versions of some projections that are after the positions that the reader knows.
func (d *Database) changes(args []any) (list [][]any) {
	known := map[[16]byte]int64{}
	epochs, positions := args[0].([][16]byte), args[1].([]int64)
	for i, epoch := range epochs {
		known[epoch] = positions[i]
	}
	of := args[2].([]string)
	versions := slices.Clone(d.Versions)
	slices.SortFunc(versions, func(a, b *Version) int { return strings.Compare(a.Name, b.Name) })
	for _, v := range versions {
		if !v.Active || of != nil && !slices.Contains(of, v.Name) {
			continue
		}
		after, ok := known[v.Epoch]
		if !ok || after > v.Position {
			after = -1
		}
		if v.Summary != nil && v.SummaryTo > after {
			list = append(list, []any{v.Name, v.SummaryTo, shard.EncodePositions(v.Summary), nil})
		}
		for _, c := range v.Changes {
			if c.Position > after {
				list = append(list, []any{v.Name, c.Position, nil, shard.Encode(c.Shards)})
			}
		}
	}
	return list
}

// Summarize summarizes all but the newest rows of the journal.
func (v *Version) Summarize(kept int) {
	n := len(v.Changes) - kept
	if n <= 0 {
		return
	}
	positions := new([shard.Count]int64)
	if v.Summary != nil {
		*positions = *v.Summary
	}
	for _, c := range v.Changes[:n] {
		for _, s := range c.Shards {
			positions[s] = c.Position
		}
	}
	v.Summary, v.SummaryTo, v.Changes = positions, v.Changes[n-1].Position, v.Changes[n:]
}

// Clone returns a copy that may be changed.
func (d *Database) Clone() *Database {
	next := &Database{LogSize: d.LogSize}
	for _, v := range d.Versions {
		copied := *v
		copied.Changes = slices.Clip(v.Changes)
		next.Versions = append(next.Versions, &copied)
	}
	return next
}

// Truth is when shards have changed, whatever a reader knows of it: by epoch, position and shard.
type Truth map[[16]byte]map[int64][]int32

// Changed returns the last position up to some at which a shard has changed.
func (t Truth) Changed(v *register.Version, number int32) (last int64) {
	for position := range maps.Keys(t[v.Epoch]) {
		if shards := t[v.Epoch][position]; position <= v.Position && position > last && (shards == nil || slices.Contains(shards, number)) {
			last = position
		}
	}
	return last
}

// results hand out the answer to a query.
type results struct {
	pgx.BatchResults

	rows *rows
}

func (r results) Query() (pgx.Rows, error) { return r.rows, nil }

func (r results) QueryRow() pgx.Row {
	r.rows.Next()
	return r.rows
}

// rows are the answer to a query.
type rows struct {
	pgx.Rows

	left [][]any
	now  []any
}

func (r *rows) Close() {}

func (r *rows) Err() error { return nil }

func (r *rows) CommandTag() (tag pgconn.CommandTag) { return tag }

func (r *rows) Next() bool {
	if len(r.left) == 0 {
		return false
	}
	r.now, r.left = r.left[0], r.left[1:]
	return true
}

func (r *rows) Scan(into ...any) error {
	for i, value := range r.now {
		at := reflect.ValueOf(into[i]).Elem()
		if value == nil {
			at.SetZero()
			continue
		}
		at.Set(reflect.ValueOf(value).Convert(at.Type()))
	}
	return nil
}
