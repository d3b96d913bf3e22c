package bench

import (
	"fmt"
	"strings"
	"time"

	"strata/cmd/bench/internal/load"
)

// Spending is the processor time that processes spend on the requests of a contender's turns.
type Spending struct {
	Processes []int
	spent     []time.Duration
	requests  int
}

// Counting returns a contender that adds what is spent on its requests to s.
func (s *Spending) Counting(contend load.Contender) load.Contender {
	return func(connections int, d time.Duration) (*load.Round, error) {
		before, err := s.soFar()
		if err != nil {
			return nil, err
		}
		r, err := contend(connections, d)
		if err != nil {
			return nil, err
		}
		after, err := s.soFar()
		if err != nil {
			return nil, err
		}
		s.requests += r.Requests()
		if s.spent == nil {
			s.spent = make([]time.Duration, len(s.Processes))
		}
		for i := range s.spent {
			s.spent[i] += after[i] - before[i]
		}
		return r, nil
	}
}

// soFar returns what each process has spent since it began.
func (s *Spending) soFar() (all []time.Duration, err error) {
	for _, pid := range s.Processes {
		spent, err := ProcessorTime(pid)
		if err != nil {
			return nil, err
		}
		all = append(all, spent)
	}
	return all, nil
}

// Requests returns the number of requests that were counted.
func (s *Spending) Requests() int { return s.requests }

// Reset forgets what was spent.
func (s *Spending) Reset() { s.spent, s.requests = nil, 0 }

// Each returns the milliseconds that process i spent on a request.
func (s *Spending) Each(i int) float64 {
	return s.spent[i].Seconds() * 1e3 / float64(max(s.requests, 1))
}

// String returns the milliseconds per request of each process.
func (s *Spending) String() string {
	each := make([]string, len(s.spent))
	for i := range each {
		each[i] = fmt.Sprintf("%.2f", s.Each(i))
	}
	return strings.Join(each, " + ") + " ms"
}
