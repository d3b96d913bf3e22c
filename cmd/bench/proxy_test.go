package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// What the node answers has to be whole to who measures it, request after request on one connection.
func TestMadeUpNode(t *testing.T) {
	n := newMadeUpNode()
	ours, theirs := net.Pipe()
	ended := make(chan error)
	go func() { ended <- n.converse(theirs) }()
	a := &asking{before: accountBefore, after: accountAfter}
	ask := a.asker(ours, "the node")
	for range 3 {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.asked.Load(); got != 3 {
		t.Errorf("the node was asked %d times, want 3", got)
	}
	_ = ours.Close()
	if err := <-ended; err != io.EOF { //nolint:errorlint // as a pipe says it
		t.Errorf("the conversation ended with %v, want %v", err, io.EOF)
	}
}

// Targets differ for ever, or come again after so many; all have the same length.
func TestAsking(t *testing.T) {
	for _, tt := range []struct {
		different int64
		want      int
	}{{0, 1000}, {299, 299}, {1, 1}} {
		a := &asking{different: tt.different}
		seen := map[string]bool{}
		for range 1000 {
			target := string(appendDigits(nil, a.number()))
			if len(target) != askDigits {
				t.Fatalf("%q has %d digits, want %d", target, len(target), askDigits)
			}
			seen[target] = true
		}
		if len(seen) != tt.want {
			t.Errorf("of %d: %d targets, want %d", tt.different, len(seen), tt.want)
		}
	}
}

func TestAskerSaysWhatWentWrong(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() {
		_, _ = theirs.Read(make([]byte, 1024))
		_, _ = io.WriteString(theirs, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
	}()
	if err := (&asking{before: "/v2/info"}).asker(ours, "the node")(); err == nil {
		t.Errorf("status %d was taken for an answer", http.StatusServiceUnavailable)
	}
}

func TestProcessorTime(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("this system has no /proc")
	}
	before, err := processorTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		now, err := processorTime(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if now > before {
			return
		}
	}
	t.Errorf("ten seconds of work took no processor time beyond %v", before)
}
