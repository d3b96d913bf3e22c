package synthchain

import (
	"crypto/sha256"
	"encoding/binary"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
)

// Fees and amounts in microSTX.
const (
	minFee = 180
	maxFee = 20_000
	// spare is what an account must be able to spend to be chosen as sender: enough for a fee and a transfer.
	spare = 5 * maxFee
)

// planners plan the operations of Mix, in its order. They return nil if the operation is impossible at the moment.
var planners = [...]func(*Chain, *execution) *operation{
	(*Chain).planTransfer, (*Chain).planDeploy, (*Chain).planDeployFail, (*Chain).planTokenMint,
	(*Chain).planTokenTransfer, (*Chain).planTokenBurn, (*Chain).planItemMint, (*Chain).planItemMove,
	(*Chain).planItemBurn, (*Chain).planVault, (*Chain).planPrint, (*Chain).planStacking, (*Chain).planAbortResponse,
	(*Chain).planAbortPostCondition, (*Chain).planProblematic, (*Chain).planPoison,
}

// plan returns a random operation that is minable now, or nil if no account has money left.
func (c *Chain) plan(x *execution) *operation {
	n := c.random.IntN(max(c.weight, 1))
	for i, w := range c.cfg.Mix.weights() {
		if n -= w; n < 0 {
			if o := planners[i](c, x); o != nil && x.minable(o) {
				return o
			}
			break
		}
	}
	if o := c.planTransfer(x); o != nil && x.minable(o) {
		return o
	}
	return nil
}

// sender returns a random account that has something to spend, or nil.
func (c *Chain) sender(x *execution) *account {
	for range 12 {
		a := c.accounts[c.random.IntN(len(c.accounts))]
		if x.available(a.party, x.burn) >= spare {
			return a
		}
	}
	return nil
}

// recipient returns a random account, contract or stranger other than not.
func (c *Chain) recipient(x *execution, not party) party {
	for {
		var p party
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
			p = c.accounts[c.random.IntN(len(c.accounts))].party
		}
		if p != not {
			return p
		}
	}
}

// stranger returns an address whose key nobody has.
func (c *Chain) stranger(n int) party {
	digest := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("stranger"), uint64(n)))
	version := c32.MainnetSingle
	if !c.cfg.Network.mainnet() {
		version = c32.TestnetSingle
	}
	return c.roll.number(standard(c32.Address{Version: version, Hash160: [20]byte(digest[:20])}))
}

// contract returns a random contract of the template, or of any template if t is nil. It returns false if a few
// attempts find none.
func (c *Chain) contract(x *execution, t *template) (party, bool) {
	n := int(x.total.Get(totalContracts).lo)
	for range min(n, 12) {
		p := x.contract.Get(c.random.IntN(n))
		if t == nil || x.deployed.Get(p) == t {
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
func (c *Chain) send(x *execution, origin *account, payload transaction.Payload, conditions transaction.PostConditions, run func(*execution) outcome) *operation {
	o := &operation{origin: origin, nonce: x.nonce.Get(origin.party), fee: c.fee(), run: run}
	if c.random.Chance(c.cfg.SponsoredShare) {
		if s := c.sender(x); s != nil && s != origin {
			o.sponsor, o.sponsorNonce = s, x.nonce.Get(s.party)
		}
	}
	c.sign(o, payload, conditions)
	return o
}

// sign sets the raw transaction of an operation whose parties, nonces and fee are known.
func (c *Chain) sign(o *operation, payload transaction.Payload, conditions transaction.PostConditions) {
	draft := transaction.Draft{
		Network: c.cfg.Network.stacks(), Nonce: o.nonce, Fee: o.fee, PostConditions: conditions,
		Sponsored: o.sponsor != nil,
	}
	if o.sponsor != nil {
		draft.Fee = 0
	}
	t := must(draft.Transaction(payload))
	genuine := c.signed%uint64(c.cfg.SigningSample) == 0
	c.signed++
	o.origin.sign(t, genuine, c.fakeSignature)
	if o.sponsor != nil {
		t.Sponsor.Nonce, t.Sponsor.Fee = o.sponsorNonce, o.fee
		o.sponsor.sponsor(t, genuine, c.fakeSignature)
	}
	o.payload = payload
	o.raw = t.Encode()
	o.txid = transaction.ID(o.raw)
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
func (c *Chain) call(x *execution, origin *account, contract party, conditions transaction.PostConditions, function string, arguments []clarity.Value, run func(*execution) outcome) *operation {
	payload := &transaction.ContractCall{
		Contract: c.roll.principal(contract), Function: function, Arguments: must(transaction.NewArguments(arguments...)),
	}
	o := c.send(x, origin, payload, conditions, run)
	o.needs = func(x *execution) bool { return x.deployed.Has(contract) }
	return o
}

var allowAll = must(transaction.NewPostConditions(transaction.PostConditionAllow))

// okTrue and errNone are the results of most transactions.
var (
	okTrue  = []byte{byte(clarity.TypeOk), byte(clarity.TypeTrue)}
	errNone = []byte{byte(clarity.TypeErr), byte(clarity.TypeNone)}
)

func succeeded() outcome { return outcome{status: success, result: okTrue} }

// failed is the outcome of a call that the contract refuses with an error code.
func failed(code uint64) outcome {
	return outcome{status: abortByResponse, result: clarity.NewErr(clarity.NewUint64(code)).Encode()}
}

// check returns the outcome of a call that the contract refuses with an error code unless ok is true.
func check(ok bool, code uint64) outcome {
	if ok {
		return succeeded()
	}
	return failed(code)
}

func (c *Chain) principalValue(p party) clarity.Value {
	return must(clarity.NewPrincipal(c.roll.principal(p)))
}

func (c *Chain) hash20() (h hash.Hash20) {
	c.random.Fill(h[:])
	return h
}

// cost returns a random cost of a transaction of size bytes.
func (c *Chain) cost(size int) cost {
	n := c.random.Uint64N(1000)
	return cost{readCount: 3 + n%20, readLength: uint64(size) + n*7, runtime: 1000 + n*131, writeCount: 1 + n%9, writeLength: n}
}
