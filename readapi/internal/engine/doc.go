// Package engine makes an operation of a query and a shape.
//
// A resource describes its operations and gives a handler for each, which reads a snapshot of the tables. The engine does the rest,
// each part in one place:
//
//   - route.go adds an operation to the mux and to the OpenAPI description; parameter.go checks parameters against the operation's
//     schema, before huma parses them;
//   - snapshot.go and batch.go run all queries of a request on one state of the tables, in a transaction that looks for it or
//     assuming one that is known; combine.go lets brief reads share round trips; provenance.go notes which events are behind the rows;
//   - keep.go is what every answer passes through on its way to the client: it is cached under a key that plan.go and
//     dependencies.go make (docs/caching.md); answer.go makes it;
//   - trace.go and trace_table.go say which rows an answer is made of (docs/auditing.md);
//   - error.go turns errors into statuses and bodies;
//   - shell.go is around all of it: CORS, headers, log, metrics, panics.
//
// A struct that is embedded in the input or output of an operation has an exported name: huma does not see others.
package engine
