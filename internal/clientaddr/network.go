package clientaddr

import "net/netip"

// Network returns the prefix that identifies a client: its IPv4 address, or the /64 network of its IPv6 address, because one
// client may use all addresses of such a network.
func Network(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := 32
	if address.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(address, bits).Masked()
}

// NetworkOf returns the prefix that identifies the client at an address with a port, as in http.Request.RemoteAddr. All that
// can't be parsed count as one client, of the zero prefix.
func NetworkOf(remote string) netip.Prefix {
	address, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	return Network(address.Addr())
}
