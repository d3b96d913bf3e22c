package web

import (
	"net"
	"net/netip"
	"strings"
)

// allowList decides which destinations may get requests although they are not public.
type allowList struct {
	all    bool
	hosts  map[string]bool // host, or host:port
	ranges []netip.Prefix
}

func newAllowList(config *Config) *allowList {
	a := &allowList{all: config.AllowPrivate, hosts: make(map[string]bool)}
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

// host reports whether a host is allowed whatever its addresses are. The host must be in canonical form.
func (a *allowList) host(host, port string) bool {
	return a.all || a.hosts[host] || a.hosts[net.JoinHostPort(host, port)]
}

// address reports whether an IP address is allowed whatever the host's name is.
func (a *allowList) address(ip netip.Addr) bool {
	return public(ip) || ip.IsValid() && within(ip, a.ranges)
}
