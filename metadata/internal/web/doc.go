// Package web asks hosts of the internet for documents and images, and describes each request as a fetch.Exchange.
//
// The addresses that it asks come from contracts and documents, which anybody can write. So it trusts none of them:
//
//   - A host is resolved once, all of its addresses are judged, and only an address that was judged is dialled: at
//     every redirect, and for addresses written as such. What is not public is refused before a byte is sent.
//   - A body is read as a stream and given up when it is larger than it may be, also when it is compressed.
//   - Slow headers, a slow body and a slow whole have bounds of their own.
//   - What a gateway wants as a secret goes to that gateway only, and is never part of an exchange.
//
// It is also polite: it bounds how many requests a host sees at once and per second, and a host that answered 429 is
// left alone for as long as it asked. Other hosts don't notice.
package web
