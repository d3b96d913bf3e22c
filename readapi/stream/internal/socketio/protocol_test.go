package socketio_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"strata/domain/clarity"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

const tx = "0x7700000000000000000000000000000000000000000000000000000000000001"

// What a client may ask for, and what is answered.
func TestRequests(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	c := connect(t, server, "&subscriptions=,block,,mempool")
	const value = "0x0100000000000000000000000000000001"
	for i, tc := range []struct{ topics, failure string }{
		{`"block"`, ""}, {`"block"`, ""}, {`"microblock"`, ""}, {`["mempool","nft-event"]`, ""}, {`[]`, ""},
		{`"transaction:` + tx + `"`, ""}, {`"transaction:` + strings.ToUpper(tx[2:]) + `"`, ""},
		{`"address-transaction:` + apitest.Alice + `"`, ""}, {`"address-stx-balance:` + apitest.Alice + `.coin"`, ""},
		{`"nft-asset-event:` + apitest.Art + `+` + value + `"`, ""}, {`"nft-asset-event:` + apitest.Art + ` ` + value + `"`, ""},
		{`"nft-collection-event:` + apitest.Art + `"`, ""},

		{`"blocks"`, "Invalid topic: blocks"}, {`""`, "Invalid topic: "}, {`"block:1"`, "Invalid topic: block:1"},
		{`"tx_update"`, "Invalid topic: tx_update"}, {`"transaction"`, "Invalid topic: transaction"}, {`"transaction:"`, "Invalid topic: transaction:"},
		{`"transaction:` + tx + `0"`, "Invalid topic: transaction:" + tx + "0"},
		{`"address-transaction:` + apitest.Alice[:20] + `"`, "Invalid topic: address-transaction:" + apitest.Alice[:20]},
		{`"address-stx-balance:"`, "Invalid topic: address-stx-balance:"},
		{`"nft-asset-event:` + apitest.Art + `"`, "Invalid topic: nft-asset-event:" + apitest.Art},
		{`"nft-asset-event:` + apitest.Art + `+1"`, "Invalid topic: nft-asset-event:" + apitest.Art + "+1"},
		{`"nft-collection-event:` + apitest.Alice + `"`, "Invalid topic: nft-collection-event:" + apitest.Alice},
		{`["block","x"]`, "Invalid topic: x"}, {`5`, "Invalid topic: want a text, or a list of texts"},
	} {
		for _, event := range []string{"subscribe", "unsubscribe"} {
			want := "null"
			if tc.failure != "" {
				want = `"` + tc.failure + `"`
			}
			c.write(fmt.Sprintf(`42%d["%s",%s]`, i, event, tc.topics))
			c.want(fmt.Sprintf(`43%d[%s]`, i, want))
		}
	}
	// Other events, and answers to none, have no effect; neither has a request without an answer that fails.
	c.write(`427["chat","hello"]`)
	c.write(`431[null]`)
	c.write(`42["subscribe","x"]`)
	c.write(`428["subscribe","block"]`)
	c.want(`438[null]`)
	c.write(`40/other,`)
	c.want(`44/other,{"message":"Invalid namespace"}`)

	// As many topics as may be.
	var topics []string
	for i := range 999 {
		topics = append(topics, fmt.Sprintf(`"transaction:0x%064x"`, i))
	}
	for len(topics) > 0 { // a message has 64 KiB at most
		n := min(500, len(topics))
		c.write(`429["subscribe",[` + strings.Join(topics[:n], ",") + `]]`)
		c.want(`439[null]`)
		topics = topics[n:]
	}
	c.write(`421["subscribe",["block","mempool"]]`)
	c.want(`431["a connection has 1000 subscriptions at most"]`)
	c.write(`421["subscribe","block"]`)
	c.want(`431[null]`)

	// What is asked for in vain when a session is opened.
	for _, query := range []string{"&subscriptions=block,x", "&subscriptions=x&subscriptions=block"} {
		refused := dial(t, server, query)
		refused.want(`0{"…`)
		refused.write("40")
		refused.want(`44{"message":"Invalid topic: x"}`)
	}
	c.write("41")
	if got, err := c.read(); err == nil {
		t.Errorf("after leaving: got %s", got)
	}
	eventually.Holds(t, "it is counted", func() bool {
		return k.Metric("strata_live_ended_total", "protocol", "socketio", "reason", "gone") == 1
	})
}

// Whoever does not keep to the protocol is refused or cut off, and leaves nothing behind.
func TestRefusals(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	for _, tc := range []struct {
		method, query string
		status        int
	}{
		{http.MethodGet, "", http.StatusBadRequest},
		{http.MethodGet, "?EIO=3&transport=polling", http.StatusBadRequest},
		{http.MethodGet, "?EIO=4&transport=smoke", http.StatusBadRequest},
		{http.MethodGet, "?EIO=4&transport=websocket", http.StatusBadRequest},
		{http.MethodGet, "?EIO=4&transport=polling&sid=unknown", http.StatusBadRequest},
		{http.MethodPost, "?EIO=4&transport=polling", http.StatusBadRequest},
		{http.MethodPut, "?EIO=4&transport=polling", http.StatusNotFound},
	} {
		if status, text := request(t, tc.method, server+"/socket.io/"+tc.query, ""); status != tc.status {
			t.Errorf("%s %s: got %d %s, want %d", tc.method, tc.query, status, text, tc.status)
		}
	}
	for _, packets := range [][]string{
		{`42["subscribe","block"]`},           // before it has connected
		{"40", "40"},                          // twice
		{"40", "44{}"}, {"40", `42/other,[]`}, // what only a server sends; a namespace that it has not joined
		{"40", `451-["x",{"_placeholder":true,"num":0}]`}, {"4x"}, {"4"},
	} {
		c := dial(t, server, "")
		for _, p := range packets {
			c.write(p)
		}
		for n := 0; ; n++ {
			if _, err := c.read(); err != nil {
				break
			}
			if n > len(packets) {
				t.Errorf("%v: the connection goes on", packets)
				break
			}
		}
	}
	eventually.Holds(t, "they are counted", func() bool {
		return k.Metric("strata_live_ended_total", "protocol", "socketio", "reason", "invalid") >= 7
	})
	large := connect(t, server, "")
	// The server need not take all of it before it ends the connection.
	_ = large.conn.Write(t.Context(), websocket.MessageText, []byte(`42["subscribe","`+strings.Repeat("x", 65<<10)+`"]`))
	if got, err := large.read(); err == nil {
		t.Errorf("after a message that is too large: got %s", got)
	}
	eventually.Holds(t, "nobody is counted", func() bool { return k.Metric("strata_live_subscribers") == 0 })
}

// A session begins with long polling and goes on over a WebSocket; nothing is lost or said twice.
func TestPollingAndUpgrade(t *testing.T) {
	t.Parallel()
	site, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	url := poll(t, server)
	send := func(body string) {
		t.Helper()
		if status, text := request(t, http.MethodPost, url, body); status != http.StatusOK || text != "ok" {
			t.Fatalf("%s: got %d %s", body, status, text)
		}
	}
	take := func(want string) {
		t.Helper()
		var got string
		for n := strings.Count(want, "\x1e") + 1; got == "" || strings.Count(got, "\x1e")+1 < n; {
			status, text := request(t, http.MethodGet, url, "")
			if status != http.StatusOK {
				t.Fatalf("got %d %s", status, text)
			}
			got = strings.TrimPrefix(got+"\x1e"+text, "\x1e")
		}
		if want, prefix := strings.CutSuffix(want, "…"); got != want && (!prefix || !strings.HasPrefix(got, want)) {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	send("40")
	take(`40{"sid":"…`)
	send("421[\"subscribe\",\"block\"]\x1e422[\"subscribe\",\"x\"]")
	take("431[null]\x1e432[\"Invalid topic: x\"]")
	site.Block(61)
	site.Tip(61)
	block := k.Get("/extended/v1/block/by_height/61").Body
	take(`42["block",` + block + `]`)

	// The upgrade. What comes in between is sent over either.
	ws := dial(t, server, url[strings.LastIndex(url, "&sid="):])
	ws.write("2probe")
	ws.want("3probe")
	take("6")
	ws.write("5")
	site.Block(62)
	site.Tip(62)
	ws.want(`42["block",` + k.Get("/extended/v1/block/by_height/62").Body + `]`)
	ws.write(`423["unsubscribe","block"]`)
	ws.want("433[null]")
	if status, _ := request(t, http.MethodGet, url, ""); status != http.StatusBadRequest {
		t.Errorf("polling goes on: got %d", status)
	}
	check.Equal(t, "sessions", k.Metric("strata_live_subscribers", "protocol", "socketio"), 1)
	ws.write("1")
	eventually.Holds(t, "the session is over", func() bool { return k.Metric("strata_live_subscribers") == 0 })
}

// A request that waits for packets is answered when its session ends.
func TestPollsEndWithTheirSession(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	url := poll(t, server)
	answer := make(chan string, 1)
	go func() {
		w, err := http.Get(url)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = w.Body.Close() }()
		text, _ := io.ReadAll(w.Body)
		answer <- fmt.Sprint(w.StatusCode, " ", string(text))
	}()
	// Another request at the same time is refused by the library, and so is what is no packet. Either ends the session.
	eventually.Holds(t, "it waits, and then it does not", func() bool {
		status, _ := request(t, http.MethodPost, url, "4nonsense")
		return status == http.StatusBadRequest
	})
	if got := <-answer; got != "200 1" && got != "200 6" && got != "200 6\x1e1" && !strings.HasPrefix(got, "400") {
		t.Errorf("got %q, want the end", got)
	}
	eventually.Holds(t, "nobody is counted", func() bool { return k.Metric("strata_live_subscribers") == 0 })
}

// A client that does not answer pings is dropped, over either transport.
func TestPings(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{PingInterval: 100 * time.Millisecond})
	connect(t, server, "")
	poll(t, server)
	eventually.Holds(t, "both are dropped", func() bool {
		return k.Metric("strata_live_ended_total", "protocol", "socketio", "reason", "silent") == 2
	})
}

// A client that takes nothing is cut off, over either transport, and one for which too much waits is, too.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	site, k, server := apitest.NewLiveWorld(t, readapi.Config{StreamWriteTimeout: 200 * time.Millisecond, PingInterval: time.Minute})
	connect(t, server, "&subscriptions=nft-event")
	url := poll(t, server)
	for _, body := range []string{"40", `42["subscribe","nft-event"]`} {
		if status, text := request(t, http.MethodPost, url, body); status != http.StatusOK {
			t.Fatalf("got %d %s", status, text)
		}
	}
	if status, text := request(t, http.MethodGet, url, ""); status != http.StatusOK {
		t.Fatalf("got %d %s", status, text)
	}
	site.Block(61)
	site.Mine(161, apitest.MinedTx{Tx: apitest.Transfer(t, 7), Events: []apitest.MinedEvent{
		{Kind: "nft_mint_event", Asset: apitest.Art, Recipient: apitest.Bob, Value: clarity.NewUint64(9)},
	}})
	site.Exec(`UPDATE chain_v1.event SET value = decode(repeat('00', 8000000), 'hex') WHERE source_seq = 161`) // more than any buffer in between holds
	site.Tip(61)
	eventually.Holds(t, "both are cut off", func() bool {
		return k.Metric("strata_live_ended_total", "protocol", "socketio", "reason", "stalled") == 2
	})
	check.Equal(t, "sessions", k.Metric("strata_live_subscribers"), 0)
}

// Sessions count as streams: as many may be open, and the next one is told when to come again.
func TestMost(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{StreamsMost: 1, StreamQueue: 1})
	c := connect(t, server, "")
	if status, text := request(t, http.MethodGet, server+path+"polling", ""); status != http.StatusServiceUnavailable {
		t.Errorf("got %d %s", status, text)
	}
	must.Do(t, c.conn.CloseNow())
	eventually.Holds(t, "there is room", func() bool { return k.Metric("strata_live_subscribers") == 0 })
	poll(t, server)
	check.Equal(t, "refused", k.Metric("strata_live_refused_total"), 1)
}
