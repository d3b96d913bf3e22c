package serve

import (
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/internal/testkit/tlstest"
)

// farAway is a listener at an address that other machines reach.
type farAway struct{ net.Listener }

func (farAway) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 3998} }

// The API has TLS, and the administration API where other machines can reach it.
func TestTLSListeners(t *testing.T) {
	t.Parallel()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	f := &tlsFlags{TLSCert: filepath.Join(t.TempDir(), "cert.pem"), TLSKey: filepath.Join(t.TempDir(), "key.pem")}
	tlstest.Write(t, f.TLSCert, f.TLSKey, 1)
	for _, tc := range []struct {
		admin  net.Listener
		scheme string
	}{{listener, "http://"}, {farAway{listener}, "https://"}} {
		l := listeners{api: listener, observer: listener, metrics: listener, admin: tc.admin}
		must.Do(t, f.secure(&l, slog.New(slog.DiscardHandler)))
		if l.api == listener || l.observer != listener || l.metrics != listener || (l.admin != tc.admin) != (tc.scheme == "https://") {
			t.Errorf("administration at %s: got TLS for the wrong listeners", tc.admin.Addr())
		}
		if api, admin := f.url(l.api, false), f.url(l.admin, true); !strings.HasPrefix(api, "https://") || !strings.HasPrefix(admin, tc.scheme) {
			t.Errorf("got %s and %s, want https:// and %s", api, admin, tc.scheme)
		}
	}
}

// TLS without both files, or with files that are none, is refused before anything is served.
func TestTLSErrors(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	if err := (&tlsFlags{TLSCert: "cert.pem"}).secure(&listeners{}, logger); !errors.Is(err, errTLSHalf) {
		t.Errorf("got %v, want %v", err, errTLSHalf)
	}
	if err := (&tlsFlags{TLSCert: t.TempDir() + "/none", TLSKey: "none"}).secure(&listeners{}, logger); err == nil {
		t.Error("a file that is not there was taken")
	}
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	l := listeners{api: listener}
	f := &tlsFlags{}
	if err := f.secure(&l, logger); err != nil || l.api != listener || f.url(l.api, false) != "http://"+listener.Addr().String() {
		t.Errorf("without files: got %v, %s", err, f.url(l.api, false))
	}
}
