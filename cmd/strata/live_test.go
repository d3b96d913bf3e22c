package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
)

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
