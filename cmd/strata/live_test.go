package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/pause"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/internal/testsignal"
)

// subscription is a client of the stream of blocks, with the chain as the client knows it.
type subscription struct {
	chain   []string
	last    string            // the id of the last event
	reading testsignal.Signal // sent when the server has answered
}

// follow reads the stream from the last id on, until it has read this number of events or the stream ends.
func (f *subscription) follow(t *testing.T, api string, events int) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, api+"/stream/v1/blocks", nil))(t)
	r.Header.Set("Last-Event-ID", f.last)
	w := must.Get(http.DefaultClient.Do(r))(t)
	defer func() { _ = w.Body.Close() }()
	f.reading.Send()
	if w.StatusCode == http.StatusServiceUnavailable {
		pause.For(t.Context(), time.Second) // the server does not know its position yet; a client comes again
		return
	}
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

func (f *subscription) take(t *testing.T, name, data string) {
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

// A client resumes its stream after the server is killed, and after the server is stopped, which ends the stream.
func TestStreamsGoOnAfterTheServer(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	dir, url := t.TempDir(), served.URL(t)
	chain := synthchain.New((&simulate.Command{Seed: 5, Forks: 0.3}).Config())
	f := &subscription{last: "log=0"}
	f.reading.Init()
	var s *server
	for _, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGINT} {
		s = startServer(t, dir, "--database-url", url)
		for range 40 {
			p := chain.Next()
			s.mustPost(p.Path, p.Body)
		}
		f.follow(t, s.api, 3)
		f.reading.Discard()
		left := make(chan struct{})
		go func() { // while the client reads
			<-f.reading.C()
			s.signal(end)
			close(left)
		}()
		f.follow(t, s.api, 1_000_000)
		<-left
	}
	// However far the server had folded when it was stopped, the client gets the rest from the next one.
	s = startServer(t, dir, "--database-url", url)
	for blocks := chain.Expected().Blocks; f.chain[len(f.chain)-1] != blocks[len(blocks)-1].IndexHash.String(); {
		f.follow(t, s.api, 1)
	}
	var want []string
	for _, b := range chain.Expected().Blocks {
		want = append(want, b.IndexHash.String())
	}
	if n := min(len(want), len(f.chain)); n < 5 || !slices.Equal(f.chain[len(f.chain)-n:], want[len(want)-n:]) {
		t.Errorf("got %v\nwant %v", f.chain, want)
	}
}

// A client of a WebSocket gets blocks and reverts through the server's own listener, and a close frame when the server
// stops.
func TestSocketThroughTheServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t))
	chain := synthchain.New((&simulate.Command{Seed: 5, Forks: 0.6}).Config())
	post := func(n int) {
		for range n {
			p := chain.Next()
			s.mustPost(p.Path, p.Body)
		}
	}
	post(1)
	s.caughtUp(1)
	ctx, cancel := context.WithTimeout(t.Context(), slow)
	defer cancel()
	conn, w, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.api, "http")+"/extended/v1/ws", nil) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if w.Header.Get("X-API-Version") == "" || w.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("got %v", w.Header)
	}
	conn.SetReadLimit(-1)
	must.Do(t, conn.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"event":"block"}}`)))
	if _, answer, err := conn.Read(ctx); err != nil || string(answer) != `{"jsonrpc":"2.0","result":{},"id":1}` {
		t.Fatalf("got %s (%v)", answer, err)
	}
	post(120)
	var want []string
	for _, b := range chain.Expected().Blocks {
		want = append(want, b.IndexHash.String())
	}
	var got []string
	reverts := 0
	for len(got) == 0 || got[len(got)-1] != want[len(want)-1] {
		_, text, err := conn.Read(ctx)
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		var told struct {
			Method string
			Params struct {
				IndexBlockHash string `json:"index_block_hash"`
			}
		}
		must.Do(t, json.Unmarshal(text, &told))
		switch n := len(got); told.Method {
		case "block":
			got = append(got, told.Params.IndexBlockHash)
		case "revert":
			reverts++
			if n > 0 && got[n-1] != told.Params.IndexBlockHash {
				t.Fatalf("takes back %s, and there is %s", told.Params.IndexBlockHash, got[n-1])
			}
			got = got[:max(n-1, 0)]
		}
	}
	if reverts == 0 || len(got) < 10 || !slices.Equal(got, want[len(want)-len(got):]) {
		t.Errorf("after %d reverts: got %v\nwant the end of %v", reverts, got, want)
	}
	ended := make(chan error, 1)
	go func() {
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				ended <- err
				return
			}
		}
	}()
	s.signal(syscall.SIGINT)
	if err := <-ended; websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("when the server stops: got %v", err)
	}
}
