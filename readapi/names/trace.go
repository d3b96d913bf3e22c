package names

import "strata/readapi/internal/engine"

// Places of rows in the bodies of their events. Those of Stacks 1.0 are among the lines of an export.
const (
	// eventPointer is the event; if the contract prints nothing, the transaction that calls it, or the answer of the registry.
	eventPointer    = `ARRAY[CASE WHEN t.n = 0 THEN '/text' WHEN t.exchange IS NOT NULL THEN '/exchanges/' || t.exchange || '/body' ELSE coalesce('/events/' || t.pointer, '/transactions/' || t.tx_index) END]`
	zonefilePointer = `ARRAY[CASE WHEN t.exchange IS NOT NULL THEN '/exchanges/' || t.exchange WHEN t.entry < 0 THEN '/text' ELSE '/' || t.entry || '/content' END]`
	// recordPointer is the zonefile with the record of a subdomain.
	recordPointer = `ARRAY[CASE WHEN found.exchange IS NOT NULL THEN '/exchanges/' || found.exchange WHEN t.n = 0 OR found.entry < 0 THEN '/text' ELSE '/' || found.entry || '/content' END]`
)

var (
	tracedOperation = &engine.TraceTable{
		Projection: "names", Name: "operation", Key: "name n", Values: "operation owner zonefile_hash:hex registered_at imported_at height txid:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: eventPointer}},
	}
	tracedNamespace = &engine.TraceTable{
		Projection: "names", Name: "namespace", Key: "namespace n",
		Values: "importer can_update_price revealed_at:text launched_at:text lifetime:text price_base:text price_coefficient:text price_buckets:text " +
			"nonalpha_discount:text no_vowel_discount:text height txid:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: eventPointer}},
	}
	tracedCustody = &engine.TraceTable{
		Projection: "names", Name: "custody", Key: "name n", Values: "holder height",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/events/' || t.pointer]`}},
	}
	tracedName = &engine.TraceTable{
		Projection: "names", Name: "name", Key: "name", Values: "holder listed",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
	tracedZonefile = &engine.TraceTable{
		Projection: "names", Name: "zonefile", Key: "zonefile_hash:hex", Values: "resolver",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: zonefilePointer}},
	}
	tracedSubdomain = &engine.TraceTable{
		Projection: "names", Name: "subdomain", Key: "name label sequence n place", Values: "owner height zonefile_hash:hex txid:hex",
		Join: `LEFT JOIN LATERAL (SELECT z.entry, z.exchange FROM {names}.zonefile z WHERE z.zonefile_hash = t.zonefile_hash LIMIT 1) found ON true`,
		Sources: []engine.TraceSource{
			{Column: "source_seq", Pointers: recordPointer}, {Column: "operation_seq", Pointers: engine.WholeEvent},
		},
	}
	// tracedGap traces operations whose zonefile no node has posted: the hash is there, the content is missing.
	tracedGap = &engine.TraceTable{
		Projection: "names", Name: "operation", Key: "name n", Values: "zonefile_hash:hex height",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: eventPointer}},
	}
	// tracedAttempt traces what came of asking nodes for a missing zonefile.
	tracedAttempt = &engine.TraceTable{
		Projection: "names", Name: "attempt", Key: "zonefile_hash:hex", Values: "attempts waits reason due_at",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/exchanges']`}},
	}
)

// lookups returns the look-ups of the history of a name. While its zonefile is missing, the look-up missing_zonefile
// has the operation that names it.
func (r *nameRow) lookups() []engine.Lookup {
	all := []engine.Lookup{
		{Name: "operation", Table: tracedOperation, Where: `t.name = $1 AND t.n <= $2`, Args: []any{r.name, r.n}, NewestFirst: []string{"t.n"}},
		{Name: "custody", Table: tracedCustody, Where: `t.name = $1`, Args: []any{r.name}, NewestFirst: []string{"t.n"}},
		{Name: "namespace", Table: tracedNamespace, Where: `t.namespace = split_part($1, '.', 2)`, Args: []any{r.name}, NewestFirst: []string{"t.n"}},
	}
	if r.zonefile == nil && len(r.zonefileHash) > 0 {
		all = append(all, engine.Lookup{
			Name: "missing_zonefile", Table: tracedGap, Where: `t.name = $1 AND t.zonefile_hash = $2`, Args: []any{r.name, r.zonefileHash}, NewestFirst: []string{"t.n"},
		}, engine.Lookup{Name: "attempts", Table: tracedAttempt, Where: `t.zonefile_hash = $1`, Args: []any{r.zonefileHash}, Order: `t.zonefile_hash`})
	}
	return all
}

func (r *subdomainRow) lookups() []engine.Lookup {
	return []engine.Lookup{{
		Name: "subdomain", Table: tracedSubdomain, Where: `t.name = $1 AND t.label = $2`, Args: []any{r.name, r.label}, Order: `t.sequence DESC, t.n DESC, t.place DESC`,
	}}
}

// namespaceLookups returns the look-up of the properties of a namespace.
func namespaceLookups(namespace string) []engine.Lookup {
	return []engine.Lookup{{Name: "namespace", Table: tracedNamespace, Where: `t.namespace = $1`, Args: []any{namespace}, NewestFirst: []string{"t.n"}}}
}
