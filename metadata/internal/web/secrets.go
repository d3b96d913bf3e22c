package web

import (
	"net/http"
	"net/url"
	"strings"
)

// secrets has the secret header fields of gateways, by base URL without a slash at the end.
type secrets map[string]http.Header

func newSecrets(byBase map[string]http.Header) secrets {
	s := make(secrets, len(byBase))
	for base, header := range byBase {
		s[strings.TrimRight(base, "/")] = header.Clone()
	}
	return s
}

// of returns the secret header fields for a request to address through a gateway; nil unless the address has the
// gateway's origin.
func (s secrets) of(gateway string, address *url.URL) http.Header {
	header, ok := s[strings.TrimRight(gateway, "/")]
	if !ok || gateway == "" {
		return nil
	}
	base, err := parse(gateway)
	if err != nil || origin(base) != origin(address) {
		return nil
	}
	return header
}
