package web

import (
	"time"
)

// WithoutCredentials is withoutCredentials.
func WithoutCredentials(raw string) string { return withoutCredentials(raw) }

// EscapeQuery is escapeQuery.
func EscapeQuery(query string) string { return escapeQuery(query) }

// HostName is hostName of a URL.
func HostName(raw string) string {
	address, err := parse(raw)
	if err != nil {
		return err.Error()
	}
	return hostName(address)
}

// SetClock replaces the clock of pauses and demotions. It must be called before the first Get.
func (c *Client) SetClock(now func() time.Time) {
	c.hosts.now = now
	c.gateways.now = now
}

// KnownHosts returns the number of remembered hosts.
func (c *Client) KnownHosts() int {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	return len(c.hosts.byName)
}

// HostUsers returns the number of requests to a host that are in progress or waiting.
func (c *Client) HostUsers(name string) int {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	if one, ok := c.hosts.byName[name]; ok {
		return one.users
	}
	return 0
}
