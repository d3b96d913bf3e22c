package bench

import (
	"os"
	"testing"
	"time"
)

func TestProcessorTime(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the system has no /proc")
	}
	before := ProcessorTime(os.Getpid())
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if ProcessorTime(os.Getpid()) > before {
			return
		}
	}
	t.Errorf("ten seconds of work did not increase the processor time, %v", before)
}
