package view

import "strata/readapi/internal/engine"

// Registries of the Bitcoin Name System.
const (
	FirstRegistry  = "bns-v1"
	SecondRegistry = "bns-v2"
)

// RegisteredName is a name in a registry of the Bitcoin Name System.
type RegisteredName struct {
	Registry string `json:"registry" enum:"bns-v1,bns-v2"`
	Owner    string `json:"owner" doc:"Also of a name that has expired."`

	name string
}

// QueueFirstName adds the query for a name of the first registry. The result is empty when there is no such registry to
// read, and for a name that is revoked.
func QueueFirstName(b *engine.Batch, fullName string) *engine.Result[RegisteredName] {
	if !engine.Ready(b.Snapshot, "names") {
		return &engine.Result[RegisteredName]{}
	}
	return engine.Query(b, nameColumns(FirstRegistry), `
		SELECT ARRAY[o.source_seq], o.owner, o.name
		FROM (SELECT * FROM {names}.operation o WHERE o.name = $1 ORDER BY o.n DESC LIMIT 1) o WHERE o.operation <> 6`, fullName)
}

// QueueSecondName does the same for the second registry. Its names without an owner were burned.
func QueueSecondName(b *engine.Batch, fullName string) *engine.Result[RegisteredName] {
	if !engine.Ready(b.Snapshot, "bns") {
		return &engine.Result[RegisteredName]{}
	}
	return engine.Query(b, nameColumns(SecondRegistry), `
		SELECT ARRAY[n.source_seq], n.owner, n.full_name
		FROM {bns}.name n WHERE n.full_name = $1 AND n.until_height IS NULL AND n.owner IS NOT NULL`, fullName)
}

func nameColumns(registry string) func(*RegisteredName) []any {
	return func(r *RegisteredName) []any {
		r.Registry = registry
		return []any{&r.Owner, &r.name}
	}
}

var (
	tracedFirstName = &engine.TraceTable{
		Projection: "names", Name: "operation", Key: "name n", Values: "operation owner height txid:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[coalesce('/events/' || t.pointer, '/transactions/' || t.tx_index)]`}},
	}
	tracedSecondName = &engine.TraceTable{
		Projection: "bns", Name: "name", Key: "full_name height", Values: "until_height id owner tx_index",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
	}
)

// NameLookups returns the look-ups of names.
func NameLookups(names []RegisteredName) (all []engine.Lookup) {
	for _, n := range names {
		if n.Registry == FirstRegistry {
			all = append(all, engine.Lookup{Name: "name", Table: tracedFirstName, Where: `t.name = $1`, Args: []any{n.name}, NewestFirst: []string{"t.n"}})
			continue
		}
		all = append(all, engine.Lookup{
			Name: "second_name", Table: tracedSecondName, Where: `t.full_name = $1 AND t.until_height IS NULL`, Args: []any{n.name}, Order: `t.full_name`,
		})
	}
	return all
}
