package readapi_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/hash"
	signed "strata/domain/transaction"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// mempoolSite is an API on a chain of some blocks and what nodes have announced on top of it.
type mempoolSite struct {
	*apitest.Site
	events *eventstore.Log
	// waiting are ids, the newest first.
	waiting                                     []string
	replaced, by, sponsored, call, deploy, gone *signed.Transaction
}

func newMempoolSite(t testing.TB) *mempoolSite {
	t.Helper()
	s := &mempoolSite{events: replay.NewLog(t)}
	stop := replay.Start(t, s.events, apitest.NewChain(t), accounts.New(), balances.New(nil), mempool.New())
	made := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000})
	posts := replay.Take(10, made.Next)
	s.by = apitest.Transfer(t, 3)
	s.by.Origin.Fee = 999
	s.replaced = apitest.Transfer(t, 3)
	s.gone = apitest.Transfer(t, 4)
	s.sponsored = apitest.Transfer(t, 5)
	s.sponsored.Sponsor = &signed.SpendingCondition{Signer: hash.Hash20{19: 2}, Nonce: 7, Fee: 77}
	s.call = apitest.Call(t, 6, apitest.Alice+".coin", "transfer", clarity.NewUint64(5))
	s.deploy = apitest.From(t, 3, 0, &signed.VersionedSmartContract{ClarityVersion: 3, SmartContract: signed.SmartContract{ContractName: "fresh", Code: []byte("(ok u1)")}})
	posts = append(posts, apitest.Announce(s.replaced, s.gone), apitest.Announce(s.sponsored, s.call, s.deploy),
		apitest.Dropped("ReplaceByFee", s.by, s.replaced), apitest.Announce(s.by), apitest.Dropped("TooExpensive", nil, s.gone))
	for _, tx := range []*signed.Transaction{s.by, s.sponsored, s.call, s.deploy} {
		s.waiting = append(s.waiting, tx.TxID().String())
	}
	replay.Append(t, s.events, posts...)
	replay.Wait(t, s.events)
	stop()
	s.Site = apitest.NewSiteOn(t, s.events.Pool(), readapi.Config{})
	slices.Sort(s.waiting)
	slices.Reverse(s.waiting) // all were received at once
	return s
}

// page is what lists have in common.
type mempoolPage struct {
	Total   int
	Cursor  struct{ Next, Previous, Current *string }
	Results []struct {
		ID      string `json:"tx_id"`
		Fee     string `json:"fee_rate"`
		Receipt int64  `json:"receipt_time"`
	}
}

func (s *mempoolSite) page(target string) (p mempoolPage, ids []string) {
	s.T.Helper()
	s.Decode(target, &p)
	for _, row := range p.Results {
		ids = append(ids, row.ID)
	}
	return p, ids
}

func TestMempool(t *testing.T) {
	t.Parallel()
	s := newMempoolSite(t)
	same := func(target string, total int, want ...*signed.Transaction) {
		t.Helper()
		p, got := s.page(target)
		var ids []string
		for _, tx := range want {
			ids = append(ids, tx.TxID().String())
		}
		slices.Sort(ids)
		sorted := slices.Sorted(slices.Values(got))
		if p.Total != total || !slices.Equal(sorted, ids) {
			t.Errorf("%s: got %d of %d: %v, want %d of %d: %v", target, len(got), p.Total, sorted, len(ids), total, ids)
		}
	}
	const list = "/extended/v1/tx/mempool"
	same(list, 4, s.by, s.sponsored, s.call, s.deploy)
	same(list+"/dropped", 2, s.replaced, s.gone)
	same(list+"?sender_address="+apitest.Alice, 3, s.by, s.sponsored, s.call)
	same(list+"?recipient_address="+apitest.Bob, 2, s.by, s.sponsored)
	same(list+"?recipient_address="+apitest.Alice+".coin", 1, s.call)
	same(list+"?address="+apitest.Carol, 1, s.deploy)
	same(list+"?address="+apitest.Carol+".fresh", 1, s.deploy)
	same(list+"?sender_address="+apitest.Alice+"&recipient_address="+apitest.Bob, 2, s.by, s.sponsored)
	same(list+"?order_by=fee&limit=1", 4, s.by)
	same(list+"?order_by=fee&order=asc&limit=1", 4, s.sponsored)
	same(list+"?order_by=size&limit=1", 4, s.sponsored)
	same(list+"?offset=4", 4)
	same("/extended/v1/address/"+apitest.Bob+"/mempool", 2, s.by, s.sponsored)
	same("/extended/v3/principals/"+apitest.Alice+"/mempool/transactions?limit=50", 3, s.by, s.sponsored, s.call)

	// Walked in any way, a list has each transaction once, in its order.
	var byOffset []string
	for offset := range 5 {
		_, ids := s.page(fmt.Sprintf("%s?limit=1&offset=%d", list, offset))
		byOffset = append(byOffset, ids...)
	}
	var byCursor, previous []string
	for target := "/extended/v3/mempool/transactions?limit=1"; ; {
		p, ids := s.page(target)
		byCursor = append(byCursor, ids...)
		if p.Cursor.Previous != nil {
			_, before := s.page("/extended/v3/mempool/transactions?limit=1&cursor=" + strings.Replace(*p.Cursor.Previous, "0x", "", 1))
			previous = append(previous, before...)
		}
		if p.Cursor.Next == nil {
			break
		}
		target = "/extended/v3/mempool/transactions?limit=1&cursor=" + *p.Cursor.Next
	}
	for name, got := range map[string][]string{"offsets": byOffset, "cursors": byCursor} {
		check.EqualSlices(t, fmt.Sprintf("by %s", name), got, s.waiting)
	}
	check.EqualSlices(t, "back", previous, s.waiting[:3])

	for name, target := range map[string]string{
		"mempool_pending":   "/extended/v1/tx/" + s.by.TxID().String(),
		"mempool_replaced":  "/extended/v1/tx/" + s.replaced.TxID().String(),
		"mempool_sponsored": "/extended/v1/tx/" + s.sponsored.TxID().String(),
		"mempool_v3":        "/extended/v3/transactions/" + s.replaced.TxID().String() + "?include=post_conditions",
		"mempool_v3_deploy": "/extended/v3/transactions/" + s.deploy.TxID().String() + "?include=source_code",
		"mempool_list_v3":   "/extended/v3/mempool/transactions?limit=2",
		"mempool_stats":     list + "/stats",
		"mempool_fees":      "/extended/v2/mempool/fees",
		"mempool_multiple":  "/extended/v1/tx/multiple?tx_id=" + s.gone.TxID().String() + ",0x" + strings.Repeat("00", 32),
		"mempool_contract":  "/extended/v2/smart-contracts/status?contract_id=" + apitest.Carol + ".fresh&contract_id=" + apitest.Carol + ".none",
		"mempool_balance":   "/extended/v2/addresses/" + apitest.Alice + "/balances/stx?include_mempool=true",
		"mempool_receiver":  "/extended/v1/address/" + apitest.Bob + "/stx",
	} {
		r := s.Get(target)
		if r.Status != 200 {
			t.Errorf("%s: got %d %s", target, r.Status, r.Body)
			continue
		}
		s.Golden(name, r.Body)
	}
	for term, want := range map[string]string{
		s.call.TxID().String(): `{"found":true,"result":{"entity_id":"` + s.call.TxID().String() + `","entity_type":"mempool_tx_id","tx_data":{"tx_type":"contract_call"}}}`,
		apitest.Carol + ".fresh": `{"found":true,"result":{"entity_id":"` + apitest.Carol + `.fresh","entity_type":"contract_address","tx_data":{"tx_type":"smart_contract","tx_id":"` +
			s.deploy.TxID().String() + `"}}}`,
		s.gone.TxID().String():                          `"entity_type":"unknown_hash"`,
		s.by.TxID().String() + "?include_metadata=true": `"tx_data":{"tx_type":"token_transfer"},"metadata":{"tx_id":"` + s.by.TxID().String() + `"`,
		apitest.Carol + ".fresh?include_metadata=true":  `"metadata":{"tx_id":"` + s.deploy.TxID().String() + `"`,
		apitest.Alice + ".coin":                         `"found":false`, // it is called, and not deployed
	} {
		if r := s.Get("/extended/v1/search/" + term); !strings.Contains(r.Body, want) {
			t.Errorf("search for %s: got %d %s, want %s", term, r.Status, r.Body, want)
		}
	}
	if r := s.Get("/extended/v1/tx/" + s.gone.TxID().String() + "/raw"); r.Body != `{"raw_tx":"0x`+hex.EncodeToString(s.gone.Encode())+`"}` {
		t.Errorf("got %d %s", r.Status, r.Body)
	}
	s.ExpectTexts("/audit/v1/trace?path="+"/extended/v1/tx/"+s.replaced.TxID().String(), 200, `"pointers":["/0"]`)
	for target, want := range map[string]string{
		list + "?address=x": `Error: Invalid query parameter: \"x\" is not a valid STX address or principal`,
		list + "?address=" + apitest.Alice + "&sender_address=" + apitest.Bob: `The \"address\" filter cannot be specified with other address filters`,
		list + "?order_by=colour":      `querystring/order_by must be equal to one of the allowed values`,
		list + "?limit=51":             `querystring/limit must be <= 50`,
		list + "/dropped?offset=10001": `querystring/offset must be <= 10000`,
		"/extended/v1/address/" + apitest.Alice[:27] + "X0000/mempool":             `Invalid query parameter, not a valid principal`,
		"/extended/v3/mempool/transactions?cursor=1:0x12":                          `querystring/cursor must match pattern`,
		"/extended/v3/principals/" + apitest.Alice + "!!junk/mempool/transactions": `params/principal must match a schema in anyOf`,
	} {
		s.ExpectTexts(target, 400, want)
	}
}

// What is announced is shown soon, and what is mined is not shown as waiting.
func TestMempoolMoves(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), balances.New(nil), mempool.New())
	made := synthchain.New(synthchain.Config{Seed: 4, SigningSample: 1000, MempoolProbability: 1})
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
	if r := s.Get("/extended/v1/tx/mempool"); r.Status != 200 || !strings.Contains(r.Body, `"total":0`) {
		t.Errorf("before anything: got %d %s", r.Status, r.Body)
	}
	announced := map[string]bool{}
	seen := 0
	for range 30 {
		post := made.Next()
		replay.Append(t, log, post)
		replay.Wait(t, log)
		switch post.Path {
		case "/new_mempool_tx":
			var raws []string
			must.Do(t, json.Unmarshal(post.Body, &raws))
			for _, text := range raws {
				raw := must.Get(hex.DecodeString(text[2:]))(t)
				id := signed.ID(raw).String()
				announced[id] = true
				if r := s.Get("/extended/v1/tx/" + id); !strings.Contains(r.Body, `"tx_status":"pending"`) {
					t.Errorf("%s is announced: got %d %s", id, r.Status, r.Body)
				}
			}
		case "/new_block":
			var said struct{ Transactions []struct{ TxID string } }
			must.Do(t, json.Unmarshal(post.Body, &said))
			for _, tx := range said.Transactions {
				if !announced[tx.TxID] {
					continue
				}
				seen++
				if r := s.Get("/extended/v1/tx/" + tx.TxID); !strings.Contains(r.Body, `"canonical":true`) {
					t.Errorf("%s is mined: got %d %s", tx.TxID, r.Status, r.Body)
				}
				if r := s.Get("/extended/v1/tx/mempool?limit=50"); strings.Contains(r.Body, tx.TxID) {
					t.Errorf("%s is mined, and in the mempool", tx.TxID)
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d transactions were announced and mined", seen)
	}
}
