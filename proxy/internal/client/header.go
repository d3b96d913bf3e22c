package client

import (
	"net/http"
	"strings"
)

// hidden are the fields of a node's answer that its client does not get: they are about the connection (RFC 9110 7.6.1), or
// the proxy sets its own.
var hidden = [...]string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Content-Length",

	"Access-Control-Allow-Origin", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
	"Access-Control-Allow-Credentials", "Access-Control-Expose-Headers", "Access-Control-Max-Age", "Cache-Control", "Expires",
	"Pragma", "Age", "Date", "Server", "Set-Cookie", "Via", "X-Request-Id", "Vary", "Alt-Svc", "Strict-Transport-Security",
}

// shown returns the header of a node's answer without the fields that are hidden or named in Connection.
func shown(header http.Header) http.Header {
	for _, value := range header["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			header.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hidden {
		delete(header, name)
	}
	return header
}
