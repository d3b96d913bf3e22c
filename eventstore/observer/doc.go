// Package observer is the HTTP server that a stacks-node posts its events to.
//
// It stores, and nothing else: a POST to any path becomes an event of the log, byte for byte, and is answered once it
// is durable. No body is looked into, so no body can stop a node, which repeats whatever is not answered with 200 for
// ever and does not go on meanwhile.
//
// # What is answered
//
//	200  the event is durable
//	403  the ordinals feed's path without the token (only where one is configured)
//	405  neither a POST, nor a GET or HEAD of / or /status
//	400, 408  the body ended or stalled before it was complete
//	413  the body is larger than the spool's limit
//	431  the request line and the headers are larger than 16 KiB, a hundred times what a node sends
//	503  the database or the disk can't take the event now; the sender sends it again
//
// Everything but 200 means that this request stored nothing, with one exception that no server can avoid: when the
// connection to the database breaks during the commit, the answer is 503 and the event may be there. It then stands
// in the log twice after the re-delivery.
//
// Answers keep to the rules of the node's strict parser: one Content-Length, no header twice, a JSON body that
// parses, a Connection header of "close" or none at all.
//
// # What is stored
//
// The path in its escaped form, as received (with its trailing slash, without a query), the Content-Type as received,
// the body, the moment at which the head of the request was read, and "observer:<remote host>" as the source.
package observer
