package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Memory samples the resident set of a process.
type Memory struct {
	samples []int64 // bytes, once per second
	stop    atomic.Bool
	done    chan struct{}
}

// WatchMemory begins to sample the memory of a process.
func WatchMemory(pid int) *Memory {
	m := &Memory{done: make(chan struct{})}
	go func() {
		defer close(m.done)
		for !m.stop.Load() {
			if rss := ResidentBytes(pid); rss > 0 {
				m.samples = append(m.samples, rss)
			}
			time.Sleep(time.Second)
		}
	}()
	return m
}

// Summary stops the sampling and returns the maxima of the first and the second half of the time.
func (m *Memory) Summary() string {
	m.stop.Store(true)
	<-m.done
	most := func(samples []int64) int64 {
		var greatest int64
		for _, s := range samples {
			greatest = max(greatest, s)
		}
		return greatest >> 20
	}
	half := len(m.samples) / 2
	return fmt.Sprintf("RSS at most %d MiB in the first half, %d MiB in the second", most(m.samples[:half]), most(m.samples[half:]))
}

// ResidentBytes returns the resident set of a process; 0 if it is unknown.
func ResidentBytes(pid int) int64 { return statusBytes(pid, "VmRSS:") }

// ResidentPeak returns the greatest resident set that a process has had; 0 if it is unknown.
func ResidentPeak(pid int) int64 { return statusBytes(pid, "VmHWM:") }

// statusBytes returns a size in the status of a process; 0 if it is unknown.
func statusBytes(pid int, name string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "\n"+name)
	var kib int64
	_, _ = fmt.Sscan(rest, &kib)
	return kib << 10
}

// clockTick is the unit of times in /proc. It is the same on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// ProcessorTime returns the processor time of a process and its children, in user and kernel mode. It includes children
// that have ended.
func ProcessorTime(pid int) (sum time.Duration) {
	// The process itself comes last, because its times include those of a child that ends meanwhile.
	for _, part := range append(children(pid), pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", part))
		if err != nil && part != pid {
			continue
		}
		CheckOf("read the processor time of a process", err)
		// The name of the program, in parentheses, may contain spaces.
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			Check(fmt.Errorf("read the processor time of process %d: %q", part, text))
		}
		for _, field := range fields[11:15] { // utime and stime, of the process and of children that have ended
			sum += time.Duration(Must(strconv.ParseInt(field, 10, 64))) * clockTick
		}
	}
	return sum
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
