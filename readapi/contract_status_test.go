package readapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	signed "strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// The status of a contract is that of its last deployment on the canonical chain, whatever came of it.
func TestStatusesOfContracts(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	type deployment struct {
		contract, id, status string
		height               int64
	}
	rows := must.Get(s.Pool.Query(t.Context(), schemas.In(`
		SELECT t.contract_id, '0x' || encode(t.txid, 'hex'), t.status, c.height
		FROM {chain}.canonical c JOIN {chain}.transaction t ON t.source_seq = c.block_seq
		WHERE t.type_id IN (1, 6) ORDER BY c.height, t.execution_index`)))(t)
	last, statuses := map[string]deployment{}, map[string]int{}
	var names []string
	for rows.Next() {
		var d deployment
		must.Do(t, rows.Scan(&d.contract, &d.id, &d.status, &d.height))
		if _, ok := last[d.contract]; !ok {
			names = append(names, d.contract)
		}
		last[d.contract] = d
	}
	must.Do(t, rows.Err())
	for _, d := range last {
		statuses[d.status]++
	}
	if statuses["success"] < 3 || statuses["abort_by_response"] < 2 {
		t.Fatalf("got deployments %v, want some that succeeded and some that didn't", statuses)
	}
	must.Get(s.Pool.Exec(t.Context(), schemas.In(`UPDATE {chain}.transaction SET status = 'problematic_skipped' WHERE txid = (
		SELECT t.txid FROM {chain}.canonical c JOIN {chain}.transaction t ON t.source_seq = c.block_seq
		WHERE t.type_id IN (1, 6) AND t.status = 'abort_by_response' ORDER BY t.txid LIMIT 1)`)))(t)
	const nobodys = "SP000000000000000000002Q6VF78.nobodys"
	for some := range slices.Chunk(names, 50) {
		target := "/extended/v2/smart-contracts/status?contract_id=" + strings.Join(append([]string{nobodys}, some...), "&contract_id=")
		got := s.Object(target)
		if apitest.AsJSON(t, got[nobodys]) != `{"found":false}` || len(got) != len(some)+1 {
			t.Errorf("got %d of %d contracts, and %v of one that is none", len(got), len(some)+1, got[nobodys])
		}
		for _, name := range some {
			want := last[name]
			if status := apitest.TextOf(got[name], "result", "status"); status == "problematic_skipped" {
				want.status = status
				statuses[status]++
			}
			if apitest.TextOf(got[name], "found") != "true" || apitest.TextOf(got[name], "result", "status") != want.status || apitest.TextOf(got[name], "result", "tx_id") != want.id ||
				apitest.TextOf(got[name], "result", "contract_id") != name || apitest.TextOf(got[name], "result", "block_height") != fmt.Sprint(want.height) {
				t.Errorf("%s: got %v, want %+v", name, got[name], want)
			}
		}
	}
	check.Equal(t, "problematic ones", statuses["problematic_skipped"], 1)
	for _, name := range names {
		traced := s.Trace("/extended/v2/smart-contracts/status?contract_id="+name, 10)
		table := "chain.contract"
		if last[name].status != "success" {
			table = "chain.transaction"
		}
		if len(traced.Rows) != 1 || len(traced.In(table)) != 1 {
			t.Errorf("%s, %s: got %v, want a row of %s", name, last[name].status, traced.Rows, table)
		}
	}
}

// What a contract does later makes it no dearer to find out how it was deployed.
func TestCostOfStatuses(t *testing.T) {
	t.Parallel()
	w := apitest.NewWorld(t)
	w.LongLists(300)
	// Somebody has sent 3000 times to a contract that nobody could deploy.
	w.Mine(160, apitest.MinedTx{Tx: apitest.From(t, 1, 70, &signed.SmartContract{ContractName: "art"}), Status: "abort_by_response"})
	w.Exec(`INSERT INTO accounts_v1.account VALUES (110, 10, 9, $1)`, apitest.Alice+".art")
	w.Exec(`INSERT INTO accounts_v1.transaction (n, height, source_seq, type_n, tx_index, type) VALUES (0, 60, 160, 0, 0, 1)`)
	w.Exec(`INSERT INTO accounts_v1.account_transaction (tx, source_seq, account, n, involvement) VALUES (0, 160, 9, 1, 16)`)
	w.Exec(`INSERT INTO accounts_v1.account_transaction (tx, source_seq, account, n, involvement) SELECT n, source_seq, 9, n + 1, 36 FROM accounts_v1.transaction WHERE n > 0`)
	w.Exec(`VACUUM ANALYZE accounts_v1.account_transaction`)
	target := "/extended/v2/smart-contracts/status?contract_id=" + apitest.Alice + ".art"
	if got := w.Get(target); !strings.Contains(got.Body, `"abort_by_response"`) {
		t.Fatalf("got %d %s\n%s", got.Status, got.Body, w.Log)
	}
	w.Costs(t, map[string]int64{target: 60, "/extended/v2/smart-contracts/status?contract_id=" + apitest.Alice + ".coin": 60})
}
