//go:build unix

package proxy

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time that this process has used. On a shared machine it tells more than the clock.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
