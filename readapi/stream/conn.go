package stream

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
)

// takeOver takes the connection of a request from the HTTP server, whose buffers and goroutine for it are then free.
// The caller closes the connection.
func takeOver(w http.ResponseWriter) (net.Conn, error) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	// Nobody needs what the server has read ahead. net.Buffers are written with one system call only to a plain TCP
	// connection, so a wrapper is removed; not TLS, of course.
	inner, wrapped := conn.(interface{ NetConn() net.Conn })
	if _, secret := conn.(*tls.Conn); wrapped && !secret {
		conn = inner.NetConn()
	}
	return conn, nil
}

// watchClient calls left when either side has closed the connection. It ignores what the client sends.
func watchClient(conn net.Conn, left func()) {
	defer left()
	var ignored [64]byte
	for {
		if _, err := conn.Read(ignored[:]); err != nil {
			return
		}
	}
}

// logPanic logs a panic that ended a connection.
func (a *api) logPanic(p any) {
	a.Panicked()
	a.Config.Logger.LogAttrs(context.Background(), slog.LevelError, "stream handler panicked", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
}
