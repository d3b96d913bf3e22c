package synthordinals

import (
	"math/big"
	"strings"

	"strata/domain/ordinals"
)

// maxTokens limits the number of tokens, and with it the size of the world.
const maxTokens = 60

// planToken plans a BRC-20 transaction; nil if none is possible.
func (f *Feed) planToken(height uint64) *plan {
	if height < tokensFrom(f.cfg.Network) {
		return nil
	}
	t := f.world.tokens
	switch n := f.random.IntN(20); {
	case len(t.tickers.List) == 0, n == 0 && len(t.tickers.List) < maxTokens:
		return f.inscribeToken(f.deployText(height), f.address(), nil)
	case n < 8:
		return f.planMint()
	case n < 14 && len(t.holders.List) > 0:
		h := t.holders.List[f.random.IntN(len(t.holders.List))]
		amount := f.part(t.available.Get(h), t.deployed.Get(h.Ticker).decimals)
		if f.random.IntN(10) == 0 {
			amount = new(big.Int).Add(t.available.Get(h), oneToken) // more than the balance, so the operation is invalid
		}
		return f.inscribeToken(&tokenText{kind: ordinals.BRC20KindTransfer, tick: f.spelling(h.Ticker), amount: amount}, h.Address, nil)
	case len(t.waiting.List) > 0:
		return f.planSend()
	}
	return f.planMint()
}

// planMint plans a mint, sometimes above the limit.
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

// planSend plans the move of an inscribed amount.
func (f *Feed) planSend() *plan {
	t := f.world.tokens
	pending := t.pending.Get(t.waiting.List[f.random.IntN(len(t.waiting.List))])
	address := f.address()
	if f.random.Chance(f.cfg.SelfSendShare) {
		address = pending.operation.address
	}
	return f.moveAll(pending.at, f.world.outputs.Get(pending.at), address)
}

// inscribeToken plans the reveal of a BRC-20 text; nil if no fresh sats are left.
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

// deployText returns the text of a new token, or sometimes of an existing one.
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
	if len(known) > 0 && (f.random.IntN(8) == 0 || f.cfg.SecondDeploys && f.random.IntN(2) == 0) {
		t.tick = f.spelling(known[f.random.IntN(len(known))])
		return t
	}
	t.tick = f.tick(t.selfMint)
	return t
}

// tick returns a tick of four bytes, or of five for a token with self mint.
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

// spelling returns a ticker in lower or upper case.
func (f *Feed) spelling(ticker string) string {
	if f.random.IntN(3) == 0 {
		return strings.ToUpper(ticker)
	}
	return ticker
}

// whole returns an amount of 1 to limit whole tokens.
func (f *Feed) whole(limit int64) *big.Int {
	return new(big.Int).Mul(oneToken, big.NewInt(1+f.random.Int64N(limit)))
}

// part returns a random part of an amount, at least the smallest amount with these decimals.
func (f *Feed) part(amount *big.Int, decimals uint8) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(ordinals.AmountDecimals-decimals)), nil)
	part := new(big.Int).Mul(amount, big.NewInt(1+f.random.Int64N(1000)))
	part.Quo(part, big.NewInt(1000))
	part.Quo(part, unit).Mul(part, unit)
	if part.Sign() == 0 {
		part.Set(unit)
	}
	return part
}
