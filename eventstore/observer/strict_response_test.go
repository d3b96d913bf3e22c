package observer_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
)

// strictResponse is a response as a stacks-node reads it.
type strictResponse struct {
	status  int
	headers map[string]string // names in lower case
	body    []byte
}

// readStrict reads a response by the rules of the node's own parser, which takes a response that breaks one of them
// for a failed delivery, whatever its status.
func readStrict(r io.Reader) (strictResponse, error) {
	const (
		maxHeaderBytes = 4096
		maxHeaders     = 64
		maxBody        = 16 << 20
	)
	got := strictResponse{headers: map[string]string{}}
	in := bufio.NewReader(r)
	head := 0
	readLine := func() (string, error) {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		if head += len(line); head > maxHeaderBytes {
			return "", fmt.Errorf("headers of more than %d bytes", maxHeaderBytes)
		}
		line, found := strings.CutSuffix(line, "\r\n")
		if !found {
			return "", fmt.Errorf("line %q does not end in CR LF", line)
		}
		for _, c := range []byte(line) {
			if c < ' ' || c > '~' {
				return "", fmt.Errorf("line %q is not printable ASCII", line)
			}
		}
		return line, nil
	}
	line, err := readLine()
	if err != nil {
		return got, fmt.Errorf("status line: %w", err)
	}
	version, rest, _ := strings.Cut(line, " ")
	if version != "HTTP/1.1" && version != "HTTP/1.0" {
		return got, fmt.Errorf("version %q", version)
	}
	code, _, _ := strings.Cut(rest, " ")
	if got.status, err = strconv.Atoi(code); err != nil {
		return got, err
	}
	for {
		line, err := readLine()
		if err != nil {
			return got, fmt.Errorf("header: %w", err)
		}
		if line == "" {
			break
		}
		name, value, found := strings.Cut(line, ":")
		if !found || name != textproto.TrimString(name) || name == "" {
			return got, fmt.Errorf("header line %q", line)
		}
		name = strings.ToLower(name)
		if _, twice := got.headers[name]; twice {
			return got, fmt.Errorf("header %s twice", name)
		}
		got.headers[name] = textproto.TrimString(value)
		if len(got.headers) > maxHeaders {
			return got, fmt.Errorf("more than %d headers", maxHeaders)
		}
	}
	if c, ok := got.headers["connection"]; ok && c != "close" && c != "keep-alive" {
		return got, fmt.Errorf("Connection: %s", c)
	}
	length, hasLength := got.headers["content-length"]
	if _, hasEncoding := got.headers["transfer-encoding"]; hasLength == hasEncoding {
		return got, fmt.Errorf("Content-Length there: %t, Transfer-Encoding there: %t", hasLength, hasEncoding)
	} else if hasEncoding {
		return got, errors.New("chunked; allowed, but not what this observer answers")
	}
	n, err := strconv.ParseUint(length, 10, 32)
	if err != nil || n > maxBody {
		return got, fmt.Errorf("Content-Length: %s", length)
	}
	got.body = make([]byte, n)
	if _, err := io.ReadFull(in, got.body); err != nil {
		return got, fmt.Errorf("body: %w", err)
	}
	switch kind, hasKind := got.headers["content-type"]; {
	case !hasKind, kind == "application/octet-stream", kind == "text/plain", strings.HasPrefix(kind, "text/plain;"):
	case kind == "application/json" || strings.HasPrefix(kind, "application/json;"):
		if !json.Valid(got.body) {
			return got, fmt.Errorf("JSON body %q", got.body)
		}
	default:
		return got, fmt.Errorf("Content-Type: %s", kind)
	}
	return got, nil
}

// The parser has to find each fault, or the tests that use it prove nothing.
func TestReadStrict(t *testing.T) {
	t.Parallel()
	const good = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
	if _, err := readStrict(strings.NewReader(good)); err != nil {
		t.Errorf("good response: %v", err)
	}
	for _, tt := range []struct{ name, old, new string }{
		{"header twice", "Connection: close", "Vary: a\r\nvary: b"},
		{"connection list", "Connection: close", "Connection: keep-alive, Upgrade"},
		{"no length", "Content-Length: 2\r\n", ""},
		{"length and chunks", "Connection: close", "Transfer-Encoding: chunked"},
		{"html", "application/json", "text/html"},
		{"empty JSON", "Content-Length: 2", "Content-Length: 0"},
		{"truncated", "Content-Length: 2", "Content-Length: 3"},
		{"large headers", "Connection: close", "X: " + strings.Repeat("x", 4096)},
		{"many headers", "Connection: close", strings.TrimSuffix(string(manyHeaders(65)), "\r\n")},
		{"value beyond ASCII", "Connection: close", "X: é"},
		{"bare LF", "Connection: close\r\n", "Connection: close\n"},
		{"version", "HTTP/1.1", "HTTP/2"},
	} {
		if _, err := readStrict(strings.NewReader(strings.Replace(good, tt.old, tt.new, 1))); err == nil {
			t.Errorf("%s: was accepted", tt.name)
		}
	}
}

func manyHeaders(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "X-%d: 1\r\n", i)
	}
	return b.Bytes()
}
