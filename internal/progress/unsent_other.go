//go:build !linux

package progress

import "net"

// limitUnsent bounds what the system holds for a connection that it has not sent yet, where the system can.
func limitUnsent(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(unsentMax) // if the system refuses, the connection only holds more memory
	}
}
