package proxy

import (
	"io"
	"net"
	"net/http"
	"testing"
)

// TestSyntheticNode checks that the load generator accepts the node's answers, one after the other on one connection.
func TestSyntheticNode(t *testing.T) {
	n := newSyntheticNode()
	ours, theirs := net.Pipe()
	ended := make(chan error)
	go func() { ended <- n.serve(theirs) }()
	a := &nodeRequests{before: accountBefore, after: accountAfter}
	request := a.requester(ours, "the node")
	for range 3 {
		if err := request(); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.requests.Load(); got != 3 {
		t.Errorf("the node counted %d requests, want 3", got)
	}
	_ = ours.Close()
	if err := <-ended; err != io.EOF { //nolint:errorlint // a pipe returns exactly this error
		t.Errorf("the connection ended with %v, want %v", err, io.EOF)
	}
}

// TestNodeRequests checks that targets never repeat, or repeat after the given number, and that all have the same
// length.
func TestNodeRequests(t *testing.T) {
	for _, tt := range []struct {
		different int64
		want      int
	}{{0, 1000}, {299, 299}, {1, 1}} {
		a := &nodeRequests{different: tt.different}
		seen := map[string]bool{}
		for range 1000 {
			target := string(appendDigits(nil, a.number()))
			if len(target) != targetDigits {
				t.Fatalf("%q has %d digits, want %d", target, len(target), targetDigits)
			}
			seen[target] = true
		}
		if len(seen) != tt.want {
			t.Errorf("different = %d: got %d targets, want %d", tt.different, len(seen), tt.want)
		}
	}
}

func TestRequesterReportsStatus(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() {
		_, _ = theirs.Read(make([]byte, 1024))
		_, _ = io.WriteString(theirs, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
	}()
	if err := (&nodeRequests{before: "/v2/info"}).requester(ours, "the node")(); err == nil {
		t.Errorf("status %d was accepted", http.StatusServiceUnavailable)
	}
}
