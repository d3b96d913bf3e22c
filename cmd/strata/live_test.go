package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"strata/internal/synthchain"
)

// followed is the chain as a client of the stream of blocks has it.
type followed struct {
	chain []string
	last  string // id
}

// follow reads the stream from the last id on, until so many events have come, or it ends.
func (f *followed) follow(t *testing.T, api string, events int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, api+"/stream/v1/blocks", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", f.last)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	if w.StatusCode != http.StatusOK {
		t.Fatalf("from %q: got %s", f.last, w.Status)
	}
	late := time.AfterFunc(slow, func() { _ = w.Body.Close() })
	defer late.Stop()
	id, name := f.last, ""
	for lines := bufio.NewScanner(w.Body); events > 0 && lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			f.take(t, name, value)
			f.last = id
			events--
		}
	}
}

func (f *followed) take(t *testing.T, name, data string) {
	t.Helper()
	var body struct {
		IndexBlockHash       string `json:"index_block_hash"`
		ParentIndexBlockHash string `json:"parent_index_block_hash"`
	}
	if err := json.Unmarshal([]byte(data), &body); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	n := len(f.chain)
	switch {
	case name == "block" && (n == 0 || f.chain[n-1] == body.ParentIndexBlockHash):
		f.chain = append(f.chain, body.IndexBlockHash)
	case name == "revert" && n > 0 && f.chain[n-1] == body.IndexBlockHash:
		f.chain = f.chain[:n-1]
	case name != "end":
		t.Fatalf("%s %s does not fit to %v", name, data, f.chain)
	}
}

// A client goes on where it was after the server was killed, and after it was stopped, which ends its stream.
func TestStreamsGoOnAfterTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chain := synthchain.New((&simulateCommand{Seed: 5, Forks: 0.3}).config())
	f := &followed{last: "log=0"}
	var s *server
	for _, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGINT} {
		s = serve(t, dir)
		for range 40 {
			p := chain.Next()
			s.mustPost(p.Path, p.Body)
		}
		f.follow(t, s.api, 3)
		left := make(chan struct{})
		go func() { // amid the stream
			time.Sleep(300 * time.Millisecond)
			s.signal(end)
			close(left)
		}()
		f.follow(t, s.api, 1_000_000)
		<-left
	}
	var want []string
	for _, b := range chain.Expected().Blocks {
		want = append(want, b.IndexHash.String())
	}
	if n := min(len(want), len(f.chain)); n < 5 || !slices.Equal(f.chain[len(f.chain)-n:], want[len(want)-n:]) {
		t.Errorf("got %v\nwant %v", f.chain, want)
	}
}
