package internal_test

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"

	"strata/internal/proxyheader"
	"strata/internal/testkit/must"
)

const request = "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"

// serveProxied serves the address of each client, and returns the address to connect to.
func serveProxied(t *testing.T, trusts func(netip.Addr) bool) string {
	t.Helper()
	inner := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RemoteAddr) })}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(proxyheader.Listener(inner, trusts)) }()
	return inner.Addr().String()
}

// answer sends bytes and returns the status line and the end of the answer; empty if there is none.
func answer(t *testing.T, address string, sent []byte) (own, got string) {
	t.Helper()
	c := must.Get(net.Dial("tcp", address))(t)
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	must.Get(c.Write(sent))(t)
	_ = c.(*net.TCPConn).CloseWrite()
	text, _ := io.ReadAll(c)
	return c.LocalAddr().String(), string(text)
}

func header(t *testing.T, version byte) []byte {
	t.Helper()
	source, target := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 1234}, &net.TCPAddr{IP: net.IPv4(198, 51, 100, 1), Port: 443}
	text := must.Get(proxyproto.HeaderProxyFromAddrs(version, source, target).Format())(t)
	return text
}

func TestProxyHeader(t *testing.T) {
	t.Parallel()
	everybody, nobody := func(netip.Addr) bool { return true }, func(netip.Addr) bool { return false }
	local := must.Get(proxyproto.HeaderProxyFromAddrs(2, nil, nil).Format())(t)
	trusting, strict := serveProxied(t, everybody), serveProxied(t, nobody)
	for version := byte(1); version <= 2; version++ {
		if _, got := answer(t, trusting, append(header(t, version), request...)); !strings.HasSuffix(got, "203.0.113.7:1234") {
			t.Errorf("version %d: got %q, want the client's address", version, got)
		}
		if _, got := answer(t, strict, append(header(t, version), request...)); strings.HasSuffix(got, "203.0.113.7:1234") || strings.HasPrefix(got, "HTTP/1.1 200") {
			t.Errorf("version %d of a client: got %q, want no answer to what it claims", version, got)
		}
	}
	if own, got := answer(t, trusting, append(local[:len(local):len(local)], request...)); !strings.HasSuffix(got, own) {
		t.Errorf("a health check of the proxy: got %q, want %s", got, own)
	}
	if _, got := answer(t, trusting, []byte(request)); strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("a proxy without a header: got %q", got)
	}
	if own, got := answer(t, strict, []byte(request)); !strings.HasSuffix(got, own) {
		t.Errorf("a client: got %q, want %s", got, own)
	}
}

// A proxy that sends no header keeps nobody else waiting.
func TestSilentProxies(t *testing.T) {
	t.Parallel()
	address := serveProxied(t, func(netip.Addr) bool { return true })
	for range 20 {
		c := must.Get(net.Dial("tcp", address))(t)
		defer func() { _ = c.Close() }()
	}
	if _, got := answer(t, address, append(header(t, 1), request...)); !strings.HasSuffix(got, "203.0.113.7:1234") {
		t.Errorf("got %q", got)
	}
}
