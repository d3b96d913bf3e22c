package wire

import (
	"net/textproto"
	"strings"
)

// Field is a header field of an answer. Its name is in canonical form.
type Field struct{ Name, Value string }

// Names of the fields that the proxy uses, in canonical form.
const (
	ContentType = "Content-Type"
	// TipHeight names the field with the height of the node's newest Stacks block. It is in every answer of status 2xx.
	TipHeight = "X-Canonical-Stacks-Tip-Height"
)

// common maps frequent field names to their canonical form, which saves an allocation. A field that is not forwarded
// maps to "": it is about the connection (RFC 9110 7.6.1), or the proxy sets its own.
var common = map[string]string{
	"content-type":                  ContentType,
	"x-canonical-stacks-tip-height": TipHeight,
	"content-encoding":              "Content-Encoding",
	"allow":                         "Allow",
	"retry-after":                   "Retry-After",
	"etag":                          "Etag",

	"connection": "", "keep-alive": "", "proxy-authenticate": "", "proxy-authorization": "", "proxy-connection": "",
	"te": "", "trailer": "", "transfer-encoding": "", "upgrade": "", "content-length": "",

	"access-control-allow-origin": "", "access-control-allow-headers": "", "access-control-allow-methods": "",
	"access-control-allow-credentials": "", "access-control-expose-headers": "", "access-control-max-age": "",
	"cache-control": "", "expires": "", "pragma": "", "age": "", "date": "", "server": "", "set-cookie": "",
	"via": "", "x-request-id": "", "vary": "", "alt-svc": "", "strict-transport-security": "",
}

// nameMax is at least the length of the longest name in common.
const nameMax = 64

// fieldName returns the canonical form of a name; ok is false if the field is not forwarded.
func fieldName(name []byte) (canonical string, ok bool) {
	if len(name) <= nameMax {
		var lower [nameMax]byte
		for i, c := range name {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			lower[i] = c
		}
		if canonical, known := common[string(lower[:len(name)])]; known {
			return canonical, canonical != ""
		}
	}
	return textproto.CanonicalMIMEHeaderKey(string(name)), true
}

// fieldValue returns a value as a string. It allocates nothing for the values that nodes send most.
func fieldValue(value []byte) string {
	switch string(value) {
	case "application/json":
		return "application/json"
	case "text/plain":
		return "text/plain"
	case "application/octet-stream":
		return "application/octet-stream"
	}
	return string(value)
}

// validName reports whether a field name is a token (RFC 9110 5.6.2).
func validName(name []byte) bool {
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return len(name) > 0
}

// validValue reports whether a field value has no control characters other than tabs (RFC 9110 5.5).
func validValue(value []byte) bool {
	for _, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// trim removes the white space around a value.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
