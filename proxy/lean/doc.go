// Package lean serves plain HTTP/1.1 requests with little work, and leaves all others to net/http.
//
// net/http's server has a second goroutine look at each connection while a request is answered, and sets several
// deadlines; that costs more than reading, looking up and writing an answer of a few hundred bytes. Here a connection has
// one goroutine, a request that is answered at once touches no timer, and an answer is one write.
//
// # Which requests are plain
//
// Those that everybody reads in the same way; head.go has the list. A connection on which anything else comes is handed to
// the http.Server, with every byte of the request that it can't read, and stays there. So nothing that takes judgement (where
// a request ends that has two lengths, what an unusual line end means, TLS, HTTP/2, chunks, Expect) is decided here; what is
// plain is taken to be the same request as net/http takes it for, which FuzzAgreesWithNetHTTP checks.
//
// # What a handler gets
//
// The same as from net/http, with these differences:
//
//   - The request's header and body and the ResponseWriter serve again for the next request: the handler must not use them,
//     nor slices of values, after it has returned. Strings, the URL and the context stay its own.
//   - The body is at hand whole before the handler is called: longer ones than BodyMax go to net/http.
//   - The context ends when the client leaves, for which nobody looks in the first hundredths of a second.
//   - Trailers are not sent, and Hijack is not there.
//
// # Time
//
// One goroutine looks at all connections twenty times a second: it ends those that took longer than the http.Server's
// ReadHeaderTimeout, ReadTimeout, WriteTimeout or IdleTimeout allow, and has those watched whose handler takes its time.
// Timeouts are therefore late by as much as a twentieth of a second.
package lean
