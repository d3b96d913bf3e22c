// Package wire speaks HTTP/1.1 (RFC 9112) to one node, as a client.
//
// A proxy's client needs little of what net/http's does: no redirects, cookies, environment or HTTP/2, and each exchange
// has a goroutine already, the one that serves the proxy's own client. An exchange runs on that goroutine from the first
// byte to the last: it takes an idle connection or makes one, writes the request in one piece, reads the answer, and puts
// the connection back. net/http's transport hands both directions to goroutines of the connection's; BenchmarkForward in
// package proxy shows what that costs.
//
// # Which requests may be sent twice
//
// A node closes connections that it thinks are idle, and a request may cross that on its way. When a connection that was
// used before breaks before the answer's first byte, the request is sent again on a new one. One that must not be
// (Request.Once) gets a new connection from the start, so that this can't happen to it.
//
// # What is refused
//
// An answer whose end is not certain (two lengths that differ, a length and a transfer coding, an unknown coding) is
// an error, and its connection is closed: what follows could be taken for the answer to somebody else's request.
package wire
