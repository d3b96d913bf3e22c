// Package engine turns a query and a JSON shape into an HTTP operation.
//
// A resource package describes its operations and gives each one a handler, which reads a snapshot of the tables. The
// engine does the rest, each part in one place:
//
//   - route.go adds an operation to the mux and to the OpenAPI description; parameter.go checks parameters against the
//     operation's schema before huma parses them;
//   - snapshot.go and batch.go run all queries of a request on one state of the tables: either in a transaction that
//     looks the state up, or assuming a known state; combine.go lets brief reads share round trips; provenance.go
//     records which events are behind the rows;
//   - keep.go serves cached answers and fills the cache, under the keys that plan.go and dependencies.go compute
//     (docs/caching.md); answer.go builds the answers;
//   - trace.go and trace_table.go report which rows an answer is built from (docs/auditing.md);
//   - error.go turns errors into statuses and bodies;
//   - shell.go wraps every request: CORS, common headers, access log, metrics, panics.
//
// A struct that is embedded in the input or output of an operation must have an exported name: huma ignores the others.
package engine
