package projections_test

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"strata/domain/nodeevent"
	"strata/projections"
)

// What a block's interfaces say is the same for each projection that asks, at whatever time.
func TestDeployed(t *testing.T) {
	t.Parallel()
	const counter = `{"functions": [
		{"name": "increment", "access": "public", "args": [], "outputs": {"type": {"response": {"ok": "uint128", "error": "none"}}}},
		{"name": "get", "access": "read_only", "args": [{"name": "who", "type": "principal"}], "outputs": {"type": "uint128"}}
	], "variables": [], "maps": [], "fungible_tokens": [], "non_fungible_tokens": []}`
	block := &projections.Block{Block: &nodeevent.Block{}}
	for i, text := range []string{counter, "", "null", "{", `{"functions": []}`} {
		block.Transactions = append(block.Transactions, nodeevent.Transaction{Index: i, ContractInterface: []byte(text)})
	}
	var asking sync.WaitGroup
	for range 4 {
		for i, want := range []struct {
			known     bool
			functions int // two keys of each
		}{{true, 4}, {false, 0}, {false, 0}, {true, 0}, {true, 0}} {
			asking.Go(func() {
				got := block.Deployments()[i]
				if got.Known != want.known || len(got.Functions) != want.functions || got.Recognised.Kind != "" || !slices.IsSortedFunc(got.Functions, bytes.Compare) {
					t.Errorf("transaction %d: got %+v, want %+v", i, got, want)
				}
			})
		}
	}
	asking.Wait()
}
