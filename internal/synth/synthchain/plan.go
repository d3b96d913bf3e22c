package synthchain

import (
	"crypto/sha256"
	"encoding/binary"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/must"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// Fees and amounts in microSTX.
const (
	minFee = 180
	maxFee = 20_000
	// spare is what an account must be able to spend to be chosen as sender: enough for a fee and a transfer.
	spare = 5 * maxFee
)

// planners plan the operations of Mix, in its order. They return nil if the operation is impossible at the moment.
var planners = [...]func(*Chain, *vm.Execution) *vm.Operation{
	(*Chain).planTransfer, (*Chain).planDeploy, (*Chain).planDeployFail, (*Chain).planTokenMint,
	(*Chain).planTokenTransfer, (*Chain).planTokenBurn, (*Chain).planItemMint, (*Chain).planItemMove,
	(*Chain).planItemBurn, (*Chain).planVault, (*Chain).planPrint, (*Chain).planStacking, (*Chain).planAbortResponse,
	(*Chain).planAbortPostCondition, (*Chain).planProblematic, (*Chain).planPoison,
}

// execution returns an execution of a block of a given height, before Nakamoto. burn decides whether locks have ended.
func (c *Chain) execution(height, burn uint64) *vm.Execution {
	return &vm.Execution{Ledger: c.model.Ledger, Rules: &c.rules, Height: height, Burn: burn}
}

// execute executes an operation, which must be minable. Only operations with a sender cost something.
func (c *Chain) execute(x *vm.Execution, o *vm.Operation) *nodejson.Receipt {
	r := x.Execute(o)
	if o.Origin != nil {
		r.Cost = c.cost(len(o.Raw))
	}
	return r
}

// plan returns a random operation that is minable now, or nil if no account has money left.
func (c *Chain) plan(x *vm.Execution) *vm.Operation {
	n := c.random.IntN(max(c.weight, 1))
	for i, w := range c.cfg.Mix.weights() {
		if n -= w; n < 0 {
			if o := planners[i](c, x); o != nil && x.Minable(o) {
				return o
			}
			break
		}
	}
	if o := c.planTransfer(x); o != nil && x.Minable(o) {
		return o
	}
	return nil
}

// sender returns a random account that has something to spend, or nil.
func (c *Chain) sender(x *vm.Execution) *account.Account {
	for range 12 {
		a := c.accounts[c.random.IntN(len(c.accounts))]
		if x.Spendable(a.Party) >= spare {
			return a
		}
	}
	return nil
}

// recipient returns a random account, contract or stranger other than not.
func (c *Chain) recipient(x *vm.Execution, not ledger.Party) ledger.Party {
	for {
		var p ledger.Party
		switch c.random.IntN(20) {
		case 0:
			p = c.stranger(c.random.IntN(len(c.accounts)))
		case 1:
			if contract, ok := c.contract(x, nil); ok {
				p = contract
				break
			}
			fallthrough
		default:
			p = c.accounts[c.random.IntN(len(c.accounts))].Party
		}
		if p != not {
			return p
		}
	}
}

// stranger returns an address whose key nobody has.
func (c *Chain) stranger(n int) ledger.Party {
	digest := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("stranger"), uint64(n)))
	address := c32.Address{Version: c.cfg.Network.Boot().Version, Hash160: [20]byte(digest[:20])}
	return c.roll.Number(clarity.Principal{Address: address})
}

// contract returns a random contract of the template, or of any template if t is nil. It returns false if a few
// attempts find none.
func (c *Chain) contract(x *vm.Execution, t *contracts.Template) (ledger.Party, bool) {
	n := int(x.Total.Get(ledger.TotalContracts).Lo)
	for range min(n, 12) {
		p := x.Contract.Get(c.random.IntN(n))
		if t == nil || x.Deployed.Get(p) == t {
			return p, true
		}
	}
	return 0, false
}

func (c *Chain) fee() uint64 { return minFee + c.random.Uint64N(maxFee-minFee) }

// part returns a random number up to about a quarter of n, and at least 1.
func (c *Chain) part(n uint64) uint64 {
	n = max(n/4, 1)
	return 1 + c.random.Uint64N(n)
}

// send returns the operation of a signed transaction.
func (c *Chain) send(x *vm.Execution, origin *account.Account, payload transaction.Payload, conditions transaction.PostConditions, run func(*vm.Execution) nodejson.Outcome) *vm.Operation {
	o := &vm.Operation{Origin: origin, Nonce: x.Nonce.Get(origin.Party), Fee: c.fee(), Run: run}
	if c.random.Chance(c.cfg.SponsoredShare) {
		if s := c.sender(x); s != nil && s != origin {
			o.Sponsor, o.SponsorNonce = s, x.Nonce.Get(s.Party)
		}
	}
	c.sign(o, payload, conditions)
	return o
}

// sign sets the raw transaction of an operation whose parties, nonces and fee are known.
func (c *Chain) sign(o *vm.Operation, payload transaction.Payload, conditions transaction.PostConditions) {
	draft := transaction.Draft{
		Network: c.cfg.Network.Stacks(), Nonce: o.Nonce, Fee: o.Fee, PostConditions: conditions,
		Sponsored: o.Sponsor != nil,
	}
	if o.Sponsor != nil {
		draft.Fee = 0
	}
	t := must.Get(draft.Transaction(payload))
	genuine := c.signed%uint64(c.cfg.SigningSample) == 0
	c.signed++
	o.Origin.Sign(t, genuine, c.fakeSignature)
	if o.Sponsor != nil {
		t.Sponsor.Nonce, t.Sponsor.Fee = o.SponsorNonce, o.Fee
		o.Sponsor.Sponsor(t, genuine, c.fakeSignature)
	}
	o.Payload = payload
	o.Raw = t.Encode()
	o.Txid = transaction.ID(o.Raw)
}

// fakeSignature returns random bytes in the form of a signature.
func (c *Chain) fakeSignature() key.Signature {
	var s key.Signature
	c.random.Fill(s[1:])
	s[1] &= 0x7f
	s[33] &= 0x3f
	return s
}

// call returns the operation of a contract call, which is minable on branches where the contract exists.
func (c *Chain) call(x *vm.Execution, origin *account.Account, contract ledger.Party, conditions transaction.PostConditions, function string, arguments []clarity.Value, run func(*vm.Execution) nodejson.Outcome) *vm.Operation {
	payload := &transaction.ContractCall{
		Contract: c.roll.Principal(contract), Function: function, Arguments: must.Get(transaction.NewArguments(arguments...)),
	}
	o := c.send(x, origin, payload, conditions, run)
	o.Needs = func(x *vm.Execution) bool { return x.Deployed.Has(contract) }
	return o
}

var allowAll = must.Get(transaction.NewPostConditions(transaction.PostConditionAllow))

func (c *Chain) hash20() (h hash.Hash20) {
	c.random.Fill(h[:])
	return h
}

// cost returns a random cost of a transaction of size bytes.
func (c *Chain) cost(size int) nodejson.Cost {
	n := c.random.Uint64N(1000)
	return nodejson.Cost{
		ReadCount: 3 + n%20, ReadLength: uint64(size) + n*7, Runtime: 1000 + n*131, WriteCount: 1 + n%9, WriteLength: n,
	}
}
