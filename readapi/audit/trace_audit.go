package audit

import (
	"strata/readapi/internal/engine"
)

var (
	tracedEvent = &engine.TraceTable{
		Name: "log.event", Key: "seq", Values: "path source content_type size sha256:hex body_seq",
		Sources: []engine.TraceSource{{Column: "seq", Pointers: engine.WholeEvent}, {Column: "body_seq", Pointers: engine.WholeEvent}},
	}
	tracedQuarantine = &engine.TraceTable{
		Name: "strata.quarantine", Key: "name version seq pointer", Values: "path reason",
		Sources: []engine.TraceSource{{Column: "seq", Pointers: `ARRAY[t.pointer]`}},
	}
)

// eventLookups returns the look-up of an event of the log.
func eventLookups(seq int64) []engine.Lookup {
	return []engine.Lookup{{Name: "event", Table: tracedEvent, Where: `t.seq = $1`, Args: []any{seq}, Order: `t.seq`}}
}

// quarantineLookups returns the look-up of quarantined events.
func quarantineLookups(shown []quarantined) []engine.Lookup {
	var names []string
	var versions []int32
	var seqs []int64
	var pointers []string
	for _, q := range shown {
		names, versions, seqs, pointers = append(names, q.Projection), append(versions, q.Version), append(seqs, q.Seq), append(pointers, q.Pointer)
	}
	return []engine.Lookup{{
		Name: "quarantine", Table: tracedQuarantine, Order: `t.seq, t.name, t.version, t.pointer`,
		Where: `(t.name, t.version, t.seq, t.pointer) IN (SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[]))`,
		Args:  []any{names, versions, seqs, pointers},
	}}
}
