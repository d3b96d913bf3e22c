package web

import (
	"net/netip"
	"time"
)

// Public is public, for the table of ranges.
func Public(ip netip.Addr) bool { return public(ip) }

// Bare is bare, for properties.
func Bare(raw string) string { return bare(raw) }

// EscapeQuery is escapeQuery, for properties.
func EscapeQuery(query string) string { return escapeQuery(query) }

// HostName is hostName of an address that can be asked.
func HostName(raw string) string {
	address, err := parse(raw)
	if err != nil {
		return err.Error()
	}
	return hostName(address)
}

// SetClock replaces the clock by which hosts and gateways are due. Call it before the first Get.
func (c *Client) SetClock(now func() time.Time) {
	c.hosts.now = now
	c.gateways.now = now
}

// KnownHosts is how many hosts are remembered.
func (c *Client) KnownHosts() int {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	return len(c.hosts.byName)
}
