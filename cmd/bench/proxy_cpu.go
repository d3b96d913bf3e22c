package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc. It is the same on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// processorTime returns the processor time of a process and its children, in user and kernel mode. It includes children
// that have ended.
func processorTime(pid int) (sum time.Duration, err error) {
	// The process itself comes last, because its times include those of a child that ends meanwhile.
	for _, part := range append(children(pid), pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", part))
		if err != nil && part != pid {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("read the processor time of a process: %w", err)
		}
		// The name of the program, in parentheses, may contain spaces.
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			return 0, fmt.Errorf("read the processor time of process %d: %q", part, text)
		}
		for _, field := range fields[11:15] { // utime and stime, of the process and of children that have ended
			ticks, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read the processor time of process %d: %w", part, err)
			}
			sum += time.Duration(ticks) * clockTick
		}
	}
	return sum, nil
}

func children(pid int) (pids []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, field := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			pids = append(pids, child)
		}
	}
	return pids
}

// spending is the processor time that a process spends on the requests of its turns.
type spending struct {
	pid      int
	requests int
	spent    time.Duration
}

// counting returns a contender that adds the processor time of its process to s.
func (s *spending) counting(contend contender) contender {
	return func(connections int, d time.Duration) (*round, error) {
		before, err := processorTime(s.pid)
		if err != nil {
			return nil, err
		}
		r, err := contend(connections, d)
		if err != nil {
			return nil, err
		}
		after, err := processorTime(s.pid)
		s.spent += after - before
		s.requests += r.latencies.total
		return r, err
	}
}

// each returns the processor time per request, in microseconds.
func (s *spending) each() float64 {
	return s.spent.Seconds() * 1e6 / float64(max(s.requests, 1))
}
