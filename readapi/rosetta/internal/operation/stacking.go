package operation

import (
	"encoding/json"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
	"strata/domain/pox"
)

// StackingNames are the names of StackingDetail: what the contracts pox-2 to pox-5 report.
var StackingNames = []string{
	"stack_stx", "stack_increase", "stack_extend", "delegate_stx", "delegate_stack_stx", "delegate_stack_increase",
	"delegate_stack_extend", "stack_aggregation_commit", "stack_aggregation_commit_indexed", "stack_aggregation_increase",
	"revoke_delegate_stx", "handle_unlock", "stake", "stake_update", "unstake", "register_for_bond",
}

// StackingOf returns what a stacking contract reports with a printed value; ok is false for any other print. network is
// that of reward addresses.
func StackingOf(contract string, raw []byte, network bitcoin.Network) (op Operation, ok bool) {
	principal, err := clarity.ParsePrincipal(contract)
	if err != nil {
		return op, false
	}
	version, ok := pox.Version(principal)
	if !ok || version < 2 {
		return op, false
	}
	value, err := clarity.DecodeAll(raw)
	if err != nil {
		return op, false
	}
	if version < 5 {
		return reportedByNode(value, network)
	}
	return printedByPox5(value)
}

// reportedByNode reads an event that a node adds to a call of pox-2, pox-3 or pox-4.
func reportedByNode(value clarity.Value, network bitcoin.Network) (op Operation, ok bool) {
	event, ok, err := pox.Decode(value)
	if err != nil || !ok {
		return op, false
	}
	text, err := event.JSON(network)
	if err != nil {
		return op, false
	}
	var body struct {
		Locked       string         `json:"locked"`
		Balance      string         `json:"balance"`
		UnlockHeight string         `json:"burnchain_unlock_height"`
		PoxAddr      *string        `json:"pox_addr"`
		Data         map[string]any `json:"data"`
	}
	if json.Unmarshal(text, &body) != nil {
		return op, false
	}
	metadata := body.Data
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["locked"], metadata["balance"], metadata["burnchain_unlock_height"] = body.Locked, body.Balance, body.UnlockHeight
	if body.PoxAddr != nil {
		metadata["pox_addr"] = *body.PoxAddr
	}
	detail := StackingDetail{Name: strings.ReplaceAll(event.Name, "-", "_"), Metadata: metadata}
	for _, name := range []string{"lock_amount", "increase_by", "amount_ustx"} {
		if amount, ok := metadata[name].(string); ok {
			detail.Amount = amount
			break
		}
	}
	return Operation{Kind: Stacking, Account: event.Stacker.String(), Detail: detail}, true
}

// printedByPox5 reads a print of pox-5 that changes the position of a staker.
func printedByPox5(value clarity.Value) (op Operation, ok bool) {
	printed, err := pox.DecodePrint(value)
	if err != nil {
		return op, false
	}
	switch printed.Topic {
	case "stake", "stake-update", "unstake", "register-for-bond":
	default:
		return op, false
	}
	staker, ok := printed.Principal("staker")
	if !ok {
		return op, false
	}
	text, err := printed.MarshalJSON()
	if err != nil {
		return op, false
	}
	var body struct {
		Data map[string]any `json:"data"`
	}
	if json.Unmarshal(text, &body) != nil {
		return op, false
	}
	detail := StackingDetail{Name: strings.ReplaceAll(printed.Topic, "-", "_"), Metadata: body.Data}
	delete(detail.Metadata, "staker")
	detail.Amount, _ = detail.Metadata["amount_ustx"].(string)
	return Operation{Kind: Stacking, Account: staker.String(), Detail: detail}, true
}
