// Package lean serves plain HTTP/1.1 requests at little cost, and leaves all other requests to net/http.
//
// While net/http's server answers a request, it watches the connection with a second goroutine, and it sets several
// deadlines. That costs more than reading a request, looking up an answer of a few hundred bytes, and writing it. In
// this package a connection has one goroutine, a request that is answered quickly touches no timer, and an answer is
// one write.
//
// # Which requests are plain
//
// A request is plain if every HTTP implementation reads it alike; head.go has the exact list. If a request is not
// plain, the server hands its connection to the http.Server, with every byte that it has read of that request, and
// never takes it back. So this package decides nothing that needs judgement: where a request with two lengths ends,
// what an unusual line end means, TLS, HTTP/2, chunks, Expect. For plain requests it produces the same http.Request as
// net/http does, which FuzzAgreesWithNetHTTP checks.
//
// # What a handler gets
//
// A handler gets the same as from net/http, with these differences:
//
//   - The server reuses the request's header and body and the ResponseWriter for the next request. The handler must not
//     use them, nor slices of values, after it has returned. It may keep strings, the URL and the context.
//   - The whole body is in memory before the handler is called. Requests with a body longer than BodyMax go to
//     net/http.
//   - The context ends when the client leaves, but the server begins to watch for that only after some hundredths of a
//     second.
//   - Trailers are not sent, and Hijack is not supported.
//
// # Time
//
// One goroutine checks all connections twenty times a second. It closes those that exceed the http.Server's
// ReadHeaderTimeout, ReadTimeout, WriteTimeout or IdleTimeout, or whose clients do not take a piece of an answer within
// Stall, and starts to watch the clients of slow handlers.
// Timeouts may therefore be late by a twentieth of a second.
package lean
