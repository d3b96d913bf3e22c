package lean

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
)

// more than the buffers of both sides hold
var largeAnswer = strings.Repeat("0123456789abcdef", 1<<20)

// serveLarge starts a server whose answers are large. The channel receives when a handler ends.
func serveLarge(t *testing.T, stall time.Duration) (*testServer, <-chan struct{}) {
	t.Helper()
	ended := make(chan struct{}, 2)
	return startServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, largeAnswer)
		ended <- struct{}{}
	}, func(server *http.Server) { server.IdleTimeout = time.Minute }, stall), ended
}

// A client that does not take its answer is sent away, whichever server writes it.
func TestClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	s, ended := serveLarge(t, 500*time.Millisecond)
	for _, target := range []string{"/plain/", "/other"} {
		s.dial(t).send(t, "%s", get(target))
		eventually.Receive(t, "the handler ends although its client does not read: "+target, ended)
	}
}

// A client that takes its answer slowly gets all of it, although that takes longer than it may take for a piece. Its pauses
// are much shorter than that, because the system moves bytes in large steps, and other tests take the processors.
func TestClientsThatReadSlowly(t *testing.T) {
	t.Parallel()
	const stall = 2 * time.Second
	for _, target := range []string{"/plain/", "/other"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			s, ended := serveLarge(t, stall)
			c := s.dial(t)
			began := time.Now()
			c.send(t, "%s", get(target))
			got := 0
			for got < len(largeAnswer) {
				n, err := io.CopyN(io.Discard, c, 1<<20)
				if got += int(n); err != nil {
					break
				}
				time.Sleep(stall / 12)
			}
			if got < len(largeAnswer) || time.Since(began) < stall {
				t.Errorf("a slow client got %d bytes in %v, want at least %d, and more time than %v", got, time.Since(began), len(largeAnswer), stall)
			}
			eventually.Receive(t, "the handler ends", ended)
		})
	}
}

// A client is charged for the time in which it was seen not to take a piece, and not for pauses between checks, in which the
// machine stood still, nor for what was before the piece.
func TestStall(t *testing.T) {
	t.Parallel()
	type check struct {
		piece uint64
		step  time.Duration
		want  time.Duration
	}
	const tick = checkInterval
	for name, checks := range map[string][]check{
		"nothing is written":         {{0, tick, 0}, {0, tick, 0}, {2, time.Hour, 0}},
		"a piece is not taken":       {{1, tick, 0}, {1, tick, tick}, {1, tick, 2 * tick}},
		"pieces are taken":           {{1, tick, 0}, {3, tick, 0}, {3, tick, tick}, {5, tick, 0}, {6, tick, 0}},
		"the machine stood still":    {{1, tick, 0}, {1, time.Hour, stepMax}, {1, tick, stepMax + tick}},
		"it stood still before":      {{2, tick, 0}, {3, time.Hour, 0}, {3, tick, tick}},
		"an end, and another begins": {{1, tick, 0}, {1, tick, tick}, {2, tick, 0}, {3, tick, 0}},
	} {
		var s stall
		for i, c := range checks {
			if got := s.observe(c.piece, c.step); got != c.want {
				t.Errorf("%s: check %d: got %v, want %v", name, i, got, c.want)
			}
		}
	}
}
