//go:build unix

package proxy

import (
	"syscall"
	"testing"
	"time"

	"strata/internal/testkit/must"
)

// cpuTime returns the processor time that this process has used. On a shared machine it tells more than the clock.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
