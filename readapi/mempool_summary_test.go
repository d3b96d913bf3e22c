package readapi_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/clarity"
	signed "strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestMempoolSummary looks at percentiles of an empty mempool, and of one with transactions that came at two heights.
func TestMempoolSummary(t *testing.T) {
	t.Parallel()
	const target, none = "/extended/v3/mempool", `"p25":null,"p50":null,"p75":null,"p95":null`
	metrics := func(count, fee, size, receivedAt, height string) string {
		return `"count":` + count + `,"fee_rate":{` + fee + `},"tx_size":{` + size + `},"receipt_time":{` + receivedAt + `},"receipt_block_height":{` + height + `}`
	}
	nothing := metrics("0", none, none, none, none)
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), mempool.New())
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
	empty := `{` + nothing + `,"by_type":{"token_transfer":{` + nothing + `},"smart_contract":{` + nothing + `},"contract_call":{` + nothing + `}}}`
	if r := s.Get(target); r.Status != 200 || r.Body != empty {
		t.Errorf("got %d %s, want %s", r.Status, r.Body, empty)
	}

	paying := func(tx *signed.Transaction, fee uint64) *signed.Transaction {
		tx.Origin.Fee = fee
		return tx
	}
	var transfers []*signed.Transaction
	for i, fee := range []uint64{2000, 50, 400, 100, 1000, 300, 200} {
		transfers = append(transfers, paying(apitest.Transfer(t, uint64(i)), fee))
	}
	call := paying(apitest.Call(t, 7, apitest.Alice+".coin", "transfer", clarity.NewUint64(5)), 18_446_744_073_709_551_615)
	old := paying(apitest.From(t, 3, 0, &signed.SmartContract{ContractName: "old", Code: []byte("(ok u1)")}), 180)
	versioned := paying(apitest.From(t, 3, 1, &signed.VersionedSmartContract{ClarityVersion: 3, SmartContract: signed.SmartContract{ContractName: "fresh", Code: []byte("(ok u1)")}}), 190)
	poison := paying(apitest.From(t, 3, 2, &signed.PoisonMicroblock{}), 7)
	blocks := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000})
	var tips []int64
	for _, announced := range [][]*signed.Transaction{transfers, {call, old, versioned, poison}} {
		replay.Append(t, log, replay.Take(5, blocks.Next)...)
		replay.Wait(t, log)
		tips = append(tips, int64(s.Object("/extended/v1/block?limit=1")["results"].([]any)[0].(map[string]any)["height"].(float64)))
		replay.Append(t, log, apitest.Announce(announced...))
	}
	replay.Wait(t, log)
	if tips[0] >= tips[1] {
		t.Fatalf("the announcements came at the heights %v", tips)
	}
	var stats struct {
		Counts map[string]int `json:"tx_type_counts"`
	}
	s.Decode("/extended/v1/tx/mempool/stats", &stats)
	if stats.Counts["poison_microblock"] != 1 {
		t.Fatalf("got %v waiting: no transaction of another type is left out", stats.Counts)
	}
	received := func(tx *signed.Transaction) string {
		return fmt.Sprintf("%.f", s.Object("/extended/v1/tx/" + tx.TxID().String())["receipt_time"])
	}
	size := func(tx *signed.Transaction) string { return fmt.Sprint(len(tx.Encode())) }
	four := func(p25, p50, p75, p95 string) string {
		return `"p25":` + p25 + `,"p50":` + p50 + `,"p75":` + p75 + `,"p95":` + p95
	}
	all := func(value string) string { return four(value, value, value, value) }
	first, second, early, late := fmt.Sprint(tips[0]), fmt.Sprint(tips[1]), received(transfers[0]), received(call)
	transferred := metrics("7", four(`"100"`, `"300"`, `"1000"`, `"2000"`), all(size(transfers[0])), all(early), all(first))
	deployed := metrics("2", four(`"180"`, `"180"`, `"190"`, `"190"`), four(size(old), size(old), size(versioned), size(versioned)), all(late), all(second))
	called := metrics("1", all(`"18446744073709551615"`), all(size(call)), all(late), all(second))
	body := s.Get(target).Body
	for _, want := range []string{
		`{"count":10,"fee_rate":{` + four(`"180"`, `"200"`, `"1000"`, `"18446744073709551615"`) + `},`,
		`"receipt_time":{` + four(early, early, late, late) + `},"receipt_block_height":{` + four(first, first, second, second) + `},"by_type":{`,
		`"by_type":{"token_transfer":{` + transferred + `},"smart_contract":{` + deployed + `},"contract_call":{` + called + `}}}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
}
