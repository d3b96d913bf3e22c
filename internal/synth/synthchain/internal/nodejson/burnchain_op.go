package nodejson

import (
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/node"
)

// BitcoinTransaction is the place of an operation that was made on Bitcoin.
type BitcoinTransaction struct {
	Burn BurnBlock
	Txid hash.Hash32
}

// TransferSTX encodes burnchain_op for a transfer of microSTX.
func TransferSTX(at BitcoinTransaction, from, to clarity.Principal, amount uint64) string {
	return at.operation("transfer_stx", newObject(nil), func(o object) object {
		return o.hex("memo", []byte("from bitcoin")).principal("recipient", to).principal("sender", from).number("transfered_ustx", amount).number("vtxindex", 3)
	})
}

// StackSTX encodes burnchain_op for a lock of microSTX for some cycles.
func StackSTX(
	g node.Generation, at BitcoinTransaction, from clarity.Principal, amount, cycles uint64, rewardAddress string,
	signerKey []byte,
) string {
	first := newObject(nil)
	if g >= node.V25 {
		first = first.number("auth_id", 11)
	}
	return at.operation("stack_stx", first, func(o object) object {
		if g >= node.V25 {
			o = o.object("max_amount", "340282366920938463463374607431768211455")
		}
		o = o.number("num_cycles", cycles).text("reward_addr", rewardAddress).principal("sender", from)
		if g >= node.V25 {
			o = o.bareHex("signer_key", signerKey)
		}
		return o.number("stacked_ustx", amount).number("vtxindex", 4)
	})
}

// DelegateSTX encodes burnchain_op for the permission to lock microSTX.
func DelegateSTX(at BitcoinTransaction, from, to clarity.Principal, amount uint64, rewardAddress string) string {
	return at.operation("delegate_stx", newObject(nil), func(o object) object {
		o = o.principal("delegate_to", to).number("delegated_ustx", amount)
		o = append(appendText(append(o.key("reward_addr"), `[1,`...), rewardAddress), ']')
		return o.principal("sender", from).object("until_burn_height", "").number("vtxindex", 5)
	})
}

// operation encodes an operation: its first members, its position on Bitcoin, and the members that rest adds. These hashes have no
// 0x, unlike others in the same body.
func (t BitcoinTransaction) operation(name string, first object, rest func(object) object) string {
	o := first.number("burn_block_height", t.Burn.Height).bareHex("burn_header_hash", t.Burn.Hash[:]).bareHex("burn_txid", t.Txid[:])
	return `{"` + name + `":` + string(rest(o).end()) + "}"
}

// principal writes a principal in the form of these operations, with the address of its owner if it is a contract.
func (o object) principal(name string, p clarity.Principal) object {
	return newObject(o.key(name)).text("address", p.String()).hex("address_hash_bytes", p.Address.Hash160[:]).
		number("address_version", uint64(p.Address.Version)).end()
}
