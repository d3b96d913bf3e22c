package simulation

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// network is what the addresses of a world lead to. Each process of the program has an address by which it reaches its database.
type network struct {
	script *Script
	number int // of the world
	dial   func(ctx context.Context) (net.Conn, error)

	mu        sync.Mutex
	listeners map[string]*listener
	sessions  int
	dead      map[int]bool                 // processes that have crashed
	away      time.Time                    // until when there is no database
	open      map[int][]interface{ cut() } // by process, in the order in which they were opened
}

// Ports in a world.
const (
	databasePort = "5432"
	observerPort = "3700"
	APIPort      = "3999"
)

// listening returns the number of the first process that listens on a port; 0 for none.
func (n *network) listening(port string) int {
	if all := n.serving(port); len(all) > 0 {
		return all[0]
	}
	return 0
}

// serving returns the numbers of all processes that listen on a port.
func (n *network) serving(port string) (all []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for number := 1; number < 200; number++ {
		if n.listeners[net.JoinHostPort(n.host(number), port)] != nil {
			all = append(all, number)
		}
	}
	return all
}

// prefix returns the addresses of a world.
func prefix(number int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{127, 66, byte(number), 0}), 24)
}

// host returns the address of a process.
func (n *network) host(process int) string { return fmt.Sprintf("127.66.%d.%d", n.number, process) }

// isDead reports whether a process has crashed.
func (n *network) isDead(process int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dead[process]
}

// anyDead reports whether any process has crashed.
func (n *network) anyDead() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.dead) > 0
}

func refused(address string) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("%s: %w", address, os.NewSyscallError("connect", syscall.ECONNREFUSED))}
}

// Dial implements edge.World.
func (n *network) Dial(ctx context.Context, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if port != databasePort {
		n.mu.Lock()
		l := n.listeners[address]
		n.mu.Unlock()
		if l == nil {
			return nil, refused(address)
		}
		return l.connect(ctx)
	}
	process := int(netip.MustParseAddr(host).As4()[3])
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dead[process] || time.Now().Before(n.away) {
		return nil, refused(address)
	}
	server, err := n.dial(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	n.sessions++
	c := newSession(n.script, process, n.sessions, server)
	n.keep(process, c)
	return c, nil
}

func (n *network) keep(process int, c interface{ cut() }) {
	n.open[process] = append(n.open[process], c)
}

// Listen implements edge.World.
func (n *network) Listen(address string) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[address] != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
	l := &listener{network: n, name: address, at: at, incoming: make(chan net.Conn), ended: make(chan struct{})}
	if n.listeners == nil {
		n.listeners = map[string]*listener{}
	}
	n.listeners[address] = l
	return l, nil
}

// outage ends all sessions of the database, and lets none begin for a time.
func (n *network) outage(d time.Duration) (pids []uint32) {
	n.mu.Lock()
	n.away = time.Now().Add(d)
	var sessions []*session
	for _, number := range slices.Sorted(maps.Keys(n.open)) {
		for _, c := range n.open[number] {
			if s, ok := c.(*session); ok {
				sessions, pids = append(sessions, s), append(pids, s.pid)
			}
		}
	}
	n.mu.Unlock()
	for _, s := range sessions {
		s.cut()
	}
	return pids
}

// crash ends all that a process has open, at once.
func (n *network) crash(process int) (pids []uint32) {
	n.mu.Lock()
	n.dead[process] = true
	host := n.host(process)
	var listeners []*listener
	for _, l := range n.listeners {
		if l.at.IP.String() == host {
			listeners = append(listeners, l)
		}
	}
	open := n.open[process]
	delete(n.open, process)
	n.mu.Unlock()
	for _, l := range listeners {
		_ = l.Close()
	}
	for _, c := range open {
		if s, ok := c.(*session); ok {
			pids = append(pids, s.pid)
		}
		c.cut()
	}
	return pids
}

// listener accepts connections within a world.
type listener struct {
	network  *network
	name     string
	at       *net.TCPAddr
	incoming chan net.Conn
	ended    chan struct{}
	once     sync.Once
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.incoming:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.ended)
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		delete(l.network.listeners, l.name)
	})
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.at }

func (l *listener) connect(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	sender, _ := ctx.Value(senderKey{}).(byte)
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, sender), Port: 40000}
	process, fromProcess := ctx.Value(processKey{}).(int)
	if fromProcess {
		from.IP = net.ParseIP(l.network.host(process))
	}
	select {
	case l.incoming <- &pipe{far, l.at, from}:
		c := &pipe{near, from, l.at}
		l.network.mu.Lock()
		l.network.keep(int(l.at.IP.To4()[3]), c)
		dead := fromProcess && l.network.dead[process]
		if fromProcess {
			l.network.keep(process, c)
		}
		l.network.mu.Unlock()
		if dead {
			c.cut()
		}
		return c, nil
	case <-l.ended:
		return nil, refused(l.name)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipe is a connection within a world.
type pipe struct {
	net.Conn
	local, remote net.Addr
}

func (p *pipe) cut()                 { _ = p.Close() }
func (p *pipe) LocalAddr() net.Addr  { return p.local }
func (p *pipe) RemoteAddr() net.Addr { return p.remote }
