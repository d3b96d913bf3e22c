package dialect

import (
	"encoding/hex"

	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/readapi/rosetta/internal/operation"
)

// stackingCall returns the name and the metadata of a call that the legacy dialect names after its function; ok is false
// for any other call, and for arguments that the function does not take.
func (d *Dialect) stackingCall(detail operation.CallDetail) (name string, metadata map[string]any, ok bool) {
	version, ok := pox.Version(detail.Call.Contract)
	if !ok || version > 4 {
		return "", nil, false
	}
	arguments := detail.Call.Arguments.List()
	result, _ := clarity.DecodeAll(detail.Result)
	switch detail.Call.Function {
	case "stack-stx":
		if len(arguments) < 4 {
			return "", nil, false
		}
		return "stack_stx", d.stackSTX(arguments, result), true
	case "delegate-stx":
		if len(arguments) < 4 {
			return "", nil, false
		}
		return "delegate_stx", d.delegateSTX(arguments, result), true
	case "revoke-delegate-stx":
		return "revoke_delegate_stx", map[string]any{"result": someTrue(result)}, true
	}
	return "", nil, false
}

func (d *Dialect) stackSTX(arguments []clarity.Value, result clarity.Value) map[string]any {
	metadata := map[string]any{
		"amount_ustx": digits(arguments[0]), "pox_addr": "Invalid", "start_burn_height": digits(arguments[2]), "lock_period": digits(arguments[3]),
	}
	if address, ok := d.rewardAddress(arguments[1]); ok {
		metadata["pox_addr"] = address
	}
	if inner, ok := result.Inner(); ok && result.Type() == clarity.TypeOk {
		if height, ok := inner.Field("unlock-burn-height"); ok {
			metadata["unlock_burn_height"] = digits(height)
		}
		if stacker, ok := inner.Field("stacker"); ok {
			if principal, ok := stacker.Principal(); ok {
				metadata["stacker_address"] = principal.String()
			}
		}
	}
	return metadata
}

// delegateSTX shows the reward address as stacks-blockchain-api does, as the hex of the tuple, and as a Bitcoin address.
func (d *Dialect) delegateSTX(arguments []clarity.Value, result clarity.Value) map[string]any {
	metadata := map[string]any{
		"amount_ustx": digits(arguments[0]), "delegate_to": "", "until_burn_height": "none", "pox_addr": "none", "result": someTrue(result),
	}
	if principal, ok := arguments[1].Principal(); ok {
		metadata["delegate_to"] = principal.String()
	}
	if height, ok := arguments[2].Inner(); ok {
		metadata["until_burn_height"] = digits(height)
	}
	if tuple, ok := arguments[3].Inner(); ok {
		metadata["pox_addr"] = "0x" + hex.EncodeToString(tuple.Raw())
		if address, ok := d.rewardAddress(tuple); ok {
			metadata["pox_addr_btc"] = address
		}
	}
	return metadata
}

func (d *Dialect) rewardAddress(v clarity.Value) (string, bool) {
	address, err := pox.Address(v)
	if err != nil || address == nil {
		return "", false
	}
	return address.Text(d.Bitcoin)
}

// digits returns a number in decimal; empty for any other value.
func digits(v clarity.Value) string {
	text, _ := v.Decimal()
	return text
}

// someTrue says whether a result is (some true). The calls return (ok true), so stacks-blockchain-api says false.
func someTrue(result clarity.Value) string {
	if inner, ok := result.Inner(); ok && result.Type() == clarity.TypeSome {
		if value, ok := inner.Bool(); ok && value {
			return "true"
		}
	}
	return "false"
}
