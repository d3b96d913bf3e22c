package transactions

import (
	"fmt"
	"strings"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// spending is the processor time that processes spend on the requests of a contender's turns.
type spending struct {
	processes []int
	spent     []time.Duration
	requests  int
}

// counting returns a contender that adds what is spent on its requests to s.
func (s *spending) counting(contend load.Contender) load.Contender {
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
			s.spent = make([]time.Duration, len(s.processes))
		}
		for i := range s.spent {
			s.spent[i] += after[i] - before[i]
		}
		return r, nil
	}
}

// soFar returns what each process has spent since it began.
func (s *spending) soFar() (all []time.Duration, err error) {
	for _, pid := range s.processes {
		spent, err := bench.ProcessorTime(pid)
		if err != nil {
			return nil, err
		}
		all = append(all, spent)
	}
	return all, nil
}

// String returns the milliseconds per request of each process.
func (s *spending) String() string {
	each := make([]string, len(s.spent))
	for i, spent := range s.spent {
		each[i] = fmt.Sprintf("%.1f", spent.Seconds()*1e3/float64(max(s.requests, 1)))
	}
	return strings.Join(each, " + ") + " ms"
}
