// Package document reads the JSON documents that token contracts name, which say what a token is called, how it looks
// and what else there is to know of it (SIP-016), and the URIs that lead to them.
//
// The documents are of many hands. What can be understood is kept, and each part that can't is left out on its own;
// only a document that says nothing useful is an error. The package makes no request: it says where to ask ([Resolve])
// and reads what came ([Parse]).
package document
