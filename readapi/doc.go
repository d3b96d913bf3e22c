// Package readapi is the HTTP API over the read tables: huma operations on net/http.
//
// It mounts resources on an engine. A resource is a package here (block, transaction, account, …): queries and shapes, with one
// Mount. No resource imports another. What several have is in internal:
//
//   - engine makes an operation of a query and a shape: routes, snapshots, cached answers, errors, traces;
//   - page is what lists are paged through with; param, view and schema are parameters, shapes and scalar types;
//   - cache, answer, register and live are what the engine and the streams stand on.
//
// The package reads tables and knows neither the code that fills them nor the log's. Shapes, limits and error texts are
// those of stacks-blockchain-api, token-metadata-api and ordinals-api, so that their clients need not change; where their answers
// are wrong, ours are right, and a comment says so.
package readapi
