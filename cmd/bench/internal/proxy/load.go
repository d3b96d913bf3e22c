package proxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"strata/cmd/bench/internal/load"
)

// nodeRequests generates requests to nodes. Their targets differ in a number.
type nodeRequests struct {
	before, after string // of the target, around the number
	different     int64  // number of different targets (0 = all targets differ)
	next          atomic.Int64
}

// targetDigits is the number of digits in a target, so that all requests have the same length.
const targetDigits = 10

// number returns the number of the next target.
func (a *nodeRequests) number() int64 {
	n := a.next.Add(1)
	if a.different > 0 {
		n %= a.different
	}
	return n
}

// appendDigits appends n with leading zeros.
func appendDigits(b []byte, n int64) []byte {
	var memory [20]byte
	digits := strconv.AppendInt(memory[:0], n, 10)
	for range targetDigits - len(digits) {
		b = append(b, '0')
	}
	return append(b, digits...)
}

// requesting returns a contender that makes the requests to an address, one at a time on each connection. Like load it
// allocates and parses as little as possible.
func requesting(ctx context.Context, address string, a *nodeRequests) load.Contender {
	return func(connections int, d time.Duration) (*load.Round, error) {
		within, cancel := context.WithTimeout(ctx, d+load.Timeout)
		defer cancel()
		var dialer net.Dialer
		opened := make([]net.Conn, connections)
		for i := range opened {
			conn, err := dialer.DialContext(within, "tcp", address)
			if err != nil {
				return nil, err
			}
			defer conn.Close() //nolint:errcheck // all answers have been read
			defer context.AfterFunc(within, func() { _ = conn.Close() })()
			opened[i] = conn
		}
		return load.InParallel(connections, d, func(i int) (func() error, error) {
			return a.requester(opened[i], address), nil
		})
	}
}

// requester returns a function that makes the next request on a connection.
func (a *nodeRequests) requester(conn net.Conn, address string) func() error {
	answers := load.NewResponses(conn)
	head := "GET " + a.before
	tail := a.after + " HTTP/1.1\r\nHost: node\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n"
	var request []byte
	return func() error {
		request = append(appendDigits(append(request[:0], head...), a.number()), tail...)
		if _, err := conn.Write(request); err != nil {
			return err
		}
		status, _, err := answers.Next()
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%q was answered with status %d by %s", request, status, address)
		}
		return err
	}
}
