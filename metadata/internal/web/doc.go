// Package web fetches documents and images from hosts of the internet, and describes each request as a fetch.Exchange.
//
// The URLs come from contracts and documents, which anybody can write. So the package trusts none of them:
//
//   - It resolves a host once, checks all of its IP addresses, and dials only a checked address. It does so at every
//     redirect, and also for URLs with an IP address in them. It refuses addresses that are not public before it sends
//     a byte.
//   - It reads a body as a stream, and gives up when the body exceeds the limit, before or after decompression.
//   - It bounds the time until the headers, the time that a body may stall, and the time of the whole exchange.
//   - The secret header fields of a gateway go to that gateway only, and are never part of an exchange.
//
// It is also polite: it bounds the requests to a host, both at the same time and per second. It sends no request to a
// host that answered 429 until the time that the host asked for is over. Other hosts are not affected.
package web
