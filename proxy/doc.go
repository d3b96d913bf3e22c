// Package proxy puts a pool of Stacks nodes behind one address. It forwards the node RPC API (/v2 and /v3), each
// request to the node that suits it best at that moment. To clients the pool looks like one node that never fails, lags
// or restarts.
//
// # Path of a request
//
//	admit      refuses what must not reach a node: foreign targets, operator endpoints, bodies that are too large,
//	           clients that send too many requests (admit.go)
//	share      answers from the cache, or shares the answer of an identical in-flight request (share.go)
//	fetch      picks a node, sends the request, examines the answer, and tries another node where that is allowed
//	           (fetch.go, retry.go, hedge.go)
//	broadcast  replaces share and fetch for POST /v2/transactions (broadcast.go)
//	serve      writes the node's answer, byte for byte (answer.go)
//
// internal/policy has a table of endpoints with what is allowed for each. internal/pool decides which node suits a
// request. internal/client sends it.
//
// # Guarantees
//
//   - A request that is safe to repeat does not fail while one node works, as long as the retry budget lasts. The proxy
//     reads an answer of up to BufferMax bytes to its end before the client gets the first byte, so a node that dies
//     half-way costs a retry. A longer answer is streamed, and is cut off if the node cuts it off.
//   - A request that is not safe to repeat reaches at most one node that may have acted on it.
//   - The client gets the node's answer unchanged: same status, same bytes. The proxy's own answers are JSON objects
//     with a member error.
//   - No request reaches a host outside the pool. The proxy connects to the nodes' addresses only, and forwards nothing
//     of a request but its method, path, query, body and a few header fields.
//
// # What the surrounding server must provide
//
// The surrounding server limits how slowly a client may send (ReadHeaderTimeout and ReadTimeout of http.Server), and
// how many connections there are. Its limit on the time to answer (WriteTimeout) must leave room for Timeouts.Heavy.
package proxy
