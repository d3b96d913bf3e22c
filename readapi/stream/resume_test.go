package stream_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"strata/internal/testkit/check"
	"strata/readapi"
	"strata/rig/apitest"
)

// streamed asks for a stream from a position on, and takes what comes until so many named events have come.
func streamed(s *apitest.Site, base, target, from string, n int) (events []streamEvent) {
	s.T.Helper()
	c := &streamClient{t: s.T, url: base + target, last: from}
	stream := c.open(s.T.Context())
	if stream == nil {
		s.T.FailNow()
	}
	defer stream.close()
	late := time.AfterFunc(20*time.Second, stream.close)
	defer late.Stop()
	for len(events) < n {
		e, ok := stream.next()
		if !ok {
			s.T.Fatalf("%s from %q ended after %v, want %d events", target, from, events, n)
		}
		if e.name != "" {
			events = append(events, e)
		}
	}
	return events
}

// told writes events as what they say of which block.
func told(t *testing.T, events []streamEvent) string {
	t.Helper()
	var all []string
	for _, e := range events {
		var body struct {
			IndexBlockHash string `json:"index_block_hash"`
		}
		apitest.DecodeJSON(t, e.data, &body)
		all = append(all, e.name+" "+strings.TrimLeft(body.IndexBlockHash[len("0x1b"):], "0"))
	}
	return strings.Join(all, ", ")
}

func position(log, height, block string) string {
	return "log=" + log + "; height=" + height + "; index_block_hash=0x1b" + strings.Repeat("0", 62-len(block)) + block
}

// A position is good in an instance of chain that was built by other rules, too: what a client has that this one's steps never
// had is taken back.
func TestStreamsGoOnInAnotherInstance(t *testing.T) {
	t.Parallel()
	pool := apitest.Worlds.New(t)
	s := &apitest.Site{T: t, Pool: pool}
	// At 60 there was first the orphan that came with event 200.
	s.Orphan(200, 60)
	s.Exec(`UPDATE chain_v1.block SET parent_index_block_hash = $1 WHERE source_seq = 200`, apitest.ID(apitest.IndexHash, 59))
	s.Exec(`UPDATE chain_v1.step SET source_seq = 201, step = 53 WHERE step = 51`)
	s.Exec(`UPDATE chain_v1.canonical SET source_seq = 201 WHERE height = 60`)
	s.Exec(`INSERT INTO chain_v1.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash) VALUES (51, 60, 200, 1000, 200, 1, $1), (52, 60, 200, 1000, 201, -1, $1)`, apitest.ID(apitest.IndexHash, 200))
	s.Exec(`UPDATE strata.projection SET position = 201, log_seq = 201 WHERE name = 'chain'`)
	s.Exec(`UPDATE strata.projection SET position = 53 WHERE name = 'balances'`)
	k, server := apitest.NewLive(t, apitest.Readers(t, pool), readapi.Config{})
	for _, from := range []string{
		position("200", "60", "c8"), // it has the orphan
	} {
		check.Equal(t, fmt.Sprintf("from %s", from), told(t, streamed(k.Site, server, "/stream/v1/blocks", from, 2)), "revert c8, block 3c")
	}
	check.Equal(t, "from block 58", told(t, streamed(k.Site, server, "/stream/v1/blocks", position("158", "58", "3a"), 4)), "block 3b, block c8, revert c8, block 3c")
	// Of a client that left between the two steps of event 201.
	check.Equal(t, "from block 59", told(t, streamed(k.Site, server, "/stream/v1/blocks", position("201", "59", "3b"), 1)), "block 3c")

	// The other instance has never seen the orphan as the best block.
	follower := &streamClient{t: t, url: server + "/stream/v1/blocks", last: position("200", "60", "c8")}
	stream := follower.open(t.Context())
	defer stream.close()
	for range 3 { // the id at the beginning, and two events
		if _, ok := stream.next(); !ok {
			t.Fatal("the stream ended")
		}
	}
	socket := dial(t, server)
	socket.subscribe(`{"event":"block"}`)
	s.Exec(`CREATE SCHEMA chain_v2`)
	for _, table := range []string{"block", "canonical", "step", "transaction", "event", "contract", "gap", "burn_block", "microblock", "microblock_confirmation"} {
		s.Exec(`CREATE TABLE chain_v2.` + table + ` (LIKE chain_v1.` + table + ` INCLUDING ALL)`)
		s.Exec(`INSERT INTO chain_v2.` + table + ` SELECT * FROM chain_v1.` + table)
	}
	s.Exec(`DELETE FROM chain_v2.step WHERE step IN (51, 52)`)
	s.Exec(`UPDATE chain_v2.step SET step = 51, source_seq = 160 WHERE step = 53`)
	s.Exec(`UPDATE chain_v2.canonical SET source_seq = 160 WHERE height = 60`)
	s.Exec(`INSERT INTO strata.projection (name, version, input, state, position, log_seq, block_height, index_block_hash, block_hash, burn_block_height)
		SELECT name, 2, input, state, position, log_seq, block_height, index_block_hash, block_hash, burn_block_height FROM strata.projection WHERE name = 'chain'`)
	s.Exec(`UPDATE strata.active SET version = 2 WHERE name = 'chain'`)
	check.Equal(t, "in another instance", told(t, streamed(k.Site, server, "/stream/v1/blocks", position("200", "60", "c8"), 2)), "revert c8, block 3c")
	// Who was following goes on there, but for WebSockets, which have no position.
	if n, err := socket.next(); websocket.CloseStatus(err) != websocket.StatusServiceRestart || !strings.Contains(err.Error(), `"moved"`) {
		t.Errorf("the WebSocket: got %+v, %v", n, err)
	}
	s.Exec(`INSERT INTO chain_v2.block SELECT (jsonb_populate_record(b, jsonb_build_object('source_seq', 202, 'height', 61, 'index_block_hash', $1::text, 'block_hash', $1::text, 'parent_index_block_hash', $2::text))).* FROM chain_v2.block b WHERE source_seq = 160`,
		`\x`+apitest.ID(apitest.IndexHash, 61).String()[2:], `\x`+apitest.ID(apitest.IndexHash, 60).String()[2:])
	s.Exec(`INSERT INTO chain_v2.canonical VALUES (61, 202, 202)`)
	s.Exec(`INSERT INTO chain_v2.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash) VALUES (52, 61, 202, 1000, 202, 1, $1)`, apitest.ID(apitest.IndexHash, 61))
	s.Exec(`UPDATE strata.projection SET position = 202, log_seq = 202, block_height = 61 WHERE name = 'chain' AND version = 2`)
	var next []streamEvent
	for len(next) == 0 {
		e, ok := stream.next()
		if !ok {
			t.Fatal("the stream ended with the instance")
		}
		if e.name != "" {
			next = append(next, e)
		}
	}
	if got := told(t, next); got != "block 3d" {
		t.Errorf("who was following was told %s", got)
	}
}

// What is refused, before a stream begins.
func TestStreamRefusals(t *testing.T) {
	t.Parallel()
	k, _ := apitest.NewLive(t, apitest.Readers(t, apitest.Worlds.New(t)), readapi.Config{RequestTimeout: 200 * time.Millisecond})
	want := `want a position such as \"log=4711; height=1350; index_block_hash=0x00…\"`
	for from, message := range map[string]string{
		"x":                               want,
		"log=-1":                          want,
		"log=1; height=1":                 want,
		"log=9999999999999999999":         want,
		position("160", "60", "ffff"):     "there is no block",
		position("999", "60", "3c"):       "have not reached the position",
		position("160", "60", "3c") + " ": want,
	} {
		answers := []apitest.Reply{k.Request(http.MethodGet, "/stream/v1/blocks", "Last-Event-ID", from), k.Get("/stream/v1/blocks?from=" + url.QueryEscape(from))}
		if message != "there is no block" { // a balance is what it is, whatever branch the client was on
			answers = append(answers, k.Get("/stream/v1/principals/"+apitest.Alice+"/balances?from="+url.QueryEscape(from)))
		}
		status := http.StatusBadRequest
		if from == position("999", "60", "3c") { // a replica may lag
			status = http.StatusServiceUnavailable
		}
		for _, got := range answers {
			if status == http.StatusServiceUnavailable && got.Header.Get("Retry-After") == "" {
				t.Errorf("%q: 503 without Retry-After", from)
			}
			if got.Status != status || !strings.Contains(got.Body, message) || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%q: got %d %v %s, want %d with %s", from, got.Status, got.Header, got.Body, status, message)
			}
		}
	}
	for target, message := range map[string]string{
		"/stream/v1/principals/x/transactions":                                            "params/principal must match pattern",
		"/stream/v1/principals/SP000000000000000000002Q6VF79/balances":                    "invalid STX address",
		"/stream/v1/contracts/SP000000000000000000002Q6VF78.pox-4/events?topic=a&topic=b": "querystring/topic must be string",
		"/stream/v1/contracts/SP000000000000000000002Q6VF78.pox-4/events?topic=%00":       "querystring/topic must be string",
		"/stream/v1/blocks?from=" + strings.Repeat("1", 300):                              "querystring/from must NOT have more than",
		"/stream/v1/contracts/SP000000000000000000002Q6VF78.pox-4.x/events":               "invalid STX address",
	} {
		k.ExpectTexts(target, http.StatusBadRequest, message)
	}
	if got := k.Request(http.MethodHead, "/stream/v1/blocks"); got.Status != 200 || got.Header.Get("Content-Type") != "text/event-stream" ||
		got.Header.Get("Strata-Position") != position("160", "60", "3c") || got.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("HEAD: got %d %v", got.Status, got.Header)
	}
	idle := apitest.NewSiteOn(t, k.Pool, readapi.Config{}) // nobody runs it
	if got := idle.Get("/stream/v1/blocks"); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("without anybody who follows: got %d %v", got.Status, got.Header)
	}
}
