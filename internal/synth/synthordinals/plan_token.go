package synthordinals

import (
	"math/big"
	"strings"

	"strata/domain/ordinals"
)

// mostTokens bounds the number of tokens, and with it the world.
const mostTokens = 60

// planToken makes a transaction about BRC-20; nil if there is nothing that could be done.
func (f *Feed) planToken(height uint64) *plan {
	if height < tokensFrom(f.cfg.Network) {
		return nil
	}
	t := f.world.tokens
	switch n := f.random.IntN(20); {
	case len(t.tickers.List) == 0, n == 0 && len(t.tickers.List) < mostTokens:
		return f.inscribeToken(f.deployText(height), f.address(), nil)
	case n < 8:
		return f.planMint()
	case n < 14 && len(t.holders.List) > 0:
		h := t.holders.List[f.random.IntN(len(t.holders.List))]
		amount := f.part(t.available.Get(h), t.deployed.Get(h.Ticker).decimals)
		if f.random.IntN(10) == 0 {
			amount = new(big.Int).Add(t.available.Get(h), oneToken) // more than there is, so it is not valid
		}
		return f.inscribeToken(&tokenText{kind: ordinals.BRC20KindTransfer, tick: f.spelling(h.Ticker), amount: amount}, h.Address, nil)
	case len(t.waiting.List) > 0:
		return f.planSend()
	}
	return f.planMint()
}

// planMint mints, and sometimes too much.
func (f *Feed) planMint() *plan {
	t := f.world.tokens
	known := t.deployed.Get(t.tickers.List[f.random.IntN(len(t.tickers.List))])
	amount := f.part(known.limit, known.decimals)
	if f.random.IntN(3) == 0 {
		amount = known.limit
	}
	if f.random.IntN(15) == 0 {
		amount = new(big.Int).Add(known.limit, oneToken)
	}
	var parents []ordinals.InscriptionID
	if known.selfMint && f.random.IntN(8) > 0 {
		parents = []ordinals.InscriptionID{known.id}
	}
	return f.inscribeToken(&tokenText{kind: ordinals.BRC20KindMint, tick: f.spelling(ticker(known.tick)), amount: amount}, f.address(), parents)
}

// planSend moves the inscription of an amount.
func (f *Feed) planSend() *plan {
	t := f.world.tokens
	pending := t.pending.Get(t.waiting.List[f.random.IntN(len(t.waiting.List))])
	address := f.address()
	if f.random.Chance(f.cfg.SelfSendShare) {
		address = pending.operation.address
	}
	return f.moveAll(pending.at, f.world.outputs.Get(pending.at), address)
}

// inscribeToken reveals a text about BRC-20; nil if all sats are used up.
func (f *Feed) inscribeToken(text *tokenText, address string, parents []ordinals.InscriptionID) *plan {
	in, ok := f.buy(false)
	if !ok {
		return nil
	}
	p := &plan{
		id: f.random.Hash32(), inputs: []input{in}, payees: []payee{{value: in.value, address: address}},
		envelopes: []*envelope{{
			hops: uint64(f.random.IntN(1000)), contentType: "text/plain;charset=utf-8", mime: "text/plain", content: text.content(),
			token: text, parents: parents,
		}},
	}
	f.fund(p)
	return p
}

// deployText is a new token, or one that is there already.
func (f *Feed) deployText(height uint64) *tokenText {
	t := &tokenText{kind: ordinals.BRC20KindDeploy, decimals: ordinals.AmountDecimals}
	if f.random.IntN(2) == 0 {
		t.decimals = uint8(f.random.IntN(ordinals.AmountDecimals + 1))
	}
	t.max = f.whole(10_000)
	t.limit = f.whole(1_000)
	t.selfMint = height >= selfMintsFrom(f.cfg.Network) && f.random.IntN(3) == 0
	if t.selfMint && f.random.IntN(2) == 0 {
		t.max = new(big.Int)
	}
	known := f.world.tokens.tickers.List
	if len(known) > 0 && f.random.IntN(8) == 0 {
		t.tick = f.spelling(known[f.random.IntN(len(known))])
		return t
	}
	t.tick = f.tick(t.selfMint)
	return t
}

// tick is four bytes, of a self mint five.
func (f *Feed) tick(selfMint bool) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$_%"
	if !selfMint && f.random.IntN(6) == 0 {
		return string([]rune("🔥🐸🚀🌊🍕🎲👻🪙")[f.random.IntN(8)])
	}
	var tick strings.Builder
	if selfMint {
		tick.WriteByte('$')
	}
	for range tickBytes {
		tick.WriteByte(letters[f.random.IntN(len(letters))])
	}
	return tick.String()
}

// spelling is a ticker as people write it: in whatever case.
func (f *Feed) spelling(ticker string) string {
	if f.random.IntN(3) == 0 {
		return strings.ToUpper(ticker)
	}
	return ticker
}

// whole is a number of whole tokens.
func (f *Feed) whole(most int64) *big.Int {
	return new(big.Int).Mul(oneToken, big.NewInt(1+f.random.Int64N(most)))
}

// part is some of an amount, at least the smallest that the decimals have.
func (f *Feed) part(of *big.Int, decimals uint8) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(ordinals.AmountDecimals-decimals)), nil)
	some := new(big.Int).Mul(of, big.NewInt(1+f.random.Int64N(1000)))
	some.Quo(some, big.NewInt(1000))
	some.Quo(some, unit).Mul(some, unit)
	if some.Sign() == 0 {
		some.Set(unit)
	}
	return some
}
