package proxy

import (
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// spending is the processor time that a process spends on the requests of its turns.
type spending struct {
	pid      int
	requests int
	spent    time.Duration
}

// counting returns a contender that adds the processor time of its process to s.
func (s *spending) counting(contend load.Contender) load.Contender {
	return func(connections int, d time.Duration) (*load.Round, error) {
		before, err := bench.ProcessorTime(s.pid)
		if err != nil {
			return nil, err
		}
		r, err := contend(connections, d)
		if err != nil {
			return nil, err
		}
		after, err := bench.ProcessorTime(s.pid)
		s.spent += after - before
		s.requests += r.Requests()
		return r, err
	}
}

// each returns the processor time per request, in microseconds.
func (s *spending) each() float64 {
	return s.spent.Seconds() * 1e6 / float64(max(s.requests, 1))
}
