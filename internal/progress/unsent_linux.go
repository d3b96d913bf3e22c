package progress

import (
	"net"
	"syscall"
)

// tcpNotSentLowat is TCP_NOTSENT_LOWAT of tcp(7), which package syscall lacks.
const tcpNotSentLowat = 25

// limitUnsent bounds what the system holds for a connection that it has not sent yet. It does nothing for connections that
// are not TCP.
func limitUnsent(c net.Conn) {
	for {
		wrapped, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		c = wrapped.NetConn()
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	// If the system refuses, the connection only holds more memory.
	_ = raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, unsentMax) })
}
