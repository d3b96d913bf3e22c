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
	s.spent = make([]time.Duration, len(s.processes))
	return func(connections int, d time.Duration) (*load.Round, error) {
		if err := s.add(-1); err != nil {
			return nil, err
		}
		r, err := contend(connections, d)
		if err != nil {
			return nil, err
		}
		s.requests += r.Requests()
		return r, s.add(1)
	}
}

// add adds what the processes have spent so far, times sign.
func (s *spending) add(sign time.Duration) error {
	for i, pid := range s.processes {
		now, err := bench.ProcessorTime(pid)
		if err != nil {
			return err
		}
		s.spent[i] += sign * now
	}
	return nil
}

// String returns the milliseconds per request of each process.
func (s *spending) String() string {
	each := make([]string, len(s.spent))
	for i, spent := range s.spent {
		each[i] = fmt.Sprintf("%.1f", spent.Seconds()*1e3/float64(max(s.requests, 1)))
	}
	return strings.Join(each, " + ") + " ms"
}
