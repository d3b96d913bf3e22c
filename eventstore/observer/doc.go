// Package observer is the HTTP server that a stacks-node posts its events to.
//
// It only stores: a POST to any path becomes an event of the log, byte for byte, and is answered once the event is
// durable. A node repeats a request until it is answered with 200, and does not go on meanwhile. The observer does not
// look into a body, so no body can stop a node.
//
// # Answers
//
//	200  the event is durable
//	403  the ordinals feed's path without the token (only where one is configured)
//	405  the request is neither a POST, nor a GET or HEAD of / or /status
//	400, 408  the body ended or stalled before it was complete
//	413  the body is larger than the spool's limit
//	431  the request line and the headers are larger than 16 KiB, a hundred times what a node sends
//	503  the database or the disk can't take the event now; the sender sends it again
//
// Every answer but 200 means that the request stored nothing, with one exception that no server can avoid: if the
// connection to the database breaks during the commit, the answer is 503, but the event may be stored. After the
// re-delivery the log then holds it twice.
//
// Answers obey the rules of the node's strict parser: one Content-Length, no header twice, a valid JSON body, and a
// Connection header of "close" or none.
//
// # What is stored
//
// An event has the path in its escaped form as received (with a trailing slash, without a query), the Content-Type as
// received, the body, the time at which the head of the request was read, and the source "observer:<remote host>".
package observer
