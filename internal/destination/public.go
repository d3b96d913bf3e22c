package destination

import "net/netip"

// notPublic lists the ranges of addresses that no host of the internet has, from the registries of special-purpose
// addresses (RFC 6890). It also lists the ranges of addresses that contain another address, because those could lead
// anywhere.
var notPublic = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by carriers
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, with the metadata services of clouds
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast

	"::/96",           // unspecified, loopback, and IPv4 inside
	"::ffff:0:0:0/96", // translated IPv4 inside
	"64:ff9b::/96",    // NAT64: IPv4 inside
	"64:ff9b:1::/48",  // NAT64 of a network's own
	"100::/64",        // discard
	"2001::/32",       // Teredo: IPv4 inside
	"2001:db8::/32",   // documentation
	"2002::/16",       // 6to4: IPv4 inside
	"3fff::/20",       // documentation
	"5f00::/16",       // segment routing
	"fc00::/7",        // private
	"fe80::/10",       // link-local
	"fec0::/10",       // site-local
	"ff00::/8",        // multicast
)

func prefixes(list ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, 0, len(list))
	for _, s := range list {
		parsed = append(parsed, netip.MustParsePrefix(s))
	}
	return parsed
}

// Public reports whether a host of the internet can have an address. An IPv4-mapped IPv6 address counts as its IPv4
// address.
func Public(ip netip.Addr) bool {
	return ip.IsValid() && !within(ip, notPublic)
}

// within reports whether one of the ranges contains an address. It removes the zone first, because a prefix never
// contains an address with a zone.
func within(ip netip.Addr, ranges []netip.Prefix) bool {
	ip = ip.Unmap().WithZone("")
	for _, r := range ranges {
		if r.Contains(ip) {
			return true
		}
	}
	return false
}
