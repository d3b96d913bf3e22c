package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"net"

	"strata/internal/tlsfile"
)

// tlsFlags configure TLS on the addresses of the API, and on that of the administration API where other machines reach it, whose token
// nobody between may read. Nodes and most monitors speak no TLS.
type tlsFlags struct {
	TLSCert string `name:"tls-cert" env:"STRATA_TLS_CERT" placeholder:"FILE" help:"Certificate chain (PEM) with which to serve the API by TLS (empty = no TLS). The administration API has it, too, where other machines can reach it. It is read again when the file changes."`
	TLSKey  string `name:"tls-key" env:"STRATA_TLS_KEY" placeholder:"FILE" help:"Private key (PEM) of the certificate."`
}

// url returns the URL of a listener of the API, or of the administration API.
func (f *tlsFlags) url(listener net.Listener, admin bool) string {
	if f.TLSCert != "" && (!admin || !isLoopback(listener)) {
		return "https://" + address(listener)
	}
	return "http://" + address(listener)
}

var errTLSHalf = errors.New("--tls-cert and --tls-key: give both, or none")

// secure adds TLS to the listeners that have it.
func (f *tlsFlags) secure(l *listeners, logger *slog.Logger) error {
	if f.TLSCert == "" && f.TLSKey == "" {
		return nil
	}
	if f.TLSCert == "" || f.TLSKey == "" {
		return errTLSHalf
	}
	pair, err := tlsfile.Open(f.TLSCert, f.TLSKey, logger)
	if err != nil {
		return fmt.Errorf("TLS (--tls-cert, --tls-key): %w", err)
	}
	secured := []*net.Listener{&l.api, &l.bns, &l.rosetta}
	if l.admin != nil && !isLoopback(l.admin) {
		secured = append(secured, &l.admin)
	}
	for _, listener := range secured {
		if *listener != nil {
			*listener = pair.Listener(*listener)
		}
	}
	return nil
}

// isLoopback reports whether only this machine reaches a listener.
func isLoopback(listener net.Listener) bool {
	addr, ok := listener.Addr().(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}
