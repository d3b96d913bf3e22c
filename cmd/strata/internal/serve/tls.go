package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"

	"strata/internal/tlsfile"
)

// tlsFlags configure TLS on the listeners.
type tlsFlags struct {
	TLSCert string   `name:"tls-cert" env:"STRATA_TLS_CERT" placeholder:"FILE" help:"Certificate chain (PEM) with which to serve TLS; read again when the file changes (empty = no TLS)."`
	TLSKey  string   `name:"tls-key" env:"STRATA_TLS_KEY" placeholder:"FILE" help:"Private key (PEM) of the certificate."`
	TLSFor  []string `name:"tls-for" default:"api" enum:"api,observer,metrics,admin" env:"STRATA_TLS_FOR" placeholder:"LISTENER,..." help:"Listeners with TLS, any of api (with those for names and for the integration standard), observer, metrics and admin (default api)."`
}

// url returns the URL of a listener, one of those that flags call name.
func (f *tlsFlags) url(name string, listener net.Listener) string {
	if f.TLSCert != "" && slices.Contains(f.TLSFor, name) {
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
	for name, chosen := range map[string][]*net.Listener{
		"api": {&l.api, &l.bns, &l.rosetta}, "observer": {&l.observer}, "metrics": {&l.metrics}, "admin": {&l.admin},
	} {
		for _, listener := range chosen {
			if *listener != nil && slices.Contains(f.TLSFor, name) {
				*listener = pair.Listener(*listener)
			}
		}
	}
	return nil
}
