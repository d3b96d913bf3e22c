package stream_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"strata/domain/clarity"
	"strata/domain/hash"
	signed "strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

// What a client may say, and what is answered.
func TestSocketRequests(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	c := dial(t, server)
	const tx = "0x7700000000000000000000000000000000000000000000000000000000000001"
	failure := func(id string, code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":"%s"},"id":%s}`, code, message, id)
	}
	ask := func(id, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, id, method, params)
	}
	result := func(id, result string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","result":%s,"id":%s}`, result, id)
	}
	const noName, badName, parse, request = "subscription requests must include an event name", "subscription request must use a valid event name", "Parse error", "Invalid Request"
	marker := 1_000_000
	for _, tc := range []struct{ ask, want string }{
		{ask("1", "subscribe", `{"event":"block"}`), result("1", `{}`)},
		{ask(`"a"`, "subscribe", `{"event":"block"}`), result(`"a"`, `{}`)}, // again
		{ask("1e2", "subscribe", `{"event":"microblock"}`), result("1e2", `{}`)},
		{ask("null", "subscribe", `{"event":"mempool"}`), result("null", `{}`)},
		{ask("2", "subscribe", `{"event":"tx_update","tx_id":"`+tx+`"}`), result("2", `{"tx_id":"`+tx+`"}`)},
		{ask("2", "subscribe", `{"event":"tx_update","tx_id":"`+strings.ToUpper(tx[2:])+`"}`), result("2", `{"tx_id":"`+tx+`"}`)},
		{ask("2", "subscribe", `{"event":"address_tx_update","address":"`+apitest.Alice+`"}`), result("2", `{"address":"`+apitest.Alice+`"}`)},
		{ask("2", "subscribe", `{"event":"address_balance_update","address":"`+apitest.Alice+`.coin"}`), result("2", `{"address":"`+apitest.Alice+`.coin"}`)},
		{ask("2", "subscribe", `{"event":"nft_event"}`), result("2", `{}`)},
		{ask("2", "subscribe", `{"event":"nft_asset_event","asset_identifier":"`+apitest.Art+`","value":"0x0100000000000000000000000000000001"}`),
			result("2", `{"asset_identifier":"`+apitest.Art+`","value":"0x0100000000000000000000000000000001"}`)},
		{ask("2", "subscribe", `{"event":"nft_collection_event","asset_identifier":"`+apitest.Art+`"}`), result("2", `{"asset_identifier":"`+apitest.Art+`"}`)},
		{ask("3", "unsubscribe", `{"event":"block"}`), result("3", `{}`)},
		{ask("3", "unsubscribe", `{"event":"block"}`), result("3", `{}`)}, // it is not there any more
		{ask("3", "unsubscribe", `{"event":"address_tx_update","address":"`+apitest.Bob+`"}`), result("3", `{"address":"`+apitest.Bob+`"}`)},

		{ask("4", "subscribe", `{}`), failure("4", -32602, noName)},
		{ask("4", "subscribe", `{"event":null}`), failure("4", -32602, noName)},
		{ask("4", "subscribe", `[]`), failure("4", -32602, noName)},
		{ask("4", "subscribe", `null`), failure("4", -32602, noName)},
		{`{"jsonrpc":"2.0","id":4,"method":"unsubscribe"}`, failure("4", -32602, noName)},
		{ask("4", "subscribe", `{"event":"blocks"}`), failure("4", -32602, badName)},
		{ask("4", "subscribe", `{"event":5}`), failure("4", -32602, badName)},
		{ask("4", "subscribe", `{"event":"tx_update"}`), failure("4", -32602, "invalid tx_id")},
		{ask("4", "subscribe", `{"event":"tx_update","tx_id":"`+tx+`00"}`), failure("4", -32602, "invalid tx_id")},
		{ask("4", "subscribe", `{"event":"tx_update","tx_id":7}`), failure("4", -32602, "invalid tx_id")},
		{ask("4", "subscribe", `{"event":"address_tx_update","address":"`+apitest.Alice[:27]+`"}`), failure("4", -32602, "invalid address")},
		{ask("4", "unsubscribe", `{"event":"address_balance_update","address":""}`), failure("4", -32602, "invalid address")},
		{ask("4", "subscribe", `{"event":"nft_asset_event","asset_identifier":"`+apitest.Art+`","value":"1"}`), failure("4", -32602, "invalid value")},
		{ask("4", "subscribe", `{"event":"nft_collection_event","asset_identifier":"`+apitest.Alice+`"}`), failure("4", -32602, "invalid asset_identifier")},
		{ask("5", "publish", `{}`), failure("5", -32601, "Method not found")},
		{`{`, failure("null", -32700, parse)},
		{``, failure("null", -32700, parse)},
		{"\xff", failure("null", -32700, parse)},
		{`5`, failure("null", -32600, request)},
		{`{"id":5,"method":"subscribe"}`, failure("null", -32600, request)},
		{`{"jsonrpc":"2.0","id":5}`, failure("null", -32600, request)},
		{ask("{}", "subscribe", `{"event":"block"}`), failure("null", -32600, request)},

		{`[` + ask("6", "subscribe", `{"event":"block"}`) + `,` + ask("7", "x", `{}`) + `,{"jsonrpc":"2.0","method":"subscribe","params":{}},8]`,
			`[` + result("6", `{}`) + `,` + failure("7", -32601, "Method not found") + `,` + failure("null", -32600, request) + `]`},
		{`[]`, failure("null", -32600, request)},
		{`[` + strings.Repeat("1,", 100) + `1]`, failure("null", -32600, request)},

		// To notifications and responses there is no answer.
		{`{"jsonrpc":"2.0","method":"subscribe","params":{"event":"block"}}`, ""},
		{`{"jsonrpc":"2.0","method":"x"}`, ""},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, ""},
		{`[{"jsonrpc":"2.0","method":"x"}]`, ""},
	} {
		c.write(tc.ask)
		if tc.want == "" {
			marker++
			c.write(ask(fmt.Sprint(marker), "x", `{}`))
			tc.want = failure(fmt.Sprint(marker), -32601, "Method not found")
		}
		check.Equal(t, tc.ask, c.mustRead(), tc.want)
	}

	full := dial(t, server)
	for i := range 1000 {
		full.subscribe(fmt.Sprintf(`{"event":"tx_update","tx_id":"0x%064x"}`, i))
	}
	if got := full.call("subscribe", `{"event":"block"}`); !strings.Contains(got, "-32000") {
		t.Errorf("the 1001st subscription: got %s", got)
	}
	full.subscribe(fmt.Sprintf(`{"event":"tx_update","tx_id":"0x%064x"}`, 999)) // which is there
	full.call("unsubscribe", fmt.Sprintf(`{"event":"tx_update","tx_id":"0x%064x"}`, 5))
	full.subscribe(`{"event":"block"}`)
	full.write(`"` + strings.Repeat("x", 64<<10) + `"`)
	if _, err := full.read(); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("after a message that is too large: got %v", err)
	}
	eventually.Holds(t, "that connection is gone", func() bool {
		return k.Metric("strata_live_ended_total", "protocol", "websocket", "reason", "gone") == 1
	})
}

// What is no WebSocket is told so.
func TestSocketRefusals(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if got := k.Request(method, "/extended/v1/ws"); got.Status != http.StatusUpgradeRequired || got.Header.Get("Upgrade") != "websocket" {
			t.Errorf("%s: got %d %v", method, got.Status, got.Header)
		}
	}
	for _, header := range []string{
		"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
		"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x",
		"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
		"Upgrade: h2c\r\nConnection: Upgrade",
	} {
		conn := must.Get(net.Dial("tcp", strings.TrimPrefix(server, "http://")))(t)
		must.Get(fmt.Fprintf(conn, "GET /extended/v1/ws HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", header))(t)
		status, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.HasPrefix(status, "HTTP/1.1 4") {
			t.Errorf("%s: got %q %v, want 4xx", header, status, err)
		}
		_ = conn.Close()
	}
	eventually.Holds(t, "nobody is counted", func() bool { return k.Metric("strata_live_subscribers") == 0 })
}

// A client that does not answer pings is dropped, and one that does stays.
func TestSocketPings(t *testing.T) {
	t.Parallel()
	_, k, server := apitest.NewLiveWorld(t, readapi.Config{PingInterval: 2 * time.Second}) // time enough to answer on a busy machine
	stays := dial(t, server)
	gone := make(chan error, 1)
	go func() {
		_, err := stays.read() // which answers pings
		gone <- err
	}()
	dial(t, server) // who does not read does not
	eventually.Holds(t, "the one that is silent is dropped", func() bool { return k.Metric("strata_live_ended_total", "reason", "silent") == 1 })
	select {
	case err := <-gone:
		t.Errorf("the one that answers is gone: %v", err)
	default: // it has answered as many pings as the other did not
	}
	check.Equal(t, "connections", k.Metric("strata_live_subscribers", "protocol", "websocket"), 1)
}

// Each event in its shape, and the revert of its block.
func TestSocketEvents(t *testing.T) {
	t.Parallel()
	s, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	c := dial(t, server)
	tx, sponsored := apitest.Transfer(t, 7), apitest.Transfer(t, 8)
	sponsored.Sponsor = &signed.SpendingCondition{Signer: hash.Hash20{19: 3}, Nonce: 5, Fee: 77}
	token := clarity.NewUint64(9)
	value := fmt.Sprintf("0x%X", token.Encode())
	for _, params := range []string{
		`{"event":"block"}`, `{"event":"microblock"}`, `{"event":"nft_event"}`,
		`{"event":"tx_update","tx_id":"` + tx.TxID().String() + `"}`,
		`{"event":"address_tx_update","address":"` + apitest.Alice + `"}`,
		`{"event":"address_tx_update","address":"` + apitest.Carol + `"}`, // who sponsors
		`{"event":"nft_asset_event","asset_identifier":"` + apitest.Art + `","value":"` + value + `"}`,
		`{"event":"nft_asset_event","asset_identifier":"` + apitest.Art + `","value":"0x0100000000000000000000000000000001"}`,
		`{"event":"nft_collection_event","asset_identifier":"` + apitest.Art + `"}`,
		`{"event":"nft_collection_event","asset_identifier":"` + apitest.Old + `"}`,
	} {
		c.subscribe(params)
	}
	s.Block(61)
	s.Mine(161,
		apitest.MinedTx{Tx: tx, Events: []apitest.MinedEvent{
			{Kind: "stx_transfer_event", Amount: 5, Sender: apitest.Alice, Recipient: apitest.Bob},
			{Kind: "stx_mint_event", Amount: 7, Recipient: apitest.Alice},
			{Kind: "nft_transfer_event", Asset: apitest.Art, Sender: apitest.Alice, Recipient: apitest.Bob, Value: token},
		}},
		apitest.MinedTx{Tx: sponsored})
	s.Exec(`UPDATE chain_v1.transaction SET sponsor = $1 WHERE source_seq = 161 AND tx_index = 1`, apitest.Carol)
	s.Tip(61)
	var methods []string
	bodies, times := map[string]string{}, map[string]int{}
	read := func(n int) {
		t.Helper()
		for range n {
			told, err := c.next()
			if err != nil {
				t.Fatalf("after %v: %v", methods, err)
			}
			methods = append(methods, told.Method)
			times[told.Method]++
			bodies[fmt.Sprint(told.Method, " ", times[told.Method])] = string(told.Params)
		}
	}
	read(8)
	want := "block address_tx_update tx_update nft_event nft_collection_event nft_asset_event address_tx_update address_tx_update"
	if got := strings.Join(methods, " "); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	check.Equal(t, "block", k.Get("/extended/v1/block/by_height/61").Body, bodies["block 1"])
	if got := k.Get("/extended/v1/tx/block_height/61").Body; !strings.Contains(got, bodies["tx_update 1"]) {
		t.Errorf("tx_update: got %s, want one of %s", bodies["tx_update 1"], got)
	}
	apitest.Golden(t, "live_address_tx_update", bodies["address_tx_update 1"])
	apitest.Golden(t, "live_address_tx_update_sponsor", bodies["address_tx_update 3"])
	for _, method := range []string{"nft_event", "nft_collection_event", "nft_asset_event"} {
		apitest.Golden(t, "live_nft_event", bodies[method+" 1"])
	}

	// Another block takes its place.
	methods = nil
	s.Orphan(200, 61)
	s.Exec(`INSERT INTO chain_v1.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash) VALUES (53, 61, 161, 1000, 200, -1, $1), (54, 61, 200, 1000, 200, 1, $2)`, apitest.ID(apitest.IndexHash, 61), apitest.ID(apitest.IndexHash, 200))
	s.Exec(`UPDATE chain_v1.canonical SET block_seq = 200, source_seq = 200 WHERE height = 61`)
	s.Exec(`UPDATE strata.projection SET position = 54 WHERE name = 'balances'`)
	s.Exec(`UPDATE strata.projection SET position = 200, log_seq = 200 WHERE name = 'chain'`)
	read(2)
	check.Equal(t, "another block", strings.Join(methods, " "), "revert block")
	wantRevert := fmt.Sprintf(`{"height":61,"hash":"%s","index_block_hash":"%s","parent_index_block_hash":"%s"}`, apitest.ID(apitest.BlockHash, 61), apitest.ID(apitest.IndexHash, 61), apitest.ID(apitest.IndexHash, 60))
	check.Equal(t, "revert", bodies["revert 1"], wantRevert)
}
