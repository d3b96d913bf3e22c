// Package plan decides what accounts do: it draws transactions, and operations on Bitcoin, that are minable on top of a
// block, and signs them.
package plan

import (
	"crypto/sha256"
	"encoding/binary"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/synth/draw"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/synthnames"
	"strata/internal/synth/value"
)

// Fees and amounts in microSTX.
const (
	minFee = 180
	maxFee = 20_000
	// spare is what an account must be able to spend to be chosen as sender: enough for a fee and a transfer.
	spare = 5 * maxFee
)

// Config says what accounts do. Shares and probabilities are between 0 and 1; 0 means never.
type Config struct {
	Mix                Mix
	SigningSample      int     // one of so many transactions gets signatures that verify
	SponsoredShare     float64 // of transactions
	ReplaceProbability float64 // per transfer: it replaces one with a lower fee
}

// Planner plans the operations of one chain.
type Planner struct {
	cfg      Config
	rules    *vm.Rules
	random   draw.Source
	accounts []*account.Account
	weights  []int                 // of Config.Mix
	weight   int                   // their sum
	signed   uint64                // number of signed transactions, genuine or not
	names    *synthnames.Simulator // nil before the first use
}

// New returns a planner for some accounts.
func New(cfg Config, rules *vm.Rules, random draw.Source, accounts []*account.Account) *Planner {
	p := &Planner{cfg: cfg, rules: rules, random: random, accounts: accounts, weights: cfg.Mix.weights()}
	for _, w := range p.weights {
		p.weight += w
	}
	return p
}

// planners plan the operations of Mix, in the order of its fields. They return nil if the operation is impossible at the moment.
var planners = [...]func(*Planner, *vm.Execution) *vm.Operation{
	(*Planner).transfer, (*Planner).deploy, (*Planner).deployFail, calling(contracts.Coin, (*Planner).tokenMint),
	(*Planner).tokenTransfer, (*Planner).tokenBurn, (*Planner).itemMint, (*Planner).itemMove,
	(*Planner).itemBurn, calling(contracts.Vault, (*Planner).vault), calling(contracts.Vault, (*Planner).printValue), (*Planner).stack,
	calling(contracts.Vault, (*Planner).abortResponse), calling(contracts.Vault, (*Planner).abortPostCondition),
	calling(contracts.Vault, (*Planner).problematic), (*Planner).poison, (*Planner).name, (*Planner).staking, (*Planner).registry,
	calling(contracts.Vault, (*Planner).announce),
}

// calling returns what plans a call of a contract of a template.
func calling(t *contracts.Template, plan func(*Planner, *vm.Execution, ledger.Party, *account.Account) *vm.Operation) func(*Planner, *vm.Execution) *vm.Operation {
	return func(p *Planner, x *vm.Execution) *vm.Operation {
		contract, from := p.caller(x, t)
		if from == nil {
			return nil
		}
		return plan(p, x, contract, from)
	}
}

// Operation returns a random operation that is minable now, or nil if no account has money left.
func (p *Planner) Operation(x *vm.Execution) *vm.Operation {
	n := p.random.IntN(max(p.weight, 1))
	for i, w := range p.weights {
		if n -= w; n < 0 {
			if o := planners[i](p, x); o != nil && x.Minable(o) {
				return o
			}
			break
		}
	}
	if o := p.transfer(x); o != nil && x.Minable(o) {
		return o
	}
	return nil
}

// sender returns a random account that has something to spend, or nil.
func (p *Planner) sender(x *vm.Execution) *account.Account {
	for range 12 {
		a := p.accounts[p.random.IntN(len(p.accounts))]
		if x.Spendable(a.Party) >= spare {
			return a
		}
	}
	return nil
}

// Recipient returns a random account, contract or stranger other than not.
func (p *Planner) Recipient(x *vm.Execution, not ledger.Party) ledger.Party {
	for {
		var to ledger.Party
		switch p.random.IntN(20) {
		case 0:
			to = p.Stranger()
		case 1:
			if contract, ok := p.contract(x, nil); ok {
				to = contract
				break
			}
			fallthrough
		default:
			to = p.accounts[p.random.IntN(len(p.accounts))].Party
		}
		if to != not {
			return to
		}
	}
}

// Stranger returns a random address whose key nobody has.
func (p *Planner) Stranger() ledger.Party { return p.stranger(p.random.IntN(len(p.accounts))) }

// stranger returns an address whose key nobody has.
func (p *Planner) stranger(n int) ledger.Party {
	digest := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("stranger"), uint64(n)))
	address := c32.Address{Version: p.rules.Network.Boot().Version, Hash160: [20]byte(digest[:20])}
	return p.rules.Roll.Number(clarity.Principal{Address: address})
}

// contract returns a random contract of the template, or of any template if t is nil. It returns false if a few
// attempts find none.
func (p *Planner) contract(x *vm.Execution, t *contracts.Template) (ledger.Party, bool) {
	n := int(x.Total.Get(ledger.TotalContracts).Lo)
	for range min(n, 12) {
		contract := x.Contract.Get(p.random.IntN(n))
		if t == nil || x.Deployed.Get(contract) == t {
			return contract, true
		}
	}
	return 0, false
}

// caller returns a random contract of the template, and an account that can call it; nil if a few attempts find none.
func (p *Planner) caller(x *vm.Execution, t *contracts.Template) (contract ledger.Party, from *account.Account) {
	contract, ok := p.contract(x, t)
	if from = p.sender(x); !ok {
		return 0, nil
	}
	return contract, from
}

func (p *Planner) fee() uint64 { return minFee + p.random.Uint64N(maxFee-minFee) }

// part returns a random number up to about a quarter of n, and at least 1.
func (p *Planner) part(n uint64) uint64 {
	n = max(n/4, 1)
	return 1 + p.random.Uint64N(n)
}

// send returns the operation of a signed transaction.
func (p *Planner) send(
	x *vm.Execution, origin *account.Account, payload transaction.Payload, conditions transaction.PostConditions,
	run vm.Run,
) *vm.Operation {
	o := &vm.Operation{Origin: origin, Nonce: x.Nonce.Get(origin.Party), Fee: p.fee(), Run: run}
	if p.random.Chance(p.cfg.SponsoredShare) {
		if s := p.sender(x); s != nil && s != origin {
			o.Sponsor, o.SponsorNonce = s, x.Nonce.Get(s.Party)
		}
	}
	p.Sign(o, payload, conditions)
	return o
}

// Sign sets the raw transaction of an operation whose parties, nonces and fee are known.
func (p *Planner) Sign(o *vm.Operation, payload transaction.Payload, conditions transaction.PostConditions) {
	draft := transaction.Draft{
		Network: p.rules.Network.Stacks(), Nonce: o.Nonce, Fee: o.Fee, PostConditions: conditions,
		Sponsored: o.Sponsor != nil,
	}
	if o.Sponsor != nil {
		draft.Fee = 0
	}
	t := value.Must(draft.Transaction(payload))
	genuine := p.signed%uint64(p.cfg.SigningSample) == 0
	p.signed++
	o.Origin.Sign(t, genuine, p.FakeSignature)
	if o.Sponsor != nil {
		t.Sponsor.Nonce, t.Sponsor.Fee = o.SponsorNonce, o.Fee
		o.Sponsor.Sponsor(t, genuine, p.FakeSignature)
	}
	o.Payload = payload
	o.Raw = t.Encode()
	o.Txid = transaction.ID(o.Raw)
}

// FakeSignature returns random bytes in the form of a signature.
func (p *Planner) FakeSignature() key.Signature {
	var s key.Signature
	p.random.Fill(s[1:])
	s[1] &= 0x7f
	s[33] &= 0x3f
	return s
}

// call returns the operation of a contract call, which is minable on branches where the contract exists.
func (p *Planner) call(
	x *vm.Execution, origin *account.Account, contract ledger.Party, conditions transaction.PostConditions,
	function string, arguments []clarity.Value, run vm.Run,
) *vm.Operation {
	payload := &transaction.ContractCall{
		Contract: p.rules.Roll.Principal(contract), Function: function,
		Arguments: value.Must(transaction.NewArguments(arguments...)),
	}
	o := p.send(x, origin, payload, conditions, run)
	o.Needs = func(x *vm.Execution) bool { return x.Deployed.Has(contract) }
	return o
}

var allowAll = value.Must(transaction.NewPostConditions(transaction.PostConditionAllow))

// Stray returns a transaction that is never mined, because its nonce is too far ahead, or nil.
func (p *Planner) Stray(x *vm.Execution) *vm.Operation {
	if p.sender(x) == nil {
		return nil
	}
	o := p.transfer(x)
	if o == nil || o.Sponsor != nil {
		return nil
	}
	stray := &vm.Operation{Origin: o.Origin, Nonce: o.Nonce + 25, Fee: o.Fee}
	p.Sign(stray, o.Payload, allowAll)
	return stray
}
