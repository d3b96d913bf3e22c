// Package dberror tells the errors that pass by themselves from those that stay.
package dberror

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Passing reports whether an error is due to the state of the database, or of the way to it, rather than to what it was asked. Then the
// same request may succeed later, and waiting is right.
func Passing(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) { // whatever the server says: no request has reached it
		return true
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return Disconnected(err)
	}
	switch pg.Code[:2] {
	case "08", // connection exception
		"40", // transaction rollback: serialization failure, deadlock
		"53", // insufficient resources: disk full, too many connections
		"57", // operator intervention: shutdown, cannot connect now
		"58", // system error outside Postgres
		"XX": // internal error, such as a file that cannot be written
		return true
	}
	switch pg.Code {
	case "25006", // read-only transaction: a standby not promoted yet
		"25P03", // idle-in-transaction timeout: this process was stopped for a while
		"55P03": // lock not available in time
		return true
	}
	return false
}

// Disconnected reports whether the connection to the database broke or could not be established.
func Disconnected(err error) bool {
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) ||
		strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "closed pool")
}
