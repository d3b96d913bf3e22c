package serve

import (
	"errors"
	"log/slog"
	"net"
	"testing"
)

// TLS without both files, or with files that are none, is refused before anything is served.
func TestTLSErrors(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	if err := (&tlsFlags{TLSCert: "cert.pem", TLSFor: []string{"api"}}).secure(&listeners{}, logger); !errors.Is(err, errTLSHalf) {
		t.Errorf("got %v, want %v", err, errTLSHalf)
	}
	if err := (&tlsFlags{TLSCert: t.TempDir() + "/none", TLSKey: "none", TLSFor: []string{"api"}}).secure(&listeners{}, logger); err == nil {
		t.Error("a file that is not there was taken")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	l := listeners{api: listener}
	f := &tlsFlags{TLSFor: []string{"api"}}
	if err := f.secure(&l, logger); err != nil || l.api != listener || f.url("api", l.api) != "http://"+listener.Addr().String() {
		t.Errorf("without files: got %v, %s", err, f.url("api", l.api))
	}
}
