// Package nodehttp posts to an observer over HTTP as a node does, and judges the answer as strictly as a node's own
// parser.
package nodehttp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"time"

	"strata/internal/synth/simulate"
)

// ErrAnswer means that a node does not take an observer's answer for success: its status is not 200, or the node's own
// parser refuses it.
var ErrAnswer = errors.New("a node does not accept this answer")

// The limits of a node's HTTP parser.
const (
	maxHeaderBytes = 4096
	maxHeaders     = 64
	maxAnswer      = 16 << 20
)

// Observer is the resolved address of an observer.
type Observer struct {
	Host   string   // for the Host header
	prefix string   // of the path
	dial   []string // host:port, tried in turn
}

// Resolve resolves the address of an observer: http://host:port, optionally with a path that goes before those of the
// node. Callers resolve it only once, so that the address that Resolve checks is the one that Post dials. Unless
// allowRemote is set, it fails with simulate.ErrRemote for an observer on another machine.
func Resolve(ctx context.Context, address string, allowRemote bool) (Observer, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Observer{}, fmt.Errorf("observer address: %w", err)
	}
	if u.Scheme != "http" || u.Hostname() == "" {
		return Observer{}, fmt.Errorf("observer address %q: nodes speak plain HTTP only, want http://host:port", address)
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, u.Hostname())
	if err != nil {
		return Observer{}, fmt.Errorf("observer address %q: %w", address, err)
	}
	o := Observer{Host: u.Host, prefix: u.EscapedPath()}
	for _, a := range addresses {
		if !a.IP.IsLoopback() && !allowRemote {
			return Observer{}, fmt.Errorf("%s is %s: %w", u.Hostname(), a.IP, simulate.ErrRemote)
		}
		o.dial = append(o.dial, net.JoinHostPort(a.String(), port))
	}
	return o, nil
}

// Post makes one attempt, which must end within the timeout.
func (o Observer) Post(ctx context.Context, p simulate.Post, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var dialer net.Dialer
	var failures []error
	for _, address := range o.dial {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		return o.exchange(ctx, conn, p)
	}
	return errors.Join(failures...)
}

func (o Observer) exchange(ctx context.Context, conn net.Conn, p simulate.Post) (err error) {
	defer func() { err = errors.Join(err, conn.Close()) }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	// net/http would not keep the order and the case of a node's headers.
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nUser-Agent: stacks/3.0\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nconnection: close\r\nAccept: application/octet-stream, application/json, text/plain\r\n\r\n",
		strings.TrimSuffix(o.prefix, "/")+p.Path, o.Host, len(p.Body))
	request := net.Buffers{[]byte(head), p.Body}
	if _, err := request.WriteTo(conn); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return readAnswer(bufio.NewReader(conn))
}

// readAnswer reads an HTTP response as strictly as a node does. It returns nil if the node would take it for success.
func readAnswer(r *bufio.Reader) error {
	status, headers, err := readHead(r)
	if err != nil {
		return err
	}
	body, err := readBody(r, headers)
	if err != nil {
		return err
	}
	if status != "200" {
		return fmt.Errorf("%w: status %s: %.200s", ErrAnswer, status, body)
	}
	if c, ok := headers["connection"]; ok && c != "close" && c != "keep-alive" {
		return fmt.Errorf("%w: connection is %q", ErrAnswer, c)
	}
	kind, ok := headers["content-type"]
	switch {
	case !ok || kind == "application/octet-stream", kind == "text/plain", strings.HasPrefix(kind, "text/plain;"):
		return nil
	case kind == "application/json", strings.HasPrefix(kind, "application/json;"):
		if !json.Valid(body) {
			return fmt.Errorf("%w: body is not JSON: %.200q", ErrAnswer, body)
		}
		return nil
	}
	return fmt.Errorf("%w: content type is %q", ErrAnswer, kind)
}

// readHead reads the status and the headers. Their names are in lower case.
func readHead(r *bufio.Reader) (status string, headers map[string]string, err error) {
	var head []byte
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if len(head) > maxHeaderBytes {
			return "", nil, fmt.Errorf("%w: headers of more than %d bytes", ErrAnswer, maxHeaderBytes)
		}
		b, err := r.ReadByte()
		if err != nil {
			return "", nil, fmt.Errorf("read answer: %w", err)
		}
		head = append(head, b)
	}
	lines := strings.Split(strings.TrimSuffix(string(head), "\r\n\r\n"), "\r\n")
	version, rest, _ := strings.Cut(lines[0], " ")
	status, _, _ = strings.Cut(rest, " ")
	if version != "HTTP/1.1" && version != "HTTP/1.0" || len(status) != 3 {
		return "", nil, fmt.Errorf("%w: status line %.80q", ErrAnswer, lines[0])
	}
	if len(lines)-1 > maxHeaders {
		return "", nil, fmt.Errorf("%w: %d headers", ErrAnswer, len(lines)-1)
	}
	headers = make(map[string]string, len(lines))
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(name)
		if _, twice := headers[name]; !ok || twice {
			return "", nil, fmt.Errorf("%w: header %.80q is malformed or comes twice", ErrAnswer, line)
		}
		for i := range len(value) {
			if value[i] >= 0x80 {
				return "", nil, fmt.Errorf("%w: header %.80q is not ASCII", ErrAnswer, line)
			}
		}
		headers[name] = strings.TrimSpace(value)
	}
	return status, headers, nil
}

// readBody reads the body. Either content-length or transfer-encoding must give its length.
func readBody(r *bufio.Reader, headers map[string]string) ([]byte, error) {
	length, sized := headers["content-length"]
	encoding, encoded := headers["transfer-encoding"]
	if sized == encoded {
		return nil, fmt.Errorf("%w: neither or both of content-length and transfer-encoding", ErrAnswer)
	}
	if encoded {
		if encoding != "chunked" {
			return nil, fmt.Errorf("%w: transfer-encoding is %q", ErrAnswer, encoding)
		}
		body, err := io.ReadAll(io.LimitReader(httputil.NewChunkedReader(r), maxAnswer+1))
		if err != nil {
			return nil, fmt.Errorf("read chunked answer: %w", err)
		}
		if len(body) > maxAnswer {
			return nil, fmt.Errorf("%w: body of more than %d bytes", ErrAnswer, maxAnswer)
		}
		return body, nil
	}
	n, err := strconv.ParseUint(length, 10, 32)
	if err != nil || n > maxAnswer {
		return nil, fmt.Errorf("%w: content-length is %q", ErrAnswer, length)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return body, nil
}
