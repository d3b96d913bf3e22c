// Package edge is where a process meets what is outside of it: it opens all connections, and listens at all addresses. Addresses of
// a world are answered by that world instead of the network, so that a simulation stands between the program and everything else.
package edge

import (
	"context"
	"net"
	"net/netip"
	"sync"
)

// World answers for addresses in place of the network.
type World interface {
	Dial(ctx context.Context, address string) (net.Conn, error)
	Listen(address string) (net.Listener, error)
}

// worlds are those of some networks of addresses. A server has none.
var worlds struct {
	sync.RWMutex
	of map[netip.Prefix]World
}

// Enter lets a world answer for a network of addresses until leave is called.
func Enter(network netip.Prefix, w World) (leave func()) {
	worlds.Lock()
	defer worlds.Unlock()
	if worlds.of == nil {
		worlds.of = map[netip.Prefix]World{}
	}
	worlds.of[network] = w
	return func() {
		worlds.Lock()
		defer worlds.Unlock()
		delete(worlds.of, network)
	}
}

// worldOf returns the world of an address with a port; nil for the network.
func worldOf(address string) World {
	worlds.RLock()
	defer worlds.RUnlock()
	if len(worlds.of) == 0 {
		return nil
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil
	}
	for network, w := range worlds.of {
		if network.Contains(at.Addr()) {
			return w
		}
	}
	return nil
}

// Dial returns the function that connects with a dialer.
func Dial(dialer *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if w := worldOf(address); w != nil {
			return w.Dial(ctx, address)
		}
		return dialer.DialContext(ctx, network, address)
	}
}

// Listen listens at an address of TCP.
func Listen(address string) (net.Listener, error) {
	if w := worldOf(address); w != nil {
		return w.Listen(address)
	}
	return net.Listen("tcp", address)
}
