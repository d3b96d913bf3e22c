package importer

import (
	"math"
	"strconv"
	"strings"

	"strata/eventstore"
	"strata/eventstore/archive"
)

// sourcePrefix begins the source of every imported event; the archive's base name follows.
const sourcePrefix = "archive:"

// origin is the first two columns of a line as they stood.
type origin struct {
	id, time string
}

// String is how the log holds it.
func (o origin) String() string { return o.id + "\t" + o.time }

// originOf is the origin of an imported event. Events that came another way have none, whatever their Origin says.
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
	keepTime bool  // the output is in the dialect of the files that were imported: whatever shape times have stays
	newest   int64 // the largest id so far
}

// record of an event: with its origin's columns if it has one, else with its position in the log as id. An id that
// was given before the event is then no longer free, because whoever reads the file may order by id and drop the
// second of two equal ones, so it becomes the one after the largest.
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
