package importer

import (
	"math"
	"strconv"
	"strings"

	"strata/eventstore"
	"strata/eventstore/archive"
)

// sourcePrefix is the start of the source of every imported event; the archive's base name follows.
const sourcePrefix = "archive:"

// origin is the unchanged text of a line's first two columns.
type origin struct {
	id, time string
}

// String returns the form in which the log stores an origin.
func (o origin) String() string { return o.id + "\t" + o.time }

// originOf returns the origin of an imported event. Events from other sources have none, whatever their Origin is.
func originOf(e *eventstore.Event) (o origin, ok bool) {
	if !strings.HasPrefix(e.Source, sourcePrefix) {
		return o, false
	}
	o.id, o.time, ok = strings.Cut(e.Origin, "\t")
	return o, ok
}

// recorder makes the records that Export writes.
type recorder struct {
	dialect  archive.Dialect
	keepTime bool  // keep the text of every time, because the output has the dialect of the imported files
	newest   int64 // the largest id so far
}

// record returns the record of an event. It uses the columns of its origin, if it has one, and otherwise its position as
// id. If that is not above all ids so far, it uses the id after the largest instead: a reader of the file may order by id
// and drop the second of two equal ones.
func (r *recorder) record(e *eventstore.Event) archive.Record {
	rec := archive.Record{ReceivedAt: e.ReceivedAt, Path: e.Path, Payload: e.Body}
	if o, ok := originOf(e); ok {
		if r.keepTime || (r.dialect == archive.Raw) == strings.Contains(o.time, "T") {
			rec.TimeText = o.time
		}
		id, err := strconv.ParseInt(o.id, 10, 64)
		if err == nil {
			rec.ID, rec.IDText, rec.HasID = id, o.id, true
			r.newest = max(r.newest, id)
		}
		if err == nil || o.id == "" {
			return rec
		}
	}
	rec.ID, rec.HasID = e.Seq, true
	if rec.ID <= r.newest && r.newest < math.MaxInt64 {
		rec.ID = r.newest + 1
	}
	r.newest = max(r.newest, rec.ID)
	return rec
}
