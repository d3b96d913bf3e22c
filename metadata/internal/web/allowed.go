package web

import (
	"net"
	"net/netip"
	"strings"
)

// allowed says which destinations may be asked although they are not public.
type allowed struct {
	all    bool
	hosts  map[string]bool // host, or host:port
	ranges []netip.Prefix
}

func newAllowed(config *Config) *allowed {
	a := &allowed{all: config.AllowPrivate, hosts: make(map[string]bool)}
	for _, entry := range config.AllowHosts {
		if strings.Contains(entry, "/") {
			if r, err := netip.ParsePrefix(entry); err == nil {
				a.ranges = append(a.ranges, r.Masked())
			}
			continue
		}
		if host, port, err := net.SplitHostPort(entry); err == nil {
			a.hosts[net.JoinHostPort(canonicalHost(host), port)] = true
			continue
		}
		a.hosts[canonicalHost(strings.Trim(entry, "[]"))] = true
	}
	return a
}

// host says whether a host may be asked whatever its addresses are. It expects the canonical form.
func (a *allowed) host(host, port string) bool {
	return a.all || a.hosts[host] || a.hosts[net.JoinHostPort(host, port)]
}

// address says whether an address may be asked, whatever the host's name.
func (a *allowed) address(ip netip.Addr) bool {
	return public(ip) || ip.IsValid() && within(ip, a.ranges)
}
