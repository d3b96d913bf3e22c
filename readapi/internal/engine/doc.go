// Package engine turns a query and a JSON shape into an HTTP operation.
//
// A resource package describes its operations and gives each one a handler, which reads a snapshot of the tables. The
// engine does the rest, in six groups of files:
//
//   - Routes: engine.go holds everything together; operation.go describes an operation; route.go adds it to the mux and to the
//     OpenAPI description, prefix_route.go those that a mux refuses beside others; family.go, config.go, huma.go.
//   - Requests: middleware.go wraps every request: CORS, common headers, access log, metrics, panics. parameter.go checks
//     parameters against the operation's schema before huma parses them; error.go and method_not_allowed.go turn errors into
//     statuses and bodies.
//   - Snapshots: snapshot.go and batch.go run all queries of a request on one state of the tables, either in a transaction that
//     looks the state up, or assuming a known state; gate.go and primary.go choose the connections, and which reads wait;
//     version_override.go lets operators read other versions, unreadable_version.go refuses those of other programs;
//     combine.go lets reads of points share round trips.
//   - The cache: cached.go serves cached answers and fills the cache, under the keys that plan.go makes of what an answer
//     depends on (dependencies.go; learned.go finds it out); answer.go builds the answers (docs/caching.md).
//   - Traces: trace.go and trace_table.go report which rows an answer is built from (docs/auditing.md); provenance.go names the
//     events behind them.
//   - Freshness: min_position.go waits until the tables reflect what a client has seen; progress.go and chain_heads.go find
//     out how far they are.
//
// A struct that is embedded in the input or output of an operation must have an exported name: huma ignores the others.
package engine
