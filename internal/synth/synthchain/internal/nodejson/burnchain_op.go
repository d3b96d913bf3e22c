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
	dst := at.append([]byte(`{"transfer_stx":{`))
	dst = appendHex(appendKey(dst, "memo"), []byte("from bitcoin"))
	dst = appendAddress(appendKey(dst, "recipient"), to)
	dst = appendAddress(appendKey(dst, "sender"), from)
	dst = appendNumber(appendKey(dst, "transfered_ustx"), amount)
	return string(append(dst, `,"vtxindex":3}}`...))
}

// StackSTX encodes burnchain_op for a lock of microSTX for some cycles.
func StackSTX(
	g node.Generation, at BitcoinTransaction, from clarity.Principal, amount, cycles uint64, rewardAddress string,
	signerKey []byte,
) string {
	dst := []byte(`{"stack_stx":{`)
	if g >= node.V25 {
		dst = append(dst, `"auth_id":11,`...)
	}
	dst = at.append(dst)
	if g >= node.V25 {
		dst = append(appendKey(dst, "max_amount"), "340282366920938463463374607431768211455"...)
	}
	dst = appendNumber(appendKey(dst, "num_cycles"), cycles)
	dst = appendText(appendKey(dst, "reward_addr"), rewardAddress)
	dst = appendAddress(appendKey(dst, "sender"), from)
	if g >= node.V25 {
		dst = appendBareHex(appendKey(dst, "signer_key"), signerKey)
	}
	dst = appendNumber(appendKey(dst, "stacked_ustx"), amount)
	return string(append(dst, `,"vtxindex":4}}`...))
}

// DelegateSTX encodes burnchain_op for the permission to lock microSTX.
func DelegateSTX(at BitcoinTransaction, from, to clarity.Principal, amount uint64, rewardAddress string) string {
	dst := at.append([]byte(`{"delegate_stx":{`))
	dst = appendAddress(appendKey(dst, "delegate_to"), to)
	dst = appendNumber(appendKey(dst, "delegated_ustx"), amount)
	dst = append(appendKey(dst, "reward_addr"), `[1,`...)
	dst = append(appendText(dst, rewardAddress), ']')
	dst = appendAddress(appendKey(dst, "sender"), from)
	return string(append(dst, `,"until_burn_height":null,"vtxindex":5}}`...))
}

// append writes the operation's position on Bitcoin. These hashes have no 0x, unlike others in the same body.
func (t BitcoinTransaction) append(dst []byte) []byte {
	dst = appendNumber(append(dst, `"burn_block_height":`...), t.Burn.Height)
	dst = appendBareHex(appendKey(dst, "burn_header_hash"), t.Burn.Hash[:])
	return appendBareHex(appendKey(dst, "burn_txid"), t.Txid[:])
}

// appendAddress writes a principal in the form of these operations, with the address of its owner if it is a contract.
func appendAddress(dst []byte, p clarity.Principal) []byte {
	dst = appendText(append(dst, `{"address":`...), p.String())
	dst = appendHex(appendKey(dst, "address_hash_bytes"), p.Address.Hash160[:])
	dst = appendNumber(appendKey(dst, "address_version"), uint64(p.Address.Version))
	return append(dst, '}')
}
