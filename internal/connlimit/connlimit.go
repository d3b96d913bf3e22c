// Package connlimit bounds the connections of a listener, in all and from each client.
package connlimit

import (
	"net"
	"net/netip"
	"sync"

	"strata/internal/clientaddr"
)

// Config says how many connections may be open. Zero means no limit.
type Config struct {
	Total     int
	PerClient int
	// Exempt reports whether PerClient does not hold for an address, such as that of a balancer; default none.
	Exempt func(netip.Addr) bool
	// Refused is called for each connection that is closed because there are too many; default none.
	Refused func()
}

// Listener returns l with its connections bounded: those beyond a limit are closed at once. Without limits it is l.
func Listener(l net.Listener, config Config) net.Listener {
	if config.Total <= 0 && config.PerClient <= 0 {
		return l
	}
	if config.Exempt == nil {
		config.Exempt = func(netip.Addr) bool { return false }
	}
	if config.Refused == nil {
		config.Refused = func() {}
	}
	return &listener{Listener: l, config: config, clients: map[netip.Prefix]int{}}
}

type listener struct {
	net.Listener
	config Config

	mu      sync.Mutex
	total   int
	clients map[netip.Prefix]int
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := l.clientOf(accepted.RemoteAddr())
		if l.enter(client) {
			return &conn{Conn: accepted, leave: sync.OnceFunc(func() { l.leave(client) })}, nil
		}
		_ = accepted.Close()
		l.config.Refused()
	}
}

// clientOf returns the prefix that identifies a client: its IPv4 address, or the /64 network of its IPv6 address. The zero
// prefix stands for all clients without a limit of their own.
func (l *listener) clientOf(remote net.Addr) netip.Prefix {
	address, err := netip.ParseAddrPort(remote.String())
	if err != nil || l.config.PerClient <= 0 {
		return netip.Prefix{}
	}
	if l.config.Exempt(address.Addr().Unmap().WithZone("")) {
		return netip.Prefix{}
	}
	return clientaddr.Network(address.Addr())
}

// enter counts a connection. It returns false if there are too many.
func (l *listener) enter(client netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	limited := client != netip.Prefix{}
	if l.config.Total > 0 && l.total >= l.config.Total || limited && l.clients[client] >= l.config.PerClient {
		return false
	}
	l.total++
	if limited {
		l.clients[client]++
	}
	return true
}

func (l *listener) leave(client netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.clients[client]--; l.clients[client] <= 0 {
		delete(l.clients, client)
	}
}

// conn is a connection that counts until it is closed.
type conn struct {
	net.Conn
	leave func()
}

// NetConn returns the underlying connection.
func (c *conn) NetConn() net.Conn { return c.Conn }

// Close implements net.Conn.
func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite closes the sending side. net/http calls it before it closes a connection on which bytes may still arrive.
func (c *conn) CloseWrite() error {
	if inner, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return inner.CloseWrite()
	}
	return nil
}
