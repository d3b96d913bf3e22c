package dialect

import (
	"slices"

	"strata/readapi/rosetta/internal/operation"
	"strata/readapi/rosetta/internal/wire"
)

// kindNames has the names of the kinds of operations: legacy, then mesh. An empty name means that the dialect does not
// show the operation. Calls and stacking reports have names of their own.
var kindNames = [...][2]string{
	operation.Fee:          {"fee", "fee"},
	operation.Transfer:     {"token_transfer", "token_transfer"},
	operation.Mint:         {"mint", "token_mint"},
	operation.Burn:         {"burn", "token_burn"},
	operation.Reward:       {"miner_reward", "miner_reward"},
	operation.Lock:         {"stx_lock", "stx_lock"},
	operation.Unlock:       {"stx_unlock", "stx_unlock"},
	operation.Call:         {"contract_call", "contract_call"},
	operation.Deploy:       {"smart_contract", "contract_deploy"},
	operation.Coinbase:     {"coinbase", "coinbase"},
	operation.Poison:       {"poison_microblock", "poison_microblock"},
	operation.TenureChange: {"tenure_change", "tenure_change"},
	operation.Log:          {"", "contract_log"},
	operation.Stacking:     {},
}

// legacyTypes are the types of the legacy dialect, in the order in which it lists them.
var legacyTypes = []string{
	"token_transfer", "contract_call", "smart_contract", "coinbase", "poison_microblock", "fee", "mint", "burn", "miner_reward",
	"stx_lock", "stx_unlock", "stack_stx", "delegate_stx", "revoke_delegate_stx", "tenure_change",
}

// meshTypes are the types of the mesh dialect without those of stacking reports.
var meshTypes = []string{
	"token_transfer", "fee", "token_mint", "token_burn", "contract_call", "contract_deploy", "coinbase", "tenure_change",
	"poison_microblock", "contract_log", "miner_reward", "stx_lock", "stx_unlock",
}

// Types returns the types that operations can have.
func (d *Dialect) Types() []string {
	if d.Legacy {
		return legacyTypes
	}
	return slices.Concat(meshTypes, operation.StackingNames)
}

// Statuses returns the statuses that operations can have.
func (d *Dialect) Statuses() []wire.OperationStatus {
	return []wire.OperationStatus{
		{Status: operation.Success, Successful: true},
		{Status: operation.Pending, Successful: true},
		{Status: "abort_by_response"},
		{Status: "abort_by_post_condition"},
		{Status: "problematic_skipped"},
	}
}

func (d *Dialect) name(kind operation.Kind) string {
	if d.Legacy {
		return kindNames[kind][0]
	}
	return kindNames[kind][1]
}
