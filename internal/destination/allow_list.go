package destination

import (
	"fmt"
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

func newAllowList(entries []string, all bool) *allowList {
	a := &allowList{all: all, hosts: make(map[string]bool)}
	for _, entry := range entries {
		if strings.Contains(entry, "/") {
			if r, err := netip.ParsePrefix(entry); err == nil {
				a.ranges = append(a.ranges, r.Masked())
			}
			continue
		}
		if host, port, err := net.SplitHostPort(entry); err == nil {
			a.hosts[net.JoinHostPort(Canonical(host), port)] = true
			continue
		}
		a.hosts[Canonical(strings.Trim(entry, "[]"))] = true
	}
	return a
}

// host reports whether a host is allowed whatever its addresses are. The host must be in canonical form.
func (a *allowList) host(host, port string) bool {
	return a.all || a.hosts[host] || a.hosts[net.JoinHostPort(host, port)]
}

// address reports whether an IP address is allowed whatever the host's name is.
func (a *allowList) address(ip netip.Addr) bool {
	return Public(ip) || ip.IsValid() && within(ip, a.ranges)
}

// CheckAllowed refuses malformed entries of what is allowed though it is not public: hosts, hosts with a port, or ranges of addresses in
// CIDR notation (RFC 4632).
func CheckAllowed(entries []string) error {
	for i, entry := range entries {
		if entry == "" {
			return fmt.Errorf("allowed host %d is empty", i)
		}
		if !strings.Contains(entry, "/") {
			continue
		}
		if _, err := netip.ParsePrefix(entry); err != nil {
			return fmt.Errorf("allowed host %q: want a host, host:port or range: %w", entry, err)
		}
	}
	return nil
}

// Allows reports whether entries (see CheckAllowed) name a host, or the address that it is.
func Allows(entries []string, host, port string) bool {
	a := newAllowList(entries, false)
	host = Canonical(host)
	if a.host(host, port) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && within(ip, a.ranges)
}
