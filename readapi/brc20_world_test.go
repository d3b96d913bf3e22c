package readapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/brc20"
	"strata/projections/follow"
	"strata/projections/inscriptions"
	"strata/projections/ordinals"
	"strata/readapi"
)

// tokenWorld is an API over tables that a feed about BRC-20 fills.
type tokenWorld struct {
	*ordinalsSite
	inscribed int            // so many, each on a sat of its own
	moved     int            // so often
	blocks    map[int]fields // by height
}

func newTokenWorld(t testing.TB) *tokenWorld {
	t.Helper()
	log := replay.NewLog(t)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond},
		projections.Feed(ordinals.New(nil), inscriptions.New(nil), brc20.New()))
	return &tokenWorld{ordinalsSite: &ordinalsSite{newSiteOn(t, log.Pool(), readapi.Config{}), log}, blocks: map[int]fields{}}
}

// tokenOperation is a transaction about a token.
type tokenOperation struct {
	feedTransaction
	operation fields
	kind      string
	tick, amt string
	address   string
	id        string
	number    int
	sat       int
}

func (w *tokenWorld) inscribe(kind, address string, members fields) tokenOperation {
	w.inscribed++
	tx := fmt.Sprintf("a%063x", w.inscribed)
	o := tokenOperation{kind: kind, address: address, id: tx + "i0", number: w.inscribed - 1, sat: 1_000_000 + w.inscribed}
	o.feedTransaction = inTx(tx, revealOf(tx, o.number, o.sat, fields{"inscriber_address": address, "content_type": "text/plain;charset=utf-8"}))
	o.operation = fields{kind: with(members, fields{"inscription_id": o.id, "address": address})}
	return o
}

func (w *tokenWorld) deploy(tick, most, limit, address string, others ...fields) tokenOperation {
	return w.inscribe("deploy", address, with(fields{"tick": tick, "max": most, "lim": limit, "dec": "18", "self_mint": false}, merge(others)))
}

func (w *tokenWorld) mint(tick, amt, address string) tokenOperation {
	return w.inscribe("mint", address, fields{"tick": tick, "amt": amt})
}

func (w *tokenWorld) transfer(tick, amt, address string) tokenOperation {
	o := w.inscribe("transfer", address, fields{"tick": tick, "amt": amt})
	o.tick, o.amt = tick, amt
	return o
}

// send moves an inscribed amount to an address.
func (w *tokenWorld) send(of tokenOperation, receiver string) tokenOperation {
	w.moved++
	tx := fmt.Sprintf("b%063x", w.moved)
	o := of
	o.kind = "transfer_send"
	o.feedTransaction = inTx(tx, moveOf(of.sat, receiver, tx+":0:0", 546, 0))
	o.operation = fields{"transfer_send": fields{
		"tick": of.tick, "amt": of.amt, "sender_address": of.address, "receiver_address": receiver, "inscription_id": of.id,
	}}
	return o
}

// tokenBlock is a block of such transactions.
func tokenBlock(height, time int, operations ...tokenOperation) fields {
	transactions := make([]feedTransaction, len(operations))
	for i, o := range operations {
		transactions[i] = o.feedTransaction
	}
	block := feedBlock(height, blockHashAt(height), time, transactions...)
	for i, t := range block["transactions"].([]fields) {
		t["metadata"].(fields)["brc20_operation"] = operations[i].operation
	}
	return block
}

func blockHashAt(height int) string { return fmt.Sprintf("%064x", height) }

// mine applies a block.
func (w *tokenWorld) mine(height int, operations ...tokenOperation) {
	w.t.Helper()
	w.blocks[height] = tokenBlock(height, defaultTime, operations...)
	w.apply(w.blocks[height])
}

// back takes blocks back.
func (w *tokenWorld) back(heights ...int) {
	w.t.Helper()
	var blocks []fields
	for _, height := range heights {
		blocks = append(blocks, w.blocks[height])
	}
	w.rollback(blocks...)
}

// whole is an amount of a token with 18 decimals.
func whole(amount string) string { return amount + "." + strings.Repeat("0", 18) }

// expectBalances checks the balances of an address: for each ticker what is available, transferrable and overall.
func (w *tokenWorld) expectBalances(query string, want ...string) {
	w.t.Helper()
	total, results := w.page("/brc-20/balances/" + query)
	got := []string{}
	for _, r := range results {
		got = append(got, fmt.Sprint(r["ticker"], " ", r["available_balance"], " ", r["transferrable_balance"], " ", r["overall_balance"]))
	}
	for i, row := range want {
		words := strings.Fields(row)
		want[i] = fmt.Sprint(words[0], " ", whole(words[1]), " ", whole(words[2]), " ", whole(words[3]))
	}
	if total != len(want) || !slices.Equal(got, want) {
		w.t.Errorf("balances %s: got total %d, %v; want %v", query, total, got, want)
	}
}

// expectToken checks members of the details of a token.
func (w *tokenWorld) expectToken(ticker string, token, supply fields) {
	w.t.Helper()
	details := w.json("/brc-20/tokens/" + ticker)
	w.expectMembers("token "+ticker, details["token"].(fields), token)
	w.expectMembers("supply of "+ticker, details["supply"].(fields), supply)
}

func (w *tokenWorld) expectNotFound(path string) {
	w.t.Helper()
	if got := w.get("/ordinals/v1" + path); got.status != 404 || got.body != `{"error":"Not found"}` {
		w.t.Errorf("%s: got %d %s", path, got.status, got.body)
	}
}
