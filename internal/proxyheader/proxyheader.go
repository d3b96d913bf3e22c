// Package proxyheader reads the header of the PROXY protocol, versions 1 and 2, with which balancers that forward
// connections, and not requests, say which client a connection is of.
package proxyheader

import (
	"net"
	"net/netip"
	"time"

	"github.com/pires/go-proxyproto"
)

// wait is how long a proxy may take for the header.
const wait = 10 * time.Second

// Listener wraps a listener: a connection from an address that trusts reports to be a proxy's has to begin with a header, or
// its reads fail; its RemoteAddr, which waits for the header, is the client's then. All other connections have no header:
// what a client claims about itself is a request like any other.
//
// The header is required rather than allowed. Otherwise, behind a proxy that sends none, clients could send their own.
func Listener(l net.Listener, trusts func(netip.Addr) bool) net.Listener { return &listener{l, trusts} }

type listener struct {
	net.Listener
	trusts func(netip.Addr) bool
}

// Accept implements net.Listener. It does not wait for the header.
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	remote, err := netip.ParseAddrPort(accepted.RemoteAddr().String())
	if err != nil || !l.trusts(remote.Addr()) {
		return accepted, nil //nolint:nilerr // what has no address is no proxy
	}
	return &conn{proxyproto.NewConn(accepted, proxyproto.WithPolicy(proxyproto.REQUIRE), proxyproto.SetReadHeaderTimeout(wait))}, nil
}

// conn is a connection of a proxy.
type conn struct{ *proxyproto.Conn }

// NetConn returns the underlying connection. Bytes that were read with the header are not there.
func (c *conn) NetConn() net.Conn { return c.Raw() }

// CloseWrite closes the sending side. net/http calls it before it closes a connection on which bytes may still arrive.
func (c *conn) CloseWrite() error {
	if inner, ok := c.Raw().(interface{ CloseWrite() error }); ok {
		return inner.CloseWrite()
	}
	return nil
}
