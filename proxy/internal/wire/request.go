package wire

import "strconv"

// HeadMax is the longest request head (request line and header) that a node accepts, in bytes.
const HeadMax = 4096

// Request is a request to a node. Its strings must not contain control characters; strings that came through net/http's
// server have none.
type Request struct {
	Method string
	// Target is the escaped path and the query.
	Target string
	// ContentType, Accept and Authorization are the header fields that a node reads. Empty ones are not sent.
	ContentType, Accept, Authorization string
	// ID is sent as X-Request-Id. A node accepts only an unsigned 32-bit number there.
	ID   uint32
	Body []byte
	// Once means that the node must not see this request twice, whatever happens.
	Once bool
}

// appendHead appends the request's head.
func (r *Request) appendHead(b []byte, host string) []byte {
	b = append(b, r.Method...)
	b = append(b, ' ')
	b = append(b, r.Target...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, host...)
	b = appendField(b, "Accept", r.Accept)
	b = appendField(b, "Authorization", r.Authorization)
	b = appendField(b, "Content-Type", r.ContentType)
	if len(r.Body) > 0 || r.Method != "GET" {
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(r.Body)), 10)
	}
	b = append(b, "\r\nX-Request-Id: "...)
	b = strconv.AppendUint(b, uint64(r.ID), 10)
	return append(b, "\r\n\r\n"...)
}

func appendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, '\r', '\n')
	b = append(b, name...)
	b = append(b, ": "...)
	return append(b, value...)
}
