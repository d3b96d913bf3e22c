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
}

// QueueFirstName adds the query for a name of the first registry. The result is empty when there is no such registry to
// read, and for a name that is revoked.
func QueueFirstName(b *engine.Batch, fullName string) *engine.Result[RegisteredName] {
	if !engine.Ready(b.Snapshot, "names") {
		return &engine.Result[RegisteredName]{}
	}
	return engine.Query(b, nameColumns(FirstRegistry), `
		SELECT {names.operation o}, o.owner
		FROM (SELECT * FROM {names}.operation o WHERE o.name = $1 ORDER BY o.n DESC LIMIT 1) o WHERE o.operation <> 6`, fullName)
}

// QueueSecondName does the same for the second registry. Its names without an owner were burned.
func QueueSecondName(b *engine.Batch, fullName string) *engine.Result[RegisteredName] {
	if !engine.Ready(b.Snapshot, "bns") {
		return &engine.Result[RegisteredName]{}
	}
	return engine.Query(b, nameColumns(SecondRegistry), `
		SELECT {bns.name n}, n.owner
		FROM {bns}.name n WHERE n.full_name = $1 AND n.until_height IS NULL AND n.owner IS NOT NULL`, fullName)
}

func nameColumns(registry string) func(*RegisteredName) []any {
	return func(r *RegisteredName) []any {
		r.Registry = registry
		return []any{&r.Owner}
	}
}
