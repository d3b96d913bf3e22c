package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// asking makes requests for nodes out of a number: the same few again and again, or ever other ones.
type asking struct {
	before, after string // of the target, around the number
	// different is how many targets there are; 0: no two requests have the same.
	different int64
	next      atomic.Int64
}

// askDigits is how many digits the number has in a target, so that all requests have the same length.
const askDigits = 10

func (a *asking) number() int64 {
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
	for range askDigits - len(digits) {
		b = append(b, '0')
	}
	return append(b, digits...)
}

// askers asks an address on as many connections as there are, each with one request at a time. Like load it is lean.
func askers(ctx context.Context, address string, a *asking) contender {
	return func(connections int, d time.Duration) (*round, error) {
		within, cancel := context.WithTimeout(ctx, d+loadTimeout)
		defer cancel()
		var dialer net.Dialer
		opened := make([]net.Conn, connections)
		for i := range opened {
			conn, err := dialer.DialContext(within, "tcp", address)
			if err != nil {
				return nil, err
			}
			defer conn.Close() //nolint:errcheck // all is read
			defer context.AfterFunc(within, func() { _ = conn.Close() })()
			opened[i] = conn
		}
		return inParallel(connections, d, func(i int) (func() error, error) {
			return a.asker(opened[i], address), nil
		})
	}
}

// asker makes one request after the other on a connection.
func (a *asking) asker(conn net.Conn, address string) func() error {
	answers := newResponses(conn)
	head := "GET " + a.before
	tail := a.after + " HTTP/1.1\r\nHost: node\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n"
	var request []byte
	return func() error {
		request = append(appendDigits(append(request[:0], head...), a.number()), tail...)
		if _, err := conn.Write(request); err != nil {
			return err
		}
		status, _, err := answers.next()
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%q was answered with status %d by %s", request, status, address)
		}
		return err
	}
}
