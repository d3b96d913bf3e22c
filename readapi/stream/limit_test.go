package stream_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

// A client for which too much waits is told so. It comes back, and has everything in the end.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	s, k, server := apitest.NewLiveWorld(t, readapi.Config{StreamQueue: 1})
	follower := &streamClient{t: t, url: server + "/stream/v1/blocks"}
	stream := follower.open(t.Context())
	defer func() { stream.close() }()
	socket := dial(t, server)
	socket.subscribe(`{"event":"block"}`)
	if _, ok := stream.next(); !ok { // from now on
		t.Fatal("the stream ended")
	}
	const last = apitest.LastHeight + 40
	for h := apitest.LastHeight + 1; h <= last; h++ {
		s.Block(h)
	}
	s.Tip(last)

	slow := 0
	for next := apitest.LastHeight + 1; next <= last; {
		e, ok := stream.next()
		switch {
		case !ok && slow > 100:
			t.Fatalf("it ends again and again, at block %d", next)
		case !ok:
			stream.close()
			stream = follower.open(t.Context())
		case e.name == "end":
			if !strings.Contains(e.data, `"reason":"slow"`) {
				t.Errorf("got %s", e.data)
			}
			slow++
		case e.name == "block":
			var b struct{ Height int }
			if err := json.Unmarshal([]byte(e.data), &b); err != nil || b.Height != next {
				t.Fatalf("got block %d (%v), want %d", b.Height, err, next)
			}
			next++
		}
	}
	if slow == 0 || k.Metric("strata_live_ended_total", "protocol", "sse", "reason", "slow") < float64(slow) {
		t.Errorf("got %d ends for slowness, and %v counted", slow, k.Metric("strata_live_ended_total", "protocol", "sse", "reason", "slow"))
	}
	for {
		if _, err := socket.next(); err != nil {
			var closed websocket.CloseError
			if websocket.CloseStatus(err) != websocket.StatusTryAgainLater || !errors.As(err, &closed) || closed.Reason != "slow" {
				t.Errorf("the WebSocket ended with %v", err)
			}
			break
		}
	}
	eventually.Holds(t, "the WebSocket is counted", func() bool {
		return k.Metric("strata_live_ended_total", "protocol", "websocket", "reason", "slow") == 1
	})
}

// A client that takes nothing is cut off, so that nothing waits for it for ever.
func TestStalledClients(t *testing.T) {
	t.Parallel()
	s, k, server := apitest.NewLiveWorld(t, readapi.Config{StreamWriteTimeout: 200 * time.Millisecond, Heartbeat: time.Minute, PingInterval: time.Minute})
	contract := apitest.Alice + ".coin"
	raw := must.Get(net.Dial("tcp", strings.TrimPrefix(server, "http://")))(t)
	defer func() { _ = raw.Close() }()
	must.Do(t, raw.(*net.TCPConn).SetReadBuffer(4<<10))
	must.Get(fmt.Fprintf(raw, "GET /stream/v1/contracts/%s/events HTTP/1.1\r\nHost: x\r\n\r\n", contract))(t)
	socket := dial(t, server)
	socket.subscribe(`{"event":"nft_event"}`)
	// The stream has read where it begins before it sends the head of its answer.
	head := must.Get(http.ReadResponse(bufio.NewReader(raw), nil))(t)
	_ = head.Body.Close()
	eventually.Holds(t, "both follow", func() bool { return k.Metric("strata_live_subscribers") == 2 })
	s.Block(61)
	s.Mine(161, apitest.MinedTx{Tx: apitest.Transfer(t, 7), Events: []apitest.MinedEvent{
		{Kind: "contract_event", Contract: contract, Topic: "print", Value: apitest.OkTrue},
		{Kind: "nft_mint_event", Asset: apitest.Art, Recipient: apitest.Bob, Value: apitest.OkTrue},
	}})
	// More than any buffer in between holds.
	s.Exec(`UPDATE chain_v1.event SET value = decode(repeat('00', 8000000), 'hex') WHERE source_seq = 161`)
	s.Tip(61)
	for _, protocol := range []string{"sse", "websocket"} {
		eventually.Holds(t, protocol+" is cut off", func() bool {
			return k.Metric("strata_live_ended_total", "protocol", protocol, "reason", "stalled") == 1
		})
	}
	check.Equal(t, "connections", k.Metric("strata_live_subscribers"), 0)
}

// One client has as many streams as one may, over whichever protocol, and the next is refused.
func TestStreamsPerClient(t *testing.T) {
	t.Parallel()
	_, _, server := apitest.NewLiveWorld(t, readapi.Config{StreamsPerClient: 2})
	(&streamClient{t: t, url: server + "/stream/v1/blocks"}).open(t.Context())
	dial(t, server)
	got, err := http.Get(server + "/stream/v1/mempool")
	must.Do(t, err)
	defer func() { _ = got.Body.Close() }()
	if text, _ := io.ReadAll(got.Body); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "30" || !strings.Contains(string(text), "one client") {
		t.Errorf("got %d %s, want 503 with Retry-After", got.StatusCode, text)
	}
}

// As many follow as may, over whichever protocol, and the next one is told when to come again.
func TestMostStreams(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{StreamsMost: 1})
	refused := func(err error, got *http.Response) {
		t.Helper()
		if got == nil || got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "30" {
			t.Errorf("got %+v (%v), want 503 with Retry-After", got, err)
		}
	}
	both := func() {
		t.Helper()
		got, err := http.Get(server + "/stream/v1/blocks")
		refused(err, got)
		if err == nil {
			_ = got.Body.Close()
		}
		conn, got, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(server, "http")+"/extended/v1/ws", nil) //nolint:bodyclose // it has none
		if err == nil {
			_ = conn.CloseNow()
		}
		refused(err, got)
	}
	nobody := func() bool { return k.Metric("strata_live_subscribers") == 0 }
	stream := (&streamClient{t: t, url: server + "/stream/v1/blocks"}).open(t.Context())
	both()
	stream.close()
	eventually.Holds(t, "the stream is over", nobody)
	socket := dial(t, server)
	both()
	must.Do(t, socket.conn.Close(websocket.StatusNormalClosure, ""))
	eventually.Holds(t, "the WebSocket is over", nobody)
	check.Equal(t, "refused", k.Metric("strata_live_refused_total"), 4)
}
