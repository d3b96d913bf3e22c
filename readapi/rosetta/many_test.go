package rosetta_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"strata/domain/clarity"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/rig/replay"
)

// many is a block with transfers with and without memos, and with calls that move tokens, print and fail.
func many(t *testing.T, transactions int) []replay.Post {
	token := func(kind string, amount int, parties ...string) event {
		members := map[string]any{"asset_identifier": tokenContract + "::nyc", "amount": fmt.Sprint(amount)}
		for i := 0; i < len(parties); i += 2 {
			members[parties[i]] = parties[i+1]
		}
		return event{kind, members}
	}
	listed := []mined{coinbase(t, carol, 0)}
	for i := range transactions {
		nonce, argument := uint64(i), clarity.NewUint64(uint64(i))
		switch i % 6 {
		case 0, 1:
			listed = append(listed, paid(t, alice, nonce, 180, address(bob), nonce+1, ""))
		case 2:
			listed = append(listed, paid(t, alice, nonce, 180, address(bob), nonce+1, "<&> \"é\u2028"))
		case 3:
			failed := call(t, alice, nonce, 3, tokenContract, "fail", []clarity.Value{argument})
			failed.status = "abort_by_response"
			listed = append(listed, failed)
		default:
			listed = append(listed, call(t, alice, nonce, 3, tokenContract, "swap", []clarity.Value{argument},
				token("ft_mint_event", 500, "recipient", address(alice)), token("ft_transfer_event", 20, "sender", address(alice), "recipient", address(bob)),
				event{"contract_event", map[string]any{"contract_identifier": tokenContract, "topic": "print", "value": nil, "raw_value": fmt.Sprintf("0x%x", argument.Raw())}},
				moved(address(bob), address(alice), 1), moved(address(alice), address(alice), 2)))
		}
	}
	return linked(t, []newBlock{
		{name: "0", parent: "none", height: 0, burnHeight: 100, transactions: []mined{{raw: bootTransaction(t), events: []event{minted(address(alice), 1e12), minted(address(bob), 2e12)}}}},
		{name: "1", height: 1, burnHeight: 101},
		{name: "2", height: 2, burnHeight: 102, transactions: listed},
	})
}

// TestBlockOfMany checks that a transaction is the same bytes in its block, which appends its transactions to the answer, as
// it is alone, encoded by encoding/json; and that its operations come from its own events, in whatever order the node lists
// them.
func TestBlockOfMany(t *testing.T) {
	short.Skip(t, "folds a large block")
	t.Parallel()
	posts := many(t, 300)
	var members map[string]json.RawMessage
	var events []json.RawMessage
	must.Do(t, json.Unmarshal(posts[2].Body, &members))
	must.Do(t, json.Unmarshal(members["events"], &events))
	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	shuffled := posts[2]
	members["events"] = must.Get(json.Marshal(events))(t)
	shuffled.Body = must.Get(json.Marshal(members))(t)

	wanted := map[string][]byte{}
	for _, last := range []replay.Post{posts[2], shuffled} {
		legacy, mesh := sitesOf(t, posts[0], posts[1], last)
		for _, s := range []*site{mesh, legacy} {
			prefix := s.prefix
			status, body := s.post("/block", at(2))
			if status != http.StatusOK {
				t.Fatalf("%s: got %d %s", prefix, status, body)
			}
			if want, ok := wanted[prefix]; ok {
				if !bytes.Equal(body, want) {
					t.Errorf("%s: the answer depends on the order of events in the node's list", prefix)
				}
				continue
			}
			wanted[prefix] = body
			var answer struct {
				Block struct{ Transactions []json.RawMessage }
			}
			if err := json.Unmarshal(body, &answer); err != nil || len(answer.Block.Transactions) != 301 {
				t.Fatalf("%s: got %d transactions (%v)", prefix, len(answer.Block.Transactions), err)
			}
			for i, want := range answer.Block.Transactions {
				if i%7 > 0 { // of all kinds, in turn
					continue
				}
				var named struct {
					TransactionIdentifier map[string]any `json:"transaction_identifier"`
				}
				must.Do(t, json.Unmarshal(want, &named))
				var alone struct{ Transaction json.RawMessage }
				if _, body := s.post("/block/transaction", at(2, "transaction_identifier", named.TransactionIdentifier)); json.Unmarshal(body, &alone) != nil || !bytes.Equal(alone.Transaction, want) {
					t.Errorf("%s: transaction %d alone is %s, in the block %s", prefix, i, alone.Transaction, want)
				}
			}
		}
	}
}
