package load

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Round is the result of one round of load.
type Round struct {
	Rate      float64 // requests per second
	Latencies Histogram
}

// Requests returns the number of requests that were answered.
func (r *Round) Requests() int { return r.Latencies.total }

// Timeout is the time that a connection may take beyond its round.
const Timeout = 10 * time.Second

// Contender runs one round of load.
type Contender func(connections int, d time.Duration) (*Round, error)

// NewContender returns a contender that makes the requests to the server at an address.
func NewContender(ctx context.Context, address string, list *Requests) Contender {
	return func(connections int, d time.Duration) (*Round, error) {
		return load(ctx, address, connections, d, list)
	}
}

// load makes requests on several connections. Each connection makes the next request when the last one is answered.
func load(ctx context.Context, address string, connections int, d time.Duration, list *Requests) (*Round, error) {
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
		if opened[i], err = net.DialTimeout("tcp", address, Timeout); err != nil {
			return nil, err
		}
	}
	stop := context.AfterFunc(ctx, func() {
		for _, conn := range opened {
			_ = conn.Close()
		}
	})
	defer stop()
	return InParallel(connections, d, func(i int) (func() error, error) {
		conn := opened[i]
		if err := conn.SetDeadline(time.Now().Add(d + Timeout)); err != nil {
			return nil, err
		}
		answers := NewResponses(conn)
		var buffer []byte
		return func() error {
			want := list.take(&buffer)
			if _, err := conn.Write(want.request); err != nil {
				return err
			}
			status, length, err := answers.Next()
			if err != nil {
				return err
			}
			if want.status != 0 && status != want.status || want.length >= 0 && length != want.length {
				return fmt.Errorf("%q was answered with status %d and %d bytes, want %d and %d", want.request, status, length, want.status, want.length)
			}
			return nil
		}, nil
	})
}

// InParallel makes workers repeat an action for the duration d, and measures the latency of each action.
func InParallel(workers int, d time.Duration, worker func(i int) (do func() error, err error)) (*Round, error) {
	var group errgroup.Group
	var mutex sync.Mutex
	result := &Round{}
	started := time.Now()
	for i := range workers {
		group.Go(func() error {
			do, err := worker(i)
			if err != nil {
				return err
			}
			var latencies Histogram
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
			result.Latencies.merge(&latencies)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	result.Rate = float64(result.Requests()) / time.Since(started).Seconds()
	return result, nil
}
