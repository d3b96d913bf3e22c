package synthordinals

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"strata/domain/ordinals"
	"strata/internal/synth/undo"
	"strata/internal/synth/value"
)

// token is a BRC-20 token. Amounts are in units of 10^-18.
type token struct {
	tick       string // as inscribed
	id         ordinals.InscriptionID
	max, limit *big.Int // max is 0 for unlimited, which needs selfMint
	minted     *big.Int
	decimals   uint8
	selfMint   bool // only children of the deploy may mint
}

// tokenText is the BRC-20 text of an inscription, which may be invalid.
type tokenText struct {
	kind       ordinals.BRC20Kind
	tick       string
	amount     *big.Int // only of a mint or transfer
	max, limit *big.Int // only of a deploy
	decimals   uint8
	selfMint   bool
}

// tokens is the BRC-20 state of an indexer.
type tokens struct {
	deployed  undo.Table[string, *token] // by ticker
	tickers   *undo.Roster[string]
	available undo.Table[Holding, *big.Int]
	holders   *undo.Roster[Holding]
	pending   undo.Table[ordinals.Sat, pendingSend] // inscribed and not yet sent
	waiting   *undo.Roster[ordinals.Sat]            // the sats of pending

	secondDeploys bool // as Config says
}

// pendingSend is an amount that the next move of its sat sends.
type pendingSend struct {
	operation *tokenOperation
	at        outpoint // of the reveal; the first move from there sends the amount
}

func newTokens(j *undo.Log) tokens {
	return tokens{
		deployed:  undo.NewTable[string, *token](j),
		tickers:   undo.NewRoster[string](j),
		available: undo.NewTable[Holding, *big.Int](j),
		holders:   undo.NewRoster[Holding](j),
		pending:   undo.NewTable[ordinals.Sat, pendingSend](j),
		waiting:   undo.NewRoster[ordinals.Sat](j),
	}
}

// ticker returns the form of a tick that identifies a token.
func ticker(tick string) string { return strings.ToLower(tick) }

// tokensFrom returns the first height at which indexers look for BRC-20.
func tokensFrom(n ordinals.Network) uint64 { return onMainnet(n, 779_832) }

// selfMintsFrom returns the first height at which indexers accept self mints.
func selfMintsFrom(n ordinals.Network) uint64 { return onMainnet(n, 837_090) }

func onMainnet(n ordinals.Network, height uint64) uint64 {
	if n == ordinals.Mainnet {
		return height
	}
	return 0
}

const (
	tickBytes         = 4
	selfMintTickBytes = 5
)

// inscribed returns the operation of a reveal; nil if it is invalid.
func (t tokens) inscribed(r *reveal, height uint64, n ordinals.Network) *tokenOperation {
	if height < tokensFrom(n) || r.curse != "" || r.to.kind != ordinals.Transferred {
		return nil
	}
	o := &tokenOperation{
		kind: r.token.kind, tick: r.token.tick, id: r.id, address: r.to.address, amount: r.token.amount, sat: r.sat, to: r.to,
	}
	known := t.deployed.Get(ticker(o.tick))
	switch {
	case o.kind == ordinals.BRC20KindDeploy:
		return t.deploy(o, r, known, height >= selfMintsFrom(n))
	case known == nil:
		return nil
	case o.kind == ordinals.BRC20KindMint:
		return t.mint(o, r, known)
	}
	return t.transfer(o, known)
}

func (t tokens) deploy(o *tokenOperation, r *reveal, known *token, selfMints bool) *tokenOperation {
	text := r.token
	length := tickBytes
	if text.selfMint {
		length = selfMintTickBytes
	}
	if known != nil && !t.secondDeploys || len(o.tick) != length || text.selfMint && !selfMints || text.max.Sign() == 0 && !text.selfMint {
		return nil
	}
	o.deploy = &token{
		tick: o.tick, id: o.id, max: text.max, limit: text.limit, minted: new(big.Int), decimals: text.decimals, selfMint: text.selfMint,
	}
	o.decimals = text.decimals
	if known == nil {
		t.deployed.Set(ticker(o.tick), o.deploy)
		t.tickers.Add(ticker(o.tick))
	}
	return o
}

// mint mints the amount, or what is left if that is less.
func (t tokens) mint(o *tokenOperation, r *reveal, known *token) *tokenOperation {
	if o.amount.Cmp(known.limit) > 0 || known.selfMint && (len(r.parents) == 0 || r.parents[0] != known.id) {
		return nil
	}
	if known.max.Sign() > 0 {
		left := new(big.Int).Sub(known.max, known.minted)
		if left.Sign() == 0 {
			return nil
		}
		if left.Cmp(o.amount) < 0 {
			o.amount = left
		}
	}
	minted := *known
	minted.minted = new(big.Int).Add(known.minted, o.amount)
	t.deployed.Set(ticker(o.tick), &minted)
	o.decimals = known.decimals
	t.add(o, o.address, o.amount)
	return o
}

func (t tokens) transfer(o *tokenOperation, known *token) *tokenOperation {
	has := t.available.Get(Holding{Ticker: ticker(o.tick), Address: o.address})
	if has == nil || has.Cmp(o.amount) < 0 {
		return nil
	}
	o.decimals = known.decimals
	t.add(o, o.address, new(big.Int).Neg(o.amount))
	t.pending.Set(o.sat, pendingSend{operation: o, at: o.to.at})
	t.waiting.Add(o.sat)
	return o
}

// moved returns the operation that the move of a sat completes; nil for none.
func (t tokens) moved(m *move) *tokenOperation {
	inscribed, ok := t.pending.Rows[m.sat]
	if !ok {
		return nil
	}
	o := *inscribed.operation
	o.kind, o.to = ordinals.BRC20KindTransferSend, m.to
	switch m.to.kind {
	case ordinals.Transferred:
		o.receiver = m.to.address
	case ordinals.SpentInFees:
		o.receiver = o.address
	}
	t.withdraw(m.sat)
	if o.receiver != "" {
		t.add(&o, o.receiver, o.amount)
	}
	return &o
}

// withdraw forgets the amount that is pending on a sat.
func (t tokens) withdraw(sat ordinals.Sat) {
	t.pending.Remove(sat)
	t.waiting.Remove(sat)
}

// add changes the available balance of an address by an amount of the operation's token.
func (t tokens) add(o *tokenOperation, address string, amount *big.Int) {
	h := Holding{Ticker: ticker(o.tick), Address: address}
	sum := new(big.Int).Set(amount)
	if has := t.available.Get(h); has != nil {
		sum.Add(sum, has)
	}
	if sum.Sign() == 0 {
		t.available.Remove(h)
		t.holders.Remove(h)
		return
	}
	t.available.Set(h, sum)
	t.holders.Add(h)
}

// content returns the text as JSON.
func (t *tokenText) content() []byte {
	text := map[string]string{"p": "brc-20", "op": string(t.kind), "tick": t.tick}
	if t.kind == ordinals.BRC20KindDeploy {
		text["max"], text["lim"] = plainAmount(t.max), plainAmount(t.limit)
		text["dec"] = strconv.Itoa(int(t.decimals))
		if t.selfMint {
			text["self_mint"] = "true"
		}
	} else {
		text["amt"] = plainAmount(t.amount)
	}
	return value.Must(json.Marshal(text))
}

// oneToken is one token in units of 10^-18.
var oneToken = new(big.Int).Exp(big.NewInt(10), big.NewInt(ordinals.AmountDecimals), nil)

// plainAmount returns an amount without trailing zeros.
func plainAmount(units *big.Int) string {
	text := ordinals.FormatAmount(units, ordinals.AmountDecimals)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
