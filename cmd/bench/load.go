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

// aim is a request, ready to be sent, and what has to come back.
type aim struct {
	request        []byte
	status, length int // length < 0: any
}

// aims are handed out one after the other, to all connections.
type aims struct {
	all  []aim
	once bool // none of them twice
	next atomic.Int64
}

// numbered are so many requests, made by number.
func numbered(n int, target func(i int) string) *aims {
	a := &aims{}
	for i := range n {
		a.all = append(a.all, aim{request(target(i), http.Header{}), http.StatusOK, -1})
	}
	return a
}

var errNoMoreAims = errors.New("there are no more requests that were not made before")

func (a *aims) take() (*aim, error) {
	n := int(a.next.Add(1) - 1)
	if a.once && n >= len(a.all) {
		return nil, errNoMoreAims
	}
	return &a.all[n%len(a.all)], nil
}

// round is what came of some time of load.
type round struct {
	rate      float64 // a second
	latencies histogram
}

// loadTimeout is how much longer than its round a connection may take.
const loadTimeout = 10 * time.Second

// load makes requests on so many connections, on each the next when the last is answered. It is lean, because it takes
// from the server's time: nothing is allocated or parsed that need not be.
func load(ctx context.Context, address string, connections int, d time.Duration, a *aims) (*round, error) {
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
			aim, err := a.take()
			if err != nil {
				return err
			}
			if _, err := conn.Write(aim.request); err != nil {
				return err
			}
			status, length, err := answers.next()
			if err != nil {
				return err
			}
			if status != aim.status || aim.length >= 0 && length != aim.length {
				return fmt.Errorf("%q was answered with status %d and %d bytes, want %d and %d", aim.request, status, length, aim.status, aim.length)
			}
			return nil
		}, nil
	})
}

// inParallel has workers do something again and again for some time.
func inParallel(workers int, d time.Duration, worker func(i int) (do func() error, err error)) (*round, error) {
	var group errgroup.Group
	var mutex sync.Mutex
	result := &round{}
	began := time.Now()
	for i := range workers {
		group.Go(func() error {
			do, err := worker(i)
			if err != nil {
				return err
			}
			var latencies histogram
			for now := time.Now(); now.Sub(began) < d; {
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
	result.rate = float64(result.latencies.total) / time.Since(began).Seconds()
	return result, nil
}
