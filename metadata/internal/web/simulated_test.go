package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"strata/domain/fetch"
	"strata/internal/edge"
	"strata/metadata/internal/web"
)

const (
	simulatedNetwork = "10.78.0."
	simulatedHosts   = 4 // three gateways, and a host that the URI names itself
)

// simulatedHost answers all requests alike, and knows what it has asked for.
type simulatedHost struct {
	takes       time.Duration
	status      int // 0: the connection breaks
	retryAfter  string
	active      int
	arrivals    []time.Time
	limitedAt   time.Time // of its last answer with status 429
	pausedUntil time.Time
	failures    int // as a gateway, in a row
	due         time.Time
}

// pause is the time for which it wants to be left alone.
func (h *simulatedHost) pause() time.Duration {
	seconds, err := strconv.Atoi(h.retryAfter)
	if err != nil || seconds <= 0 {
		return time.Minute
	}
	return min(time.Duration(seconds)*time.Second, time.Hour)
}

// simulatedWeb is a network of hosts.
type simulatedWeb struct {
	mu          sync.Mutex
	hosts       [simulatedHosts]simulatedHost
	concurrency int
	rate        float64
	asked       []int // the hosts that got requests
	wrong       string
}

func (s *simulatedWeb) Listen(string) (net.Listener, error) { return nil, errors.ErrUnsupported }

// Dial implements edge.World.
func (s *simulatedWeb) Dial(_ context.Context, address string) (net.Conn, error) {
	here, there := net.Pipe()
	go s.serve(there, int(strings.TrimPrefix(address, simulatedNetwork)[0]-'0'))
	return here, nil
}

func (s *simulatedWeb) serve(conn net.Conn, i int) {
	defer func() { _ = conn.Close() }()
	for r := bufio.NewReader(conn); ; {
		if _, err := http.ReadRequest(r); err != nil {
			return
		}
		s.mu.Lock()
		h := &s.hosts[i]
		now := time.Now()
		h.active++
		h.arrivals = append(h.arrivals, now)
		s.asked = append(s.asked, i)
		if h.active > s.concurrency {
			time.AfterFunc(1, func() { s.overload(i) }) // one may be ending at this very moment
		}
		if now.After(h.limitedAt) && now.Before(h.pausedUntil) {
			s.wrong = fmt.Sprintf("host %d was asked %v before its pause ended", i, h.pausedUntil.Sub(now))
		}
		for n, at := range slices.Backward(h.arrivals) {
			if count := len(h.arrivals) - n; s.rate > 0 && float64(count) > float64(s.concurrency)+s.rate*now.Sub(at).Seconds()+0.001 {
				s.wrong = fmt.Sprintf("host %d got %d requests within %v", i, count, now.Sub(at))
			}
		}
		takes, status, header := h.takes, h.status, ""
		s.mu.Unlock()
		more := make(chan struct{}) // closed when the next request comes, or the connection ends
		go func() {
			defer close(more)
			_, _ = r.Peek(1)
		}()
		timer := time.NewTimer(takes)
		left := false
		select {
		case <-timer.C:
		case <-more:
			left = true
		}
		timer.Stop()
		s.mu.Lock()
		h.active--
		if status == http.StatusTooManyRequests && !left {
			h.limitedAt = time.Now()
			if until := h.limitedAt.Add(h.pause()); until.After(h.pausedUntil) {
				h.pausedUntil = until
			}
			header = "Retry-After: " + h.retryAfter + "\r\n"
		}
		if status == 0 && len(h.arrivals) > 0 { // net/http sends the request again if this was a kept connection
			h.arrivals = h.arrivals[:len(h.arrivals)-1]
		}
		s.mu.Unlock()
		if status == 0 || left {
			return
		}
		if _, err := fmt.Fprintf(conn, "HTTP/1.1 %d X\r\n%sContent-Length: 2\r\n\r\n{}", status, header); err != nil {
			return
		}
		<-more
	}
}

// overload checks that a host has not too many requests.
func (s *simulatedWeb) overload(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.hosts[i].active; n > s.concurrency {
		s.wrong = fmt.Sprintf("host %d has %d requests at once", i, n)
	}
}

// TestSimulatedFetches lets a client fetch from hosts that fail, are slow and ask for patience, over virtual years.
func TestSimulatedFetches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulateFetches) })
}

func simulateFetches(t *rapid.T) {
	s := &simulatedWeb{
		concurrency: rapid.IntRange(1, 3).Draw(t, "concurrency"), rate: rapid.SampledFrom([]float64{0, 0.1, 5}).Draw(t, "rate"),
	}
	for i := range s.hosts {
		s.hosts[i].status = http.StatusOK
	}
	leave := edge.Enter(netip.MustParsePrefix(simulatedNetwork+"0/24"), s)
	defer leave()
	c := web.New(web.Config{AllowPrivate: true, PerHostConcurrency: s.concurrency, PerHostRate: s.rate})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer func() {
		cancel()
		running.Wait()
		c.Close()
	}()
	oneByOne := rapid.Bool().Draw(t, "one by one")
	for range rapid.IntRange(1, 20).Draw(t, "steps") {
		switch rapid.IntRange(0, 3).Draw(t, "step") {
		case 0:
			i := rapid.IntRange(0, simulatedHosts-1).Draw(t, "host")
			takes := rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(t, "takes")
			status := rapid.SampledFrom([]int{200, 200, 404, 400, 403, 408, 500, 503, 429, 429, 0}).Draw(t, "status")
			retryAfter := rapid.SampledFrom([]string{"", "soon", "0", "1", "30", "900", "3600", "99999999"}).Draw(t, "retry after")
			s.mu.Lock()
			h := &s.hosts[i]
			h.takes, h.status, h.retryAfter = takes, status, retryAfter
			s.mu.Unlock()
		case 1:
			time.Sleep(rapid.SampledFrom([]time.Duration{
				time.Second, 14 * time.Second, 16 * time.Second, time.Minute, 10 * time.Minute, 2 * time.Hour, 40 * 24 * time.Hour,
			}).Draw(t, "time"))
		default:
			order := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "candidates")[:rapid.IntRange(1, 4).Draw(t, "count")]
			limit := rapid.SampledFrom([]time.Duration{10_007 * time.Millisecond, 300_007 * time.Millisecond}).Draw(t, "deadline")
			if oneByOne {
				s.fetchAlone(t, c, order)
			} else {
				running.Go(func() { s.fetchBeside(ctx, c, order, limit) })
				synctest.Wait()
			}
		}
		s.judge(t)
	}
	for range rapid.IntRange(0, 9).Draw(t, "relapses") {
		if h := &s.hosts[0]; oneByOne {
			s.mu.Lock()
			h.takes, h.status = 0, http.StatusInternalServerError
			s.mu.Unlock()
			time.Sleep(max(time.Until(h.due), 0) - time.Second)
			s.fetchAlone(t, c, []int{0, 1})
			time.Sleep(time.Until(h.due))
			s.fetchAlone(t, c, []int{0, 1})
		}
	}
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	s.judge(t)
	for i := range s.hosts {
		if n := c.HostUsers(web.HostName(simulatedCandidates([]int{i})[0].URL)); n != 0 {
			t.Fatalf("%d requests to host %d have not ended", n, i)
		}
	}
}

func (s *simulatedWeb) judge(t *rapid.T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong != "" {
		t.Fatal(s.wrong)
	}
}

func simulatedCandidates(order []int) (candidates []web.Candidate) {
	for _, i := range order {
		candidate := web.Candidate{URL: fmt.Sprintf("http://%s%d/x", simulatedNetwork, i)}
		if i < simulatedHosts-1 {
			candidate.Gateway = fmt.Sprintf("http://%s%d", simulatedNetwork, i)
		}
		candidates = append(candidates, candidate)
	}
	return candidates
}

// fetchBeside fetches beside others.
func (s *simulatedWeb) fetchBeside(ctx context.Context, c *web.Client, order []int, limit time.Duration) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	exchanges := c.Get(ctx, simulatedCandidates(order), 100, "", anything)
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]bool{}
	for _, e := range exchanges {
		if seen[e.URL] {
			s.wrong = "two exchanges with " + e.URL
		}
		seen[e.URL] = true
	}
	if took := time.Since(began); took > limit {
		s.wrong = fmt.Sprintf("a fetch took %v of %v", took, limit)
	}
}

// fetchAlone fetches while nobody else does, and compares what happens with the documentation.
func (s *simulatedWeb) fetchAlone(t *rapid.T, c *web.Client, order []int) {
	now := time.Now()
	due := func(i int) time.Time {
		h := &s.hosts[i]
		at := h.due
		if h.pausedUntil.After(at) {
			at = h.pausedUntil
		}
		if i == simulatedHosts-1 || !at.After(now) {
			return time.Time{}
		}
		return at
	}
	sorted := slices.Clone(order)
	s.mu.Lock()
	slices.SortStableFunc(sorted, func(a, b int) int { return due(a).Compare(due(b)) })
	s.asked = nil
	s.mu.Unlock()
	exchanges := c.Get(context.Background(), simulatedCandidates(order), 100, "", anything)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	byURL := map[string]fetch.Exchange{}
	for _, e := range exchanges {
		byURL[e.URL] = e
	}
	asked := 0
	for n, i := range sorted {
		h := &s.hosts[i]
		e, ok := byURL[fmt.Sprintf("http://%s%d/x", simulatedNetwork, i)]
		if !ok {
			t.Fatalf("host %d of %v was not tried, after %v", i, sorted, s.asked)
		}
		if asked >= len(s.asked) || s.asked[asked] != i {
			// It may have been paused, also by an earlier fetch, but not by this one.
			left := h.pausedUntil.Sub(e.StartedAt)
			if seconds, _ := strconv.ParseFloat(e.Header["retry-after"], 64); left <= 0 || e.Status != 429 || e.Error == "" || seconds < left.Seconds() || seconds >= left.Seconds()+1 {
				t.Fatalf("host %d was not asked, of %v, but %v: paused for %v, and the exchange is %+v", i, sorted, s.asked, left, e)
			}
			continue
		}
		for asked < len(s.asked) && s.asked[asked] == i { // again, if a kept connection broke
			asked++
		}
		failed := h.takes > 30*time.Second || h.status == 0
		switch {
		case failed, h.status >= 500, h.status == 403, h.status == 408:
			lasts := 15 * time.Second
			for range h.failures {
				lasts = min(2*lasts, 10*time.Minute)
			}
			h.failures++
			h.due = e.StartedAt.Add(time.Duration(e.TookMicros)*time.Microsecond + lasts)
		case h.status != 429:
			h.failures, h.due = 0, time.Time{}
		}
		if !failed && (h.status == 200 || h.status == 404 && i == simulatedHosts-1) {
			if len(exchanges) != n+1 {
				t.Fatalf("host %d of %v answered, and there are %d exchanges", i, sorted, len(exchanges))
			}
			if last := exchanges[n]; last.Status != h.status {
				t.Fatalf("the last exchange is %+v, not the answer of host %d", last, i)
			}
			return
		}
	}
	if len(exchanges) != len(order) || asked != len(s.asked) {
		t.Fatalf("%d exchanges with %v, and requests to %v", len(exchanges), sorted, s.asked)
	}
}
