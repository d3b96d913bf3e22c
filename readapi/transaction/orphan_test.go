package transaction_test

import (
	"fmt"
	"net/http"
	"testing"

	"strata/domain/clarity"
	signed "strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/projections/chain"
	"strata/readapi"
	"strata/rig/apitest"
)

// field is a member of an object in an object of an answer.
func field(s *apitest.Site, target string, path ...string) any {
	s.T.Helper()
	var value any = s.Object(target)
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// Of the copies of a transaction the canonical one is shown; where all are orphaned, the highest, by those who can say that
// it is orphaned, and the others don't find it.
func TestCopiesOfTransactions(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	tx := apitest.Transfer(t, 3)
	id := tx.TxID().String()
	v1, v3 := "/extended/v1/tx/"+id, "/extended/v3/transactions/"+id
	event := []apitest.MinedEvent{{Kind: "stx_burn_event", Amount: "1", Sender: apitest.Alice}}
	check := func(what string, canonical bool, height float64, status string) {
		t.Helper()
		got := s.Object(v1)
		if got["canonical"] != canonical || got["block_height"] != height || got["tx_status"] != status || got["microblock_canonical"] != true {
			t.Errorf("%s: got %v at %v, %v; want %t at %v, %s", what, got["canonical"], got["block_height"], got["tx_status"], canonical, height, status)
		}
		many := s.Object("/extended/v1/tx/multiple?tx_id=" + id)[id].(map[string]any)
		if many["found"] != true || many["result"].(map[string]any)["canonical"] != canonical {
			t.Errorf("%s: among many: got %v", what, many)
		}
		events, _ := s.Object("/extended/v1/tx/events?tx_id=" + id)["events"].([]any)
		want, wantEvents := http.StatusNotFound, 0
		if canonical {
			want, wantEvents = http.StatusOK, 1
		}
		if len(events) != wantEvents {
			t.Errorf("%s: got events %v", what, events)
		}
		for _, target := range []string{v3, v3 + "/events"} {
			check.Equal(t, fmt.Sprintf("%s: %s", what, target), s.Get(target).Status, want)
		}
	}
	s.Orphan(170, 40)
	s.Mine(170, apitest.MinedTx{Tx: tx, Status: "abort_by_response", Events: event})
	check("an orphan", false, 40, "abort_by_response")
	s.Orphan(171, 41)
	s.Mine(171, apitest.MinedTx{Tx: tx, Status: "abort_by_post_condition", Events: event})
	s.Orphan(172, 41)
	s.Mine(172, apitest.MinedTx{Tx: tx, Status: "problematic_skipped", Events: event})
	check("orphans", false, 41, "problematic_skipped")
	s.Mine(130, apitest.MinedTx{Tx: tx, Events: event})
	check("a canonical copy below them", true, 30, "success")
	s.Exec(`DELETE FROM chain_v1.canonical WHERE height = 30`)
	check("orphans again", false, 41, "problematic_skipped")

	// A block that is orphaned is there for those who know its hash, and says so.
	for _, hash := range []string{idOfBlock(172), "0xb1" + idOfBlock(172)[4:]} {
		got := s.Object("/extended/v1/tx/block/" + hash)
		results, _ := got["results"].([]any)
		if len(results) != 1 || got["total"] != 1.0 || results[0].(map[string]any)["canonical"] != false {
			t.Errorf("%s: got %v", hash, got)
		}
	}
	for _, target := range []string{"/extended/v2/blocks/" + idOfBlock(172) + "/transactions", "/extended/v3/blocks/" + idOfBlock(172) + "/transactions", "/extended/v3/blocks/30/transactions", "/extended/v1/tx/block_height/30"} {
		s.ExpectTexts(target, http.StatusNotFound)
	}
}

func abiOf(argument string) string {
	return `{"functions":[{"name":"go","access":"public","args":[{"name":"` + argument + `","type":"uint128"}],"outputs":{"type":"bool"}}]}`
}

// The interface of a call is that of the contract as it was deployed on the same chain, and not later.
func TestInterfacesOfCalls(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	contract := apitest.Alice + ".twice"
	calls := map[int]string{}
	mine := func(seq int) {
		t.Helper()
		tx := apitest.Call(t, uint64(seq), contract, "go", clarity.NewUint64(1), clarity.NewBool(true))
		s.Mine(seq, apitest.MinedTx{Tx: tx})
		calls[seq] = tx.TxID().String()
	}
	s.Orphan(170, 30)
	s.Orphan(171, 45)
	for _, seq := range []int{125, 130, 140, 170, 171} {
		mine(seq)
	}
	check := func(what string, want map[int]string) {
		t.Helper()
		for range 2 { // from memory, too
			for seq, argument := range want {
				target := "/extended/v1/tx/" + calls[seq]
				signature, _ := field(s, target, "contract_call", "function_signature").(string)
				wanted := ""
				if argument != "" {
					wanted = "(define-public (go (" + argument + " uint)))"
				}
				arguments, _ := field(s, target, "contract_call", "function_args").([]any)
				if len(arguments) != 2 {
					t.Fatalf("%s: got arguments %v", what, arguments)
				}
				first, second := arguments[0].(map[string]any), arguments[1].(map[string]any)
				if signature != wanted || first["name"] != argument || first["type"] != "uint" || second["name"] != "" || second["type"] != "bool" {
					t.Errorf("%s: call %d: got %q with %v, want %q", what, seq, signature, arguments, wanted)
				}
				if got := field(s, target+"?exclude_function_args=true", "contract_call"); got.(map[string]any)["function_signature"] != wanted || got.(map[string]any)["function_args"] != nil {
					t.Errorf("%s: call %d without arguments: got %v", what, seq, got)
				}
			}
		}
	}
	check("nothing deployed", map[int]string{125: "", 130: "", 140: "", 170: "", 171: ""})
	s.Deploy(135, 0, contract, 2, abiOf("canonical"))
	check("deployed at 35", map[int]string{125: "", 130: "", 140: "canonical", 170: "", 171: "canonical"})
	s.Deploy(170, 1, contract, 2, abiOf("orphaned"))
	check("orphaned at 30", map[int]string{125: "", 130: "", 140: "canonical", 170: "orphaned", 171: "canonical"})
	s.Exec(`DELETE FROM chain_v1.canonical WHERE height = 35`)
	check("orphaned at 30 and 35", map[int]string{125: "", 130: "", 140: "", 170: "orphaned", 171: "orphaned"})
	s.Exec(`UPDATE strata.projection SET rules = $1 WHERE name = 'chain'`, chain.Version)
	s.Exec(`INSERT INTO chain_v1.undeployed (source_seq, interface_seq, proven, key_hash, contract_id, interface) VALUES (125, 900, true, '', $1, $2)`, contract, abiOf("told"))
	s.API = apitest.NewSiteOn(t, s.Pool, readapi.Config{}).API
	check("told by a node", map[int]string{125: "told", 130: "told", 140: "told", 170: "orphaned", 171: "orphaned"})
	s.Exec(`DELETE FROM chain_v1.undeployed`)
	s.Exec(`UPDATE chain_v1.contract SET interface = NULL`)
	s.API = apitest.NewSiteOn(t, s.Pool, readapi.Config{}).API
	check("interfaces not known", map[int]string{125: "", 130: "", 140: "", 170: "", 171: ""})
	s.Exec(`UPDATE chain_v1.contract SET interface = '{"functions": 7'`)
	s.API = apitest.NewSiteOn(t, s.Pool, readapi.Config{}).API
	check("interfaces that are none", map[int]string{125: "", 130: "", 140: "", 170: "", 171: ""})
}

// A contract is the canonical deployment, whatever is known of others.
func TestCopiesOfContracts(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	contract := apitest.Alice + ".twice"
	deploy := func(seq int, abi any) {
		t.Helper()
		s.Mine(seq, apitest.MinedTx{Tx: apitest.From(t, 1, uint64(seq), &signed.SmartContract{ContractName: "twice"})})
		s.Deploy(seq, 0, contract, nil, abi)
	}
	check := func(what string, height float64, canonical bool, abi any) {
		t.Helper()
		got := s.Object("/extended/v1/contract/" + contract)
		if got["block_height"] != height || got["canonical"] != canonical || got["abi"] != abi {
			t.Errorf("%s: got %v, want height %v, canonical %t, abi %v", what, got, height, canonical, abi)
		}
		status := field(s, "/extended/v2/smart-contracts/status?contract_id="+contract, contract)
		want := map[string]any{"found": false}
		if canonical {
			want = map[string]any{"found": true, "result": map[string]any{"status": "success", "tx_id": got["tx_id"], "contract_id": contract, "block_height": height}}
		}
		check.Equal(t, what+": status", apitest.AsJSON(t, status), apitest.AsJSON(t, want))
	}
	s.Orphan(170, 40)
	deploy(170, nil)
	check("one", 40, false, nil)
	s.Orphan(171, 30)
	deploy(171, "{}")
	check("one with an interface below", 30, false, "{}")
	s.Orphan(172, 42)
	deploy(172, "{}")
	check("a higher one", 42, false, "{}")
	deploy(120, nil)
	check("the canonical one", 20, true, nil)
}
