package readapi_test

import (
	"regexp"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

var contractCall = regexp.MustCompile(`"contract_call":\{[^]]*\]\}`)

// A waiting call is shown with the interface of the newest canonical deployment of the contract.
func TestInterfaceOfWaitingCall(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	stop := replay.Start(t, log, apitest.NewChain(t), balances.New(nil), mempool.New())
	blocks := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000})
	replay.Append(t, log, replay.Take(10, blocks.Next)...)
	contract := apitest.Alice + ".late"
	call := apitest.Call(t, 6, contract, "give", clarity.NewUint64(5))
	replay.Append(t, log, apitest.Announce(call))
	replay.Wait(t, log)
	stop()
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{})

	var seqs []int
	must.Do(t, s.Pool.QueryRow(t.Context(), apitest.InSchemas(`SELECT array_agg(block_seq ORDER BY height) FROM {chain}.canonical`)).Scan(&seqs))
	targets := map[string]string{
		"mempool":  "/extended/v1/tx/mempool?sender_address=" + apitest.Alice,
		"account":  "/extended/v1/address/" + contract + "/mempool",
		"one":      "/extended/v1/tx/" + call.TxID().String(),
		"multiple": "/extended/v1/tx/multiple?tx_id=" + call.TxID().String(),
	}
	check := func(what, signature, name string) {
		t.Helper()
		for list, target := range targets {
			got := s.Get(target)
			shown := contractCall.FindString(got.Body)
			want := `"function_signature":"` + signature + `","function_args":[{"hex":"0x0100000000000000000000000000000005","repr":"u5","name":"` + name + `","type":"uint"}]`
			if !strings.Contains(shown, want) {
				t.Errorf("%s: %s: got %d %s, want %s", what, list, got.Status, shown, want)
			}
		}
	}
	interfaceOf := func(argument string) string {
		return `{"functions":[{"name":"give","access":"public","args":[{"name":"` + argument + `","type":"uint128"}],` +
			`"outputs":{"type":{"response":{"ok":"bool","error":"none"}}}}],"variables":[],"maps":[],"fungible_tokens":[],"non_fungible_tokens":[]}`
	}
	deploy := func(seq int, argument string) {
		t.Helper()
		s.Exec(apitest.InSchemas(`
			INSERT INTO {chain}.contract (source_seq, tx_index, clarity_version, contract_id, source_code, interface) VALUES ($1, 90, 3, $2, '', $3)`),
			seq, contract, interfaceOf(argument))
		s.Advance("chain")
	}
	check("not deployed", "", "")
	s.Exec(apitest.InSchemas(`INSERT INTO {chain}.undeployed (source_seq, proven, key_hash, contract_id) VALUES (11, false, '', $1) ON CONFLICT DO NOTHING`), contract)
	s.Advance("chain")
	check("not deployed, and asked for", "", "")
	s.Exec(apitest.InSchemas(`UPDATE {chain}.undeployed SET interface = $2, interface_seq = 11 WHERE contract_id = $1`), contract, interfaceOf("elsewhere"))
	s.Advance("chain")
	check("not deployed, and told", "(define-public (give (elsewhere uint)))", "elsewhere")
	s.Exec(apitest.InSchemas(`
		INSERT INTO {chain}.contract (source_seq, tx_index, clarity_version, contract_id, source_code) VALUES ($1, 90, 3, $2, '')`), seqs[0], contract)
	s.Advance("chain")
	check("deployed, interface left out", "", "")
	s.Exec(apitest.InSchemas(`UPDATE {chain}.contract SET interface = $2, interface_seq = 1 WHERE contract_id = $1`), contract, interfaceOf("told"))
	s.Advance("chain")
	check("told later", "(define-public (give (told uint)))", "told")
	deploy(seqs[1], "first")
	check("deployed", "(define-public (give (first uint)))", "first")
	deploy(seqs[3], "second")
	check("deployed again", "(define-public (give (second uint)))", "second")
	s.Exec(apitest.InSchemas(`DELETE FROM {chain}.canonical WHERE block_seq = $1`), seqs[3])
	s.Advance("chain")
	check("orphaned", "(define-public (give (first uint)))", "first")
}
