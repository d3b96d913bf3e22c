package transaction_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	signed "strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
	"strata/rig/apitest"
)

// knownTransaction is a transaction as other implementations take it apart.
type knownTransaction struct {
	Raw            string  `json:"raw_tx"`
	ID             string  `json:"txid"`
	Sender         string  `json:"sender"`
	Nonce          string  `json:"nonce"`
	Fee            string  `json:"fee"`
	Sponsored      bool    `json:"sponsored"`
	Sponsor        *string `json:"sponsor_address"`
	Mode           int     `json:"post_condition_mode"`
	Kind           string  `json:"payload_type"`
	Payload        map[string]any
	PostConditions []struct {
		Kind      int     `json:"asset_info_id"`
		Principal *string `json:"principal"`
		Asset     string  `json:"asset_identifier"`
		Value     any     `json:"asset_value"`
		Code      string  `json:"condition_name"`
		Amount    any     `json:"amount"`
	} `json:"post_conditions"`
}

// Transactions of real chains are shown as other implementations take them apart.
func TestTransactionVectors(t *testing.T) {
	t.Parallel()
	var known []knownTransaction
	for _, row := range vector.Rows(t, "transactions.jsonl") {
		known = append(known, vector.Decode[knownTransaction](t, row))
	}
	s := apitest.NewWorld(t)
	var all []apitest.MinedTx
	for _, k := range known {
		raw := must.Get(hex.DecodeString(strings.TrimPrefix(k.Raw, "0x")))(t)
		tx := must.Get(signed.Decode(raw))(t)
		all = append(all, apitest.MinedTx{Tx: tx})
	}
	s.Mine(150, all...)
	seen := map[string]int{}
	for len(known) > 0 {
		some := known[:min(len(known), 100)]
		known = known[len(some):]
		var ids []string
		for _, k := range some {
			ids = append(ids, k.ID)
		}
		var found map[string]struct {
			Found  bool
			Result map[string]any
		}
		apitest.DecodeJSON(t, s.Get("/extended/v1/tx/multiple?tx_id="+strings.Join(ids, ",")).Body, &found)
		for _, k := range some {
			k.compare(t, found[k.ID].Result)
			seen[k.Kind]++
		}
	}
	if len(seen) < 9 {
		t.Errorf("compared %v", seen)
	}
}

func (k *knownTransaction) compare(t *testing.T, got map[string]any) {
	t.Helper()
	same := func(name string, got, want any) {
		t.Helper()
		check.Equal(t, k.ID+": "+name, apitest.AsJSON(t, got), apitest.AsJSON(t, want))
	}
	same("id", got["tx_id"], k.ID)
	same("sender", got["sender_address"], k.Sender)
	same("nonce", got["nonce"], json.Number(k.Nonce))
	same("fee", got["fee_rate"], k.Fee)
	same("sponsored", got["sponsored"], k.Sponsored)
	same("sponsor", got["sponsor_address"], k.Sponsor)
	same("mode", got["post_condition_mode"], map[int]string{1: "allow", 2: "deny", 3: "originator"}[k.Mode])
	payload := k.Payload
	member := func(name string) map[string]any {
		object, _ := got[name].(map[string]any)
		if object == nil {
			t.Fatalf("%s: no %s in %v", k.ID, name, got)
		}
		return object
	}
	switch k.Kind {
	case "token_transfer":
		m := member("token_transfer")
		same("transfer", []any{m["recipient_address"], m["amount"], m["memo"]}, []any{payload["recipient"], payload["amount"], payload["memo_hex"]})
	case "smart_contract", "versioned_smart_contract":
		m := member("smart_contract")
		same("contract", []any{m["contract_id"], m["clarity_version"]}, []any{fmt.Sprintf("%s.%s", k.Sender, payload["contract_name"]), payload["clarity_version"]})
		digest := sha256.Sum256([]byte(fmt.Sprint(m["source_code"])))
		same("code", "0x"+hex.EncodeToString(digest[:]), payload["code_sha256"])
	case "contract_call":
		m := member("contract_call")
		same("call", []any{m["contract_id"], m["function_name"], m["function_signature"]}, []any{payload["contract_id"], payload["function_name"], ""})
		arguments, _ := m["function_args"].([]any)
		for _, one := range arguments {
			delete(one.(map[string]any), "name")
		}
		same("arguments", arguments, payload["function_args"])
	case "poison_microblock":
		m := member("poison_microblock")
		headers, _ := payload["headers"].([]any)
		for i, name := range []string{"microblock_header_1", "microblock_header_2"} {
			same(name, m[name], headers[i].(map[string]any)["hex"])
		}
	case "tenure_change":
		m := member("tenure_change_payload")
		payload["cause"] = payload["cause_name"]
		delete(payload, "cause_name")
		same("tenure change", m, payload)
	default:
		m := member("coinbase_payload")
		same("coinbase", []any{m["data"], m["alt_recipient"], m["vrf_proof"]}, []any{payload["payload_hex"], payload["recipient"], payload["vrf_proof"]})
	}
	k.compareConditions(t, got["post_conditions"].([]any))
}

func (k *knownTransaction) compareConditions(t *testing.T, shown []any) {
	t.Helper()
	if len(shown) != len(k.PostConditions) {
		t.Fatalf("%s: got %d post-conditions, want %d", k.ID, len(shown), len(k.PostConditions))
	}
	for i, want := range k.PostConditions {
		got, _ := shown[i].(map[string]any)
		of, _ := got["principal"].(map[string]any)
		var principal, asset any = of["address"], ""
		if of["contract_name"] != nil {
			principal = fmt.Sprint(of["address"], ".", of["contract_name"])
		}
		if a, ok := got["asset"].(map[string]any); ok {
			asset = fmt.Sprint(a["contract_address"], ".", a["contract_name"], "::", a["asset_name"])
		}
		same := []any{got["type"], got["condition_code"], got["amount"], got["asset_value"], principal, asset}
		wanted := []any{[]string{"stx", "fungible", "non_fungible", "staking", "pox"}[want.Kind], want.Code, want.Amount, want.Value, want.Principal, want.Asset}
		check.Equal(t, fmt.Sprintf("%s: post-condition %d", k.ID, i), apitest.AsJSON(t, same), apitest.AsJSON(t, wanted))
	}
}
