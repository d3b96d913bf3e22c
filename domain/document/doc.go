// Package document reads the JSON documents to which token contracts refer (SIP-016), and the URIs that lead to them.
// Such a document has a token's name, its image and other metadata.
//
// Many people write these documents, and not all follow the standard. The package keeps what it understands, and leaves
// out each other part on its own. Only a document without any usable content is an error. The package makes no
// requests: [Resolve] returns the URLs to request, and [Parse] reads the response.
package document
