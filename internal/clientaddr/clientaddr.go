// Package clientaddr finds out which client a request comes from when proxies that are trusted stand in between.
package clientaddr

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// header is the field in which proxies name the client. A proxy usually adds to one such field and passes others on as the client
// wrote them, so only one may be read: the one that nearly all proxies write.
const header = "X-Forwarded-For"

// Proxies are the proxies whose word counts. The nil value trusts none.
type Proxies struct{ prefixes []netip.Prefix }

// Parse parses networks (10.0.0.0/8) and addresses of proxies. It returns nil for none.
func Parse(networks []string) (*Proxies, error) {
	if len(networks) == 0 {
		return nil, nil
	}
	p := &Proxies{}
	for _, text := range networks {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, failed := netip.ParseAddr(text)
			if failed != nil {
				return nil, fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor an address", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		p.prefixes = append(p.prefixes, prefix.Masked())
	}
	return p, nil
}

// Trusts reports whether an address is that of a trusted proxy.
func (p *Proxies) Trusts(address netip.Addr) bool {
	if p == nil {
		return false
	}
	address = address.Unmap().WithZone("")
	for _, prefix := range p.prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// Of returns the address of the client of a request that came from remote: remote itself unless it is a trusted proxy, and
// else the last address before the trusted proxies. What a client claims about itself is never taken.
func (p *Proxies) Of(remote netip.Addr, fields http.Header) netip.Addr {
	if !p.Trusts(remote) {
		return remote
	}
	lines := fields[header]
	for i := len(lines) - 1; i >= 0; i-- {
		hops := strings.Split(lines[i], ",")
		for j := len(hops) - 1; j >= 0; j-- {
			hop, ok := parseHop(hops[j])
			if !ok {
				return remote // the trusted proxy before it is the last that is known
			}
			remote = hop
			if !p.Trusts(hop) {
				return hop
			}
		}
	}
	return remote
}

// parseHop parses one element of the field.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return address.Unmap(), err == nil
}

// Handler returns a handler that gives next requests whose RemoteAddr is that of the client, with port 0 if a proxy is in
// between. Without trusted proxies it is next itself.
func (p *Proxies) Handler(next http.Handler) http.Handler {
	if p == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if remote, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
			if client := p.Of(remote.Addr(), r.Header); client != remote.Addr() {
				r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
			}
		}
		next.ServeHTTP(w, r)
	})
}
