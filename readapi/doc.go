// Package readapi is the HTTP API over the read tables: huma operations on net/http.
//
// It mounts resources on an engine. Each resource is a package below this one (block, transaction, account, …): queries
// and JSON shapes, with one function Mount. No resource imports another. What several of them share is in internal:
//
//   - engine turns a query and a shape into an operation: routes, snapshots, cached answers, errors, traces;
//   - page pages through lists; param, view and schema hold parameters, shapes and scalar types;
//   - cache, answer, register and live are the foundations of the engine and of the streams.
//
// The API reads tables. It depends neither on the code that fills them nor on the code of the log. Shapes, limits and
// error texts are those of stacks-blockchain-api, token-metadata-api and ordinals-api, so that their clients need not
// change. Where the answers of those are wrong, ours differ, and a comment says so.
package readapi
