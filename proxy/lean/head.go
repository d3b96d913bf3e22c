package lean

import (
	"net/textproto"
	"strings"
)

// HeadMax is the longest head of a request that is served here, in bytes.
const HeadMax = 8 << 10

// BodyMax is the longest body of a request that is served here, in bytes.
const BodyMax = 64 << 10

// A request is plain if
//
//   - its line is GET, HEAD or POST, a path with or without a query, and HTTP/1.1, with one space between;
//   - the path and the query have only characters that RFC 3986 allows in them;
//   - all lines end with CR LF, and none continues the one before;
//   - names of fields are tokens with the colon right behind, values are visible ASCII, spaces and tabs;
//   - there is one Host, and it is not empty;
//   - GET and HEAD have no Content-Length; POST has one at most, of digits only, up to BodyMax;
//   - Connection is absent, or keep-alive;
//   - none of the fields of unplain is there;
//   - the head is no longer than HeadMax.

// unplain are fields that mean more than a field.
var unplain = map[string]bool{
	"Transfer-Encoding": true, "Te": true, "Trailer": true, "Expect": true, "Upgrade": true, "Http2-Settings": true,
	"Pragma": true, // net/http makes another field of it
}

// methods that may be plain, with what follows on the line.
var methods = [...]string{"GET /", "POST /", "HEAD /"}

// mayBePlain says whether a plain request may begin with b.
func mayBePlain(b []byte) bool {
	for _, m := range methods {
		n := min(len(b), len(m))
		if string(b[:n]) == m[:n] {
			return true
		}
	}
	return false
}

// head is what the head of a plain request says. Its strings are parts of the head's text.
type head struct {
	method, target, host string
	length               int64 // of the body
	fields               []field
}

// field is a header field, its name in canonical form. Host is none.
type field struct{ name, value string }

// parse reads a head, which ends with an empty line, and says whether it is plain.
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
		if !ok || unplain[name] {
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

// cutLine cuts the first line off, which CR LF ends.
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

// canonicals are the names that requests are full of, as they are mostly written.
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

// class is a set of kinds of characters.
type class uint8

const (
	inToken  class = 1 << iota // RFC 9110 5.6.2
	inValue                    // RFC 9110 5.5, without bytes beyond ASCII
	inTarget                   // RFC 3986 3.3 and 3.4
	inHost                     // RFC 3986 3.2.2 and 3.2.3, without escapes
	// inPath are those of a path that url.URL writes as they are.
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

// all says whether all characters of s are of a class.
func all(s string, c class) bool {
	for i := range len(s) {
		if classes[s[i]]&c == 0 {
			return false
		}
	}
	return true
}
