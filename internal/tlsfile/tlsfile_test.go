package tlsfile

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/tlstest"
)

// Requests are answered over TLS. A new certificate is taken without a restart, and broken files leave the one before.
func TestReload(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	certificate, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	tlstest.Write(t, certificate, key, 1)
	pair := must.Get(Open(certificate, key, slog.New(slog.DiscardHandler)))(t)
	pair.interval = 0
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	long := bytes.Repeat([]byte("long"), 1<<18)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(long) })}
	go func() { _ = server.Serve(pair.Listener(listener)) }()
	t.Cleanup(func() { _ = server.Close() })
	serial := func() int64 {
		t.Helper()
		// The test knows what it has written, and reads which one it got.
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
		response := must.Get((&http.Client{Transport: transport, Timeout: 20 * time.Second}).Get("https://" + listener.Addr().String()))(t)
		defer func() { _ = response.Body.Close() }()
		if body, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(body, long) {
			t.Fatalf("got %d bytes, %v", len(body), err)
		}
		return response.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("got certificate %d", got)
	}
	tlstest.Write(t, certificate, key, 2)
	eventually.Holds(t, "the new certificate is served", func() bool { return serial() == 2 })
	must.Do(t, os.WriteFile(key, []byte("broken"), 0o600))
	if got := serial(); got != 2 {
		t.Errorf("with a broken key: got certificate %d", got)
	}
	if _, err := Open(certificate, key, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a broken key was taken at the start")
	}
}
