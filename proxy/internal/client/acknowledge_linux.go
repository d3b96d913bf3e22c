package client

import (
	"net"
	"syscall"
)

// acknowledgeAtOnce makes the system acknowledge what arrives on a connection when it is read. A node writes the head and the
// body of an answer apart, and its system holds the body back until the head is acknowledged, which ours would delay by 40 ms.
func acknowledgeAtOnce(conn net.Conn) net.Conn {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return conn
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return conn
	}
	return &quickConn{conn, raw}
}

type quickConn struct {
	net.Conn

	raw syscall.RawConn
}

// Read implements net.Conn. It asks again after each read, because the system forgets TCP_QUICKACK (tcp(7)).
func (c *quickConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	_ = c.raw.Control(acknowledge) // if the system refuses, answers only come later
	return n, err
}

func acknowledge(fd uintptr) {
	_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
}
