// Package wire speaks HTTP/1.1 (RFC 9112) to one node, as a client.
//
// A proxy needs little of what net/http's client does: no redirects, cookies, proxies from the environment or HTTP/2.
// And each exchange already has a goroutine, the one that serves the proxy's own client. The whole exchange runs on
// that goroutine: it takes an idle connection or opens one, writes the request in one piece, reads the answer, and
// returns the connection. net/http's transport runs two more goroutines per connection, one for each direction;
// BenchmarkForward in package proxy shows what that costs.
//
// # Which requests may be sent twice
//
// A node closes connections that it considers idle, and a request may be on its way at that moment. So if a reused
// connection breaks before the first byte of the answer, the client sends the request again on another connection. A
// request that must not be sent twice (Request.Once) always gets a new connection, so this can't happen to it.
//
// # What is refused
//
// An answer whose end is uncertain (two lengths that differ, a length and a transfer coding, an unknown coding) is an
// error. The client closes its connection, because the bytes that follow could be taken for the answer to another
// request.
package wire
