package internal_test

import (
	"io"
	"sync"
	"testing"

	"strata/internal/testkit/logbuffer"
)

func TestBuffer(t *testing.T) {
	t.Parallel()
	var b logbuffer.Buffer
	var writers sync.WaitGroup
	for _, line := range []string{"level=INFO node=a\n", "level=WARN node=b\n"} {
		writers.Go(func() { _, _ = io.WriteString(&b, line) })
	}
	writers.Wait()
	if got := len(b.String()); got != 36 {
		t.Errorf("got %d bytes, want 36", got)
	}
	if !b.HasLine("node=b", "WARN") {
		t.Error("a line with both parts is not found")
	}
	if b.HasLine("node=a", "WARN") {
		t.Error("the parts of two lines are taken for one line")
	}
}
