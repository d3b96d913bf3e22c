//go:build unix

package proxy

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is the processor time that the process has used. On a machine that others use too it says more than the clock.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
