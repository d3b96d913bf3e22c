package synthchain

import (
	"encoding/hex"
	"strconv"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
)

// burnchainRaw is what nodes post as the raw transaction of an operation that was made on Bitcoin.
var burnchainRaw = []byte{0}

// planBitcoinOperation plans an operation that an account made by a Bitcoin transaction: it has no fee, nonce or
// signature. From V21 on nodes describe it in burnchain_op.
func (c *Chain) planBitcoinOperation(x *execution, burn *burnBlock) *operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	o := &operation{raw: burnchainRaw, txid: c.random.Hash32()}
	amount := c.part(x.available(from.party, x.burn) - 2*maxFee)
	to := c.recipient(x, from.party)
	address := c.poxAddress()
	var description string
	switch c.random.IntN(5) {
	case 0, 1:
		description = c.describeTransfer(o, burn, from, to, amount)
		o.run = func(x *execution) outcome { return check(x.transferSTX(from.party, to, amount, nil), 1) }
	case 2:
		description = c.describeStack(o, burn, from, amount, address)
		o.run = func(x *execution) outcome { return x.stack(from, amount, 2, address) }
	case 3:
		if c.cfg.Generation >= V21 {
			delegate := c.accounts[c.random.IntN(len(c.accounts))]
			description = c.describeDelegate(o, burn, from, delegate, amount, address)
			o.run = func(x *execution) outcome { return x.delegate(from, delegate, amount, address) }
			break
		}
		fallthrough
	default: // refused: only the transaction id shows that it was tried
		description = c.describeTransfer(o, burn, from, to, amount)
		o.run = func(*execution) outcome { return outcome{status: abortByResponse, result: errNone} }
	}
	run := o.run
	o.run = func(x *execution) outcome {
		out := run(x)
		if c.cfg.Generation >= V21 {
			out.burnchain = description
		}
		return out
	}
	o.needs = func(x *execution) bool { return x.deployed.Has(c.pox()) }
	if !x.minable(o) {
		return nil
	}
	return o
}

// delegate executes delegate-stx, which only prints: it does not lock anything yet.
func (x *execution) delegate(from, to *account, amount uint64, address bitcoin.PoxAddress) outcome {
	x.printStacking("delegate-stx", from, 1, []clarity.Field{
		{Name: "amount-ustx", Value: clarity.NewUint64(amount)},
		{Name: "delegate-to", Value: x.chain.principalValue(to.party)},
		{Name: "pox-addr", Value: clarity.NewSome(poxTuple(address))},
		{Name: "unlock-burn-height", Value: clarity.NewNone()},
	})
	return succeeded()
}

func (c *Chain) describeTransfer(o *operation, burn *burnBlock, from *account, to party, amount uint64) string {
	dst := appendBurn([]byte(`{"transfer_stx":{`), o, burn)
	dst = appendHex(appendKey(dst, "memo"), []byte("from bitcoin"))
	dst = c.appendAddress(appendKey(dst, "recipient"), to)
	dst = c.appendAddress(appendKey(dst, "sender"), from.party)
	dst = appendNumber(appendKey(dst, "transfered_ustx"), amount)
	return string(append(dst, `,"vtxindex":3}}`...))
}

func (c *Chain) describeStack(o *operation, burn *burnBlock, from *account, amount uint64, address bitcoin.PoxAddress) string {
	text, _ := address.Text(c.cfg.Network.bitcoin())
	dst := []byte(`{"stack_stx":{`)
	if c.cfg.Generation >= V25 {
		dst = append(dst, `"auth_id":11,`...)
	}
	dst = appendBurn(dst, o, burn)
	if c.cfg.Generation >= V25 {
		dst = append(appendKey(dst, "max_amount"), "340282366920938463463374607431768211455"...)
	}
	dst = append(appendKey(dst, "num_cycles"), '2')
	dst = appendText(appendKey(dst, "reward_addr"), text)
	dst = c.appendAddress(appendKey(dst, "sender"), from.party)
	if c.cfg.Generation >= V25 {
		compressed := from.public[0].CompressedBytes()
		dst = appendBareHex(appendKey(dst, "signer_key"), compressed[:])
	}
	dst = appendNumber(appendKey(dst, "stacked_ustx"), amount)
	return string(append(dst, `,"vtxindex":4}}`...))
}

func (c *Chain) describeDelegate(o *operation, burn *burnBlock, from, to *account, amount uint64, address bitcoin.PoxAddress) string {
	text, _ := address.Text(c.cfg.Network.bitcoin())
	dst := appendBurn([]byte(`{"delegate_stx":{`), o, burn)
	dst = c.appendAddress(appendKey(dst, "delegate_to"), to.party)
	dst = appendNumber(appendKey(dst, "delegated_ustx"), amount)
	dst = append(appendKey(dst, "reward_addr"), `[1,`...)
	dst = append(appendText(dst, text), ']')
	dst = c.appendAddress(appendKey(dst, "sender"), from.party)
	return string(append(dst, `,"until_burn_height":null,"vtxindex":5}}`...))
}

// appendBurn writes the operation's position on Bitcoin. These hashes have no 0x, unlike others in the same body.
func appendBurn(dst []byte, o *operation, burn *burnBlock) []byte {
	dst = appendNumber(append(dst, `"burn_block_height":`...), burn.height)
	dst = appendBareHex(appendKey(dst, "burn_header_hash"), burn.hash[:])
	return appendBareHex(appendKey(dst, "burn_txid"), o.txid[:])
}

// appendAddress writes a principal in the form of these operations, with the address of its owner if it is a contract.
func (c *Chain) appendAddress(dst []byte, p party) []byte {
	principal := c.roll.principal(p)
	dst = appendText(append(dst, `{"address":`...), principal.String())
	dst = append(appendKey(dst, "address_hash_bytes"), `"0x`...)
	dst = hex.AppendEncode(dst, principal.Address.Hash160[:])
	dst = append(dst, `","address_version":`...)
	dst = strconv.AppendUint(dst, uint64(principal.Address.Version), 10)
	return append(dst, '}')
}
