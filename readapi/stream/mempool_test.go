package stream_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	signed "strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/projections/balances"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// mempoolEvents takes named events of a stream until so many have come.
func (s *openStream) mempoolEvents(n int) (events []streamEvent) {
	s.client.t.Helper()
	late := time.AfterFunc(20*time.Second, s.close)
	defer late.Stop()
	for len(events) < n {
		e, ok := s.next()
		if !ok {
			s.client.t.Fatalf("the stream ended after %v, want %d events", events, n)
		}
		if e.name != "" {
			events = append(events, e)
		}
	}
	return events
}

// say writes events as what they say of which transaction, sorted.
func say(t *testing.T, events []streamEvent) string {
	t.Helper()
	var all []string
	for _, e := range events {
		var tx struct {
			ID       string  `json:"tx_id"`
			Status   string  `json:"tx_status"`
			Replaced *string `json:"replaced_by_tx_id"`
		}
		apitest.DecodeJSON(t, e.data, &tx)
		text := strings.TrimSpace(e.name + " " + tx.Status + " " + tx.ID)
		if tx.Replaced != nil {
			text += " for " + *tx.Replaced
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// What comes into the mempool and leaves it is told, also to who was away; and after too long what waits is told anew.
func TestMempoolStream(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	stop := replay.Start(t, log, apitest.NewChain(t), balances.New(nil), mempool.New())
	made := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000, MempoolProbability: 1})
	posts := func(n int) {
		all := replay.Take(n, made.Next)
		replay.Append(t, log, all...)
		replay.Wait(t, log)
	}
	posts(20)
	k, server := apitest.NewLive(t, apitest.Readers(t, log.Pool()), readapi.Config{})
	socket := dial(t, server)
	client := &streamClient{t: t, url: server + "/stream/v1/mempool"}
	stream := client.open(t.Context())
	check := func(what, got string, want ...string) {
		t.Helper()
		if joined := strings.Join(slices.Sorted(slices.Values(want)), "\n"); got != joined {
			t.Errorf("%s: got\n%s\nwant\n%s", what, got, joined)
		}
	}
	one, two, by := apitest.Transfer(t, 3), apitest.Transfer(t, 4), apitest.Transfer(t, 3)
	by.Origin.Fee = 999
	id := func(tx *signed.Transaction) string { return tx.TxID().String() }
	socket.subscribe(`{"event":"mempool"}`)
	socket.subscribe(`{"event":"tx_update","tx_id":"` + id(one) + `"}`)

	// The WebSocket has each state before the next one comes: it is told how things are when they are looked at.
	var sockets []string
	hear := func(messages int) {
		t.Helper()
		for range messages {
			n, err := socket.next()
			if err != nil {
				t.Fatalf("%v; the WebSocket was told %v", err, sockets)
			}
			sockets = append(sockets, n.Method+" "+strings.TrimPrefix(say(t, []streamEvent{{data: string(n.Params)}}), " "))
		}
	}

	replay.Append(t, log, apitest.Announce(one, two))
	events := stream.mempoolEvents(2)
	hear(3)
	check("announced", say(t, events), "transaction pending "+id(one), "transaction pending "+id(two))
	list := k.Get("/extended/v1/tx/mempool").Body
	for _, e := range events {
		if !strings.Contains(list, e.data) {
			t.Errorf("got %s, which is not in %s", e.data, list)
		}
	}
	before := client.last
	replay.Append(t, log, apitest.Dropped("ReplaceByFee", by, one))
	check("dropped", say(t, stream.mempoolEvents(1)), "transaction dropped_replace_by_fee "+id(one)+" for "+id(by))
	hear(1)
	replay.Append(t, log, apitest.Announce(by), apitest.Announce(one))
	check("comes back", say(t, stream.mempoolEvents(2)), "transaction pending "+id(by), "transaction pending "+id(one))
	hear(3)
	stream.close()
	slices.Sort(sockets)
	check("the WebSocket", strings.Join(sockets, "\n"), "mempool pending "+id(one), "mempool pending "+id(two), "mempool pending "+id(by), "mempool pending "+id(one),
		"tx_update pending "+id(one), "tx_update dropped_replace_by_fee "+id(one)+" for "+id(by), "tx_update pending "+id(one))

	// Who was away is told of each once, as it is now.
	replay.Append(t, log, apitest.Dropped("TooExpensive", nil, two))
	var many []*signed.Transaction
	var want []string
	for i := range 3 {
		var some []*signed.Transaction
		for n := range 150 {
			tx := apitest.Transfer(t, uint64(1000*(i+1)+n))
			some = append(some, tx)
			want = append(want, "transaction pending "+id(tx))
		}
		replay.Append(t, log, apitest.Announce(some...))
		many = append(many, some...)
	}
	replay.Wait(t, log)
	check("changes since", say(t, streamed(k.Site, server, "/stream/v1/mempool", before, len(many)+3)),
		append(want, "transaction pending "+id(one), "transaction pending "+id(by), "transaction dropped_too_expensive "+id(two))...)

	// From the beginning, and after too long, what waits is told anew.
	waiting := []string{"transaction pending " + id(one), "transaction pending " + id(by)}
	anew := func(from string) {
		t.Helper()
		var others []string
		for _, other := range k.Waiting() {
			if !strings.Contains(strings.Join(append(want, waiting...), " "), other) {
				others = append(others, "transaction pending "+other)
			}
		}
		all := slices.Concat(want, waiting, others)
		told := streamed(k.Site, server, "/stream/v1/mempool", from, len(all)+1)
		var reset struct{ Pending int }
		if err := json.Unmarshal([]byte(told[0].data), &reset); err != nil || told[0].name != "reset" || reset.Pending != len(all) {
			t.Errorf("from %q: began with %+v, want reset with %d", from, told[0], len(all))
		}
		check("from "+from, say(t, told[1:]), all...)
	}
	anew("log=0")

	// A block has some of what waits.
	now := &streamClient{t: t, url: server + "/stream/v1/mempool"}
	stream = now.open(t.Context())
	pending := map[string]bool{}
	posts(30)
	for mined := 0; mined < 5; {
		for _, e := range stream.mempoolEvents(1) {
			var tx struct {
				ID     string `json:"tx_id"`
				Status string `json:"tx_status"`
				Height int    `json:"block_height"`
				Block  string `json:"block_hash"`
			}
			apitest.DecodeJSON(t, e.data, &tx)
			pending[tx.ID] = pending[tx.ID] || tx.Status == "pending"
			if e.name != "mined" {
				continue
			}
			mined++
			var shown struct {
				Height int    `json:"block_height"`
				Block  string `json:"block_hash"`
			}
			apitest.DecodeJSON(t, k.Get("/extended/v1/tx/"+tx.ID).Body, &shown)
			if shown.Height != tx.Height || shown.Block != tx.Block {
				t.Errorf("got %s, and the transaction is in %+v", e.data, shown)
			}
		}
	}
	stream.close()
	if len(pending) == 0 {
		t.Error("nothing was announced before it was mined")
	}

	stop()
	(&apitest.Site{T: t, Pool: log.Pool()}).Exec(schemas.In(`INSERT INTO {mempool}.horizon SELECT 1, max(burn_block_height) - 127 FROM {mempool}.block ON CONFLICT (single) DO UPDATE SET forgotten_below = excluded.forgotten_below`))
	anew(client.last)
	if got := k.Request("GET", "/stream/v1/mempool", "Last-Event-ID", position("5", "1", "ffff")); got.Status != 400 || !strings.Contains(got.Body, "there is no block") {
		t.Errorf("from another archive: got %d %s", got.Status, got.Body)
	}
	if got := k.Request("HEAD", "/stream/v1/mempool"); got.Status != 200 || got.Header.Get("Strata-Position") == "" {
		t.Errorf("HEAD: got %d %v", got.Status, got.Header)
	}
}
