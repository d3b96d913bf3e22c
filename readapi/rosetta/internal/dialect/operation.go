package dialect

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/operation"
	"strata/readapi/rosetta/internal/wire"
)

// OperationBuffer holds the operations of a transaction. It is reused from transaction to transaction.
type OperationBuffer struct {
	shown []wire.Operation
	parts []parts
}

// parts is room for what an operation consists of.
type parts struct {
	status  string
	account wire.AccountIdentifier
	amount  wire.Amount
	coin    wire.CoinChange
	related [1]wire.OperationIdentifier
}

// Shared, read-only metadata.
var (
	sponsored   = map[string]any{"sponsored": true}
	unsponsored = map[string]any{"sponsored": false}
	withoutMemo = map[string]any{"memo": nil}
	fungible    = map[string]any{"token_type": wire.Fungible}
)

// Operations returns the operations of a transaction as the dialect shows them, numbered from 0. id is the hash of the
// transaction; empty for one that is being constructed.
func (d *Dialect) Operations(id string, all []operation.Operation) []wire.Operation {
	return d.AppendOperations(new(OperationBuffer), id, all)
}

// AppendOperations is Operations in a buffer. They are valid until the next call with the same buffer.
func (d *Dialect) AppendOperations(s *OperationBuffer, id string, all []operation.Operation) []wire.Operation {
	s.shown, s.parts = slices.Grow(s.shown[:0], len(all)), slices.Grow(s.parts[:0], len(all))[:len(all)]
	for i := range all {
		p := &s.parts[i]
		op, ok := d.operation(&all[i], p)
		if !ok {
			continue
		}
		n := int64(len(s.shown))
		op.OperationIdentifier.Index = n
		if all[i].Pair && n > 0 {
			p.related[0] = wire.OperationIdentifier{Index: n - 1}
			op.RelatedOperations = p.related[:]
		}
		if d.Legacy && id != "" && op.Amount != nil && all[i].Kind == operation.Transfer && op.Status != nil {
			p.coin = coinChange(id, n, op.Amount.Value, all[i].Pair)
			op.CoinChange = &p.coin
		}
		s.shown = append(s.shown, op)
	}
	if s.shown == nil {
		s.shown = []wire.Operation{}
	}
	return s.shown
}

// coinChange names what a transfer spends and creates, as the legacy dialect does although there are no coins.
func coinChange(id string, n int64, value string, credit bool) wire.CoinChange {
	change := wire.CoinChange{CoinIdentifier: wire.CoinIdentifier{Identifier: id + ":" + strconv.FormatInt(n, 10)}, CoinAction: "coin_created"}
	if !credit && (strings.HasPrefix(value, "-") || value == "0") {
		change.CoinAction = "coin_spent"
	}
	return change
}

// operation returns an operation without its index, with room for its parts; ok is false if the dialect does not show it.
// The legacy dialect does not show non-fungible tokens.
func (d *Dialect) operation(op *operation.Operation, p *parts) (shown wire.Operation, ok bool) {
	if d.Legacy && op.Currency.Metadata != nil && op.Currency.Metadata.TokenType == wire.NonFungible {
		return shown, false
	}
	shown.Type = d.name(op.Kind)
	if op.Status != operation.None {
		p.status = op.Status
		shown.Status = &p.status
	}
	if op.Account != "" {
		p.account = wire.AccountIdentifier{Address: op.Account}
		shown.Account = &p.account
	}
	if op.Value != "" {
		p.amount = wire.Amount{Value: op.Value, Currency: op.Currency}
		shown.Amount = &p.amount
		if d.Legacy && op.Currency.Metadata != nil {
			shown.Amount.Metadata = fungible
		}
	}
	switch detail := op.Detail.(type) {
	case operation.FeeDetail:
		if d.Legacy {
			break
		}
		if op.Value == "0" {
			return shown, false
		}
		shown.Metadata = unsponsored
		if detail.Sponsored {
			shown.Metadata = sponsored
		}
	case operation.TransferDetail:
		switch {
		case op.Kind != operation.Transfer:
		case detail.Memo != nil:
			shown.Metadata = map[string]any{"memo": detail.Memo}
		case !d.Legacy:
			shown.Metadata = withoutMemo
		}
	case operation.LockDetail:
		shown.Metadata = d.lock(op, detail)
	case operation.UnlockDetail:
		shown.Metadata = map[string]any{"tx_id": detail.Carrier}
	case operation.CallDetail:
		d.call(&shown, detail)
	case operation.DeployDetail:
		if !d.Legacy {
			shown.Metadata = map[string]any{"contract_identifier": detail.Contract, "source_code": detail.Source, "clarity_version": detail.Version}
		}
	case operation.CoinbaseDetail:
		if !d.Legacy {
			shown.Metadata = map[string]any{"alt_recipient": detail.AltRecipient, "vrf_proof": hexOrNil(detail.VRFProof)}
		}
	case *transaction.TenureChange:
		shown.Metadata = tenureChange(detail)
	case operation.LogDetail:
		shown.Metadata = map[string]any{"contract_identifier": detail.Contract, "topic": detail.Topic, "value": shownValue(detail.Value)}
	case operation.StackingDetail:
		if d.Legacy {
			return shown, false
		}
		shown.Type, shown.Metadata = detail.Name, maps.Clone(detail.Metadata)
		if d.StackingAmounts && detail.Amount != "" {
			shown.Amount = &wire.Amount{Value: detail.Amount, Currency: wire.STX()}
		}
	}
	return shown, shown.Type != ""
}

// lock returns the metadata of a change of a lock. The legacy dialect writes all numbers as text.
func (d *Dialect) lock(op *operation.Operation, detail operation.LockDetail) map[string]any {
	if d.Legacy {
		return map[string]any{"locked": detail.Locked, "unlock_height": strconv.FormatInt(detail.UnlockHeight, 10)}
	}
	metadata := map[string]any{"locked": detail.Locked, "unlock_height": detail.UnlockHeight, "locked_address": op.Account}
	if contract, err := clarity.ParsePrincipal(detail.Contract); err == nil {
		metadata["contract_name"] = contract.Contract
	}
	return metadata
}

// call fills in the metadata of a contract call. The legacy dialect names three stacking calls instead.
func (d *Dialect) call(shown *wire.Operation, detail operation.CallDetail) {
	contract := detail.Call.Contract.String()
	if !d.Legacy {
		shown.Metadata = map[string]any{"contract_identifier": contract, "function_name": detail.Call.Function, "args": detail.Arguments}
		return
	}
	if name, metadata, ok := d.stackingCall(detail); ok {
		shown.Type, shown.Metadata = name, metadata
		if detail.Amount != "" { // while it is being constructed, it has the amount of its intent
			shown.Amount = &wire.Amount{Value: operation.Negative(detail.Amount), Currency: wire.STX()}
		}
		return
	}
	shown.Metadata = map[string]any{"contract_id": contract, "function_name": detail.Call.Function, "function_signature": detail.Signature}
	if len(detail.Arguments) > 0 {
		shown.Metadata["function_args"] = detail.Arguments
	}
}

func tenureChange(p *transaction.TenureChange) map[string]any {
	return map[string]any{
		"tenure_consensus_hash": p.ConsensusHash.String(), "prev_tenure_consensus_hash": p.PrevConsensusHash.String(),
		"burn_view_consensus_hash": p.BurnViewConsensusHash.String(), "previous_tenure_end": p.PreviousEnd.String(),
		"previous_tenure_blocks": p.PreviousBlocks, "cause": p.Cause.String(), "pubkey_hash": p.PubkeyHash.String(),
	}
}

// shownValue returns a Clarity value in its three forms; bytes that are no value only in hex.
func shownValue(raw []byte) map[string]any {
	shown := map[string]any{"hex": view.HexOf(raw), "repr": "", "type": ""}
	if v, err := clarity.DecodeAll(raw); err == nil {
		shown["repr"], shown["type"] = v.Repr(), v.TypeText()
	}
	return shown
}

func hexOrNil(b []byte) *string {
	if b == nil {
		return nil
	}
	text := "0x" + hex.EncodeToString(b)
	return &text
}
