package observer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Any web page that a browser on this machine shows can make that browser post to a server on this machine: a browser
// asks the server for leave only before requests that a form could not make. Nodes send none of the fields below, and
// browsers always send some of them.
var browserFields = []string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User"}

// rejectReason returns why a request comes from somewhere else than a node or an indexer; empty if it does not.
func (o *Observer) rejectReason(r *http.Request) string {
	for _, name := range browserFields {
		if len(r.Header[name]) > 0 {
			return "a web page sent this request (its header has " + name + "); only nodes and indexers may post events"
		}
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && isLoopback(local.String()) && o.isForeignHost(r.Host) {
		return "the request is for the host " + r.Host + ", which is not this machine; name it in --observer-hosts if it is"
	}
	return ""
}

func isLoopback(address string) bool {
	parsed, err := netip.ParseAddrPort(address)
	return err == nil && parsed.Addr().Unmap().IsLoopback()
}

// isForeignHost reports whether a Host field has a name that strangers may have registered, and that leads to this machine
// because they made it so ("DNS rebinding"). Addresses, names without a dot, and names that nobody can register are of
// this machine or its network.
func (o *Observer) isForeignHost(field string) bool {
	host := field
	if name, _, err := net.SplitHostPort(field); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") {
		return false
	}
	for _, reserved := range []string{".localhost", ".local", ".internal", ".home.arpa", ".test"} { // RFC 6761, 6762, 8375
		if strings.HasSuffix(host, reserved) {
			return false
		}
	}
	return !slices.ContainsFunc(o.config.Hosts, func(own string) bool { return strings.EqualFold(own, host) })
}

// secret is what senders of events must know. It compares digests, so that the time of a comparison reveals nothing.
type secret struct {
	digest [sha256.Size]byte
	bearer *bearerToken
}

func newSecret(text string) *secret {
	if text == "" {
		return nil
	}
	return &secret{digest: sha256.Sum256([]byte(text)), bearer: newBearerToken(text)}
}

// admit reports whether a request has the secret: as a bearer token, or as the first segment of its path. It returns the
// request without that segment, which must not get into the log.
func (s *secret) admit(r *http.Request) (*http.Request, bool) {
	first, rest, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	digest := sha256.Sum256([]byte(first))
	if subtle.ConstantTimeCompare(digest[:], s.digest[:]) != 1 {
		return r, s.bearer.isIn(r.Header)
	}
	if !found {
		rest = ""
	}
	_, escaped, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	target, admitted := *r.URL, *r
	target.Path, target.RawPath = "/"+rest, "/"+escaped
	admitted.URL = &target
	return &admitted, true
}
