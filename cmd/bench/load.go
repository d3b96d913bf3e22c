package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// preparedRequest is a request with the expected answer.
type preparedRequest struct {
	request        []byte
	status, length int // length < 0 accepts any length
}

// requestList hands out its requests one after the other, to all connections.
type requestList struct {
	all  []preparedRequest
	once bool // hand out none of them twice
	next atomic.Int64
}

// numbered returns n requests; target returns the target of request i.
func numbered(n int, target func(i int) string) *requestList {
	list := &requestList{}
	for i := range n {
		list.all = append(list.all, preparedRequest{request(target(i), http.Header{}), http.StatusOK, -1})
	}
	return list
}

// numberedOnce is like numbered, but hands out none of the requests twice.
func numberedOnce(n int, target func(i int) string) *requestList {
	list := numbered(n, target)
	list.once = true
	return list
}

var errNoMoreRequests = errors.New("all requests have been made once")

func (l *requestList) take() (*preparedRequest, error) {
	n := int(l.next.Add(1) - 1)
	if l.once && n >= len(l.all) {
		return nil, errNoMoreRequests
	}
	return &l.all[n%len(l.all)], nil
}

// round is the result of one round of load.
type round struct {
	rate      float64 // requests per second
	latencies histogram
}

// loadTimeout is the time that a connection may take beyond its round.
const loadTimeout = 10 * time.Second

// load makes requests on several connections. Each connection makes the next request when the last one is answered.
// load allocates and parses as little as possible, because it shares the processors with the server.
func load(ctx context.Context, address string, connections int, d time.Duration, list *requestList) (*round, error) {
	opened := make([]net.Conn, connections)
	defer func() {
		for _, conn := range opened {
			if conn != nil {
				_ = conn.Close()
			}
		}
	}()
	for i := range opened {
		var err error
		if opened[i], err = net.DialTimeout("tcp", address, loadTimeout); err != nil {
			return nil, err
		}
	}
	stop := context.AfterFunc(ctx, func() {
		for _, conn := range opened {
			_ = conn.Close()
		}
	})
	defer stop()
	return inParallel(connections, d, func(i int) (func() error, error) {
		conn := opened[i]
		if err := conn.SetDeadline(time.Now().Add(d + loadTimeout)); err != nil {
			return nil, err
		}
		answers := newResponses(conn)
		return func() error {
			want, err := list.take()
			if err != nil {
				return err
			}
			if _, err := conn.Write(want.request); err != nil {
				return err
			}
			status, length, err := answers.next()
			if err != nil {
				return err
			}
			if status != want.status || want.length >= 0 && length != want.length {
				return fmt.Errorf("%q was answered with status %d and %d bytes, want %d and %d", want.request, status, length, want.status, want.length)
			}
			return nil
		}, nil
	})
}

// inParallel makes workers repeat an action for the duration d, and measures the latency of each action.
func inParallel(workers int, d time.Duration, worker func(i int) (do func() error, err error)) (*round, error) {
	var group errgroup.Group
	var mutex sync.Mutex
	result := &round{}
	started := time.Now()
	for i := range workers {
		group.Go(func() error {
			do, err := worker(i)
			if err != nil {
				return err
			}
			var latencies histogram
			for now := time.Now(); now.Sub(started) < d; {
				if err := do(); err != nil {
					return err
				}
				done := time.Now()
				latencies.add(done.Sub(now))
				now = done
			}
			mutex.Lock()
			defer mutex.Unlock()
			result.latencies.merge(&latencies)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	result.rate = float64(result.latencies.total) / time.Since(started).Seconds()
	return result, nil
}
