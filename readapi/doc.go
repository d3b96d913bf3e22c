// Package readapi is the HTTP API over the read tables: huma operations on net/http.
//
// A resource is a query and a shape, in a file of its own. Everything else stands in one place each:
//
//   - api.go wires the parts together, route.go makes an operation of a resource;
//   - parameter.go checks parameters against the operation's schema, before huma parses them;
//   - snapshot.go and batch.go run all queries of a request on one state of the tables, in a transaction that looks for
//     it or assuming one that is known, and provenance.go notes which events are behind the rows;
//   - keep.go is what every answer passes through on its way to the client: it is kept under a key that plan.go and
//     dependencies.go make, as docs/caching.md tells; answer.go makes it;
//   - combine.go lets brief reads share round trips;
//   - metadata_row.go reads what is known of tokens, metadata_view.go decides what of it is shown, and the other files that
//     begin with metadata are the resources under /metadata;
//   - error.go turns errors into statuses and bodies;
//   - shell.go is around all of it: CORS, headers, log, metrics, panics.
//
// A struct that is embedded in the input or output of an operation has an exported name: huma does not see others.
//
// The package reads tables and knows neither the code that fills them nor the log's. Shapes, limits and error texts are
// those of stacks-blockchain-api and token-metadata-api, so that its clients need not change; where its answers are wrong, ours are right, and
// a comment says so.
package readapi
