package lean

import (
	"net/textproto"
	"strings"
)

// HeadMax is the longest head of a plain request, in bytes.
const HeadMax = 8 << 10

// BodyMax is the longest body of a plain request, in bytes.
const BodyMax = 64 << 10

// A request is plain if
//
//   - its request line consists of GET, HEAD or POST, a path with an optional query, and HTTP/1.1, separated by single
//     spaces;
//   - the path and the query have only characters that RFC 3986 allows in them;
//   - all lines end with CR LF, and no line continues the previous one;
//   - field names are tokens directly followed by a colon; field values are visible ASCII, spaces and tabs;
//   - it has exactly one Host, which is not empty;
//   - GET and HEAD have no Content-Length; POST has at most one, of digits only, up to BodyMax;
//   - Connection is absent or keep-alive;
//   - it has none of the fields in specialFields;
//   - its head is no longer than HeadMax.

// specialFields lists the fields that change how a request is handled.
var specialFields = map[string]bool{
	"Transfer-Encoding": true, "Te": true, "Trailer": true, "Expect": true, "Upgrade": true, "Http2-Settings": true,
	"Pragma": true, // net/http turns it into another field
}

// methods lists how the request line of a plain request can begin.
var methods = [...]string{"GET /", "POST /", "HEAD /"}

// mayBePlain reports whether b can be the beginning of a plain request.
func mayBePlain(b []byte) bool {
	for _, m := range methods {
		n := min(len(b), len(m))
		if string(b[:n]) == m[:n] {
			return true
		}
	}
	return false
}

// head is the parsed head of a plain request. Its strings are substrings of the head's text.
type head struct {
	method, target, host string
	length               int64 // of the body
	fields               []field
}

// field is a header field other than Host. Its name is in canonical form.
type field struct{ name, value string }

// parse parses a head, which ends with an empty line, and reports whether it is plain.
func (h *head) parse(text string) bool {
	*h = head{fields: h.fields[:0]}
	line, rest, ok := cutLine(text)
	if !ok || !h.requestLine(line) {
		return false
	}
	length, connection := false, false
	for {
		if line, rest, ok = cutLine(rest); !ok {
			return false
		}
		if line == "" {
			return rest == "" && h.host != ""
		}
		name, value, ok := cutField(line)
		if !ok || specialFields[name] {
			return false
		}
		switch name {
		case "Host":
			if h.host != "" || !all(value, inHost) {
				return false
			}
			h.host = value
			continue
		case "Content-Length":
			if length || h.method != "POST" || !h.contentLength(value) {
				return false
			}
			length = true
		case "Connection":
			if connection || !strings.EqualFold(value, "keep-alive") {
				return false
			}
			connection = true
		}
		h.fields = append(h.fields, field{name, value})
	}
}

// cutLine splits text after the first line, which must end with CR LF.
func cutLine(text string) (line, rest string, ok bool) {
	i := strings.IndexByte(text, '\r')
	if i < 0 || i+1 == len(text) || text[i+1] != '\n' {
		return "", "", false
	}
	return text[:i], text[i+2:], true
}

func (h *head) requestLine(line string) bool {
	method, rest, _ := strings.Cut(line, " ")
	target, proto, _ := strings.Cut(rest, " ")
	switch method {
	case "GET", "POST", "HEAD":
	default:
		return false
	}
	h.method, h.target = method, target
	return proto == "HTTP/1.1" && strings.HasPrefix(target, "/") && all(target, inTarget)
}

func cutField(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, ":")
	if !ok || name == "" || !all(name, inToken) {
		return "", "", false
	}
	value = strings.Trim(value, " \t")
	if !all(value, inValue) {
		return "", "", false
	}
	return canonical(name), value, true
}

func (h *head) contentLength(digits string) bool {
	if digits == "" || len(digits) > 1 && digits[0] == '0' || len(digits) > len("65536") {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
		h.length = h.length*10 + int64(digits[i]-'0')
	}
	return h.length <= BodyMax
}

// canonicals maps frequent field names, as clients mostly write them, to their canonical form.
var canonicals = func() map[string]string {
	known := map[string]string{}
	for name := range strings.FieldsSeq(`Accept Accept-Encoding Accept-Language Authorization Cache-Control Connection
		Content-Length Content-Type Cookie Host If-None-Match Origin Referer User-Agent X-Forwarded-For X-Forwarded-Host
		X-Forwarded-Proto X-Real-Ip X-Request-Id Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Traceparent`) {
		known[name], known[strings.ToLower(name)] = name, name
	}
	return known
}()

func canonical(name string) string {
	if known, ok := canonicals[name]; ok {
		return known
	}
	return textproto.CanonicalMIMEHeaderKey(name)
}

// class is a set of character classes.
type class uint8

const (
	inToken  class = 1 << iota // RFC 9110 5.6.2
	inValue                    // RFC 9110 5.5, without bytes beyond ASCII
	inTarget                   // RFC 3986 3.3 and 3.4
	inHost                     // RFC 3986 3.2.2 and 3.2.3, without escapes
	// inPath has the characters of a path that url.URL does not escape.
	inPath
)

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var classes = func() (table [256]class) {
	for c, characters := range map[class]string{
		inToken:  alphanumeric + "!#$%&'*+-.^_`|~",
		inTarget: alphanumeric + "-._~!$&'()*+,;=:@/?%",
		inHost:   alphanumeric + "-._:[]",
		inPath:   alphanumeric + "-._~$&+,/:;=@",
	} {
		for i := range len(characters) {
			table[characters[i]] |= c
		}
	}
	for c := ' '; c <= '~'; c++ {
		table[c] |= inValue
	}
	table['\t'] |= inValue
	return table
}()

// all reports whether all characters of s are of class c.
func all(s string, c class) bool {
	for i := range len(s) {
		if classes[s[i]]&c == 0 {
			return false
		}
	}
	return true
}
