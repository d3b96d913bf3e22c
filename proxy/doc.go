// Package proxy is one address for a pool of Stacks nodes: it forwards the node RPC API (/v2 and /v3) to the node that is
// best for it at the moment, so that clients see one node that does not fail, lag or restart.
//
// # The way of a request
//
//	admit      refuse what must not reach a node: foreign targets, operator endpoints, bodies that are too large, clients
//	           that ask too much (admit.go)
//	keep       answer from the cache, or share the answer that somebody is waiting for already (keep.go)
//	fetch      pick a node, send, judge the answer, and try another one where that is right (fetch.go, verdict.go, hedge.go)
//	broadcast  what POST /v2/transactions does instead (broadcast.go)
//	serve      the answer, byte for byte as the node gave it (answer.go)
//
// What each endpoint may have of this is a table in internal/policy; what each node is good for is decided in
// internal/pool; internal/wire is the HTTP client.
//
// # What is promised
//
//   - A request that is safe to repeat does not fail while one node works, as long as the retry budget lasts. An answer
//     up to BufferMax is read to its end before the client gets the first byte, so that a node that dies half-way costs
//     a retry; a longer one is streamed, and is cut off where the node was.
//   - A request that is not safe to repeat reaches at most one node that may have acted on it.
//   - A node's answer is the client's: same status, same bytes. The proxy's own answers are JSON with a member error.
//   - No request reaches a host that is not in the pool: connections are made to the nodes' addresses only, and nothing
//     of a request but its path, query and body has any say.
//
// # What the server around it brings
//
// Limits on how slowly a client may send (ReadHeaderTimeout and ReadTimeout of http.Server), and on the number of its
// connections. A limit on how long it may take to answer (WriteTimeout) has to leave room for Timeouts.Heavy.
package proxy
