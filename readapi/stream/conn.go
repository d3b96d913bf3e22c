package stream

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
)

// takeOver takes the connection of a request from the server, which then has no buffers for it and no goroutine. It is the
// caller's to close.
func takeOver(w http.ResponseWriter) (net.Conn, error) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	// What was read ahead is nobody's. Texts can be written together to a connection of the system alone, but not beneath TLS.
	inner, wrapped := conn.(interface{ NetConn() net.Conn })
	if _, secret := conn.(*tls.Conn); wrapped && !secret {
		conn = inner.NetConn()
	}
	return conn, nil
}

// watchClient calls left when the client has closed its connection, or the connection is closed. What the client sends nobody
// asked for.
func watchClient(conn net.Conn, left func()) {
	defer left()
	var ignored [64]byte
	for {
		if _, err := conn.Read(ignored[:]); err != nil {
			return
		}
	}
}

// livePanicked tells the operator of a panic that ended a connection.
func (a *api) livePanicked(p any) {
	a.Config.Logger.LogAttrs(context.Background(), slog.LevelError, "a stream failed", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
}
