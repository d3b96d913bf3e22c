package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/wire"
)

// Account is what an account has at a block.
type Account struct {
	Total, Locked string // µSTX; Total includes Locked
	Unlocked      string // µSTX: Total without Locked
	UnlockHeight  int64  // of Bitcoin; 0 while nothing is locked
	NextNonce     string // decimal
	Tokens        []wire.Amount
}

func accountColumns(a *Account) []any {
	return []any{&a.Total, &a.Locked, &a.Unlocked, &a.UnlockHeight, &a.NextNonce}
}

// tokenBalance is the balance of a fungible token.
type tokenBalance struct{ asset, balance string }

func tokenBalanceColumns(r *tokenBalance) []any { return []any{&r.asset, &r.balance} }

// Tokens selects the tokens whose balances to read.
type Tokens struct {
	All        bool     // all fungible tokens of the account
	Fungible   []string // asset identifiers
	Individual []wire.Currency
}

// TokensOf returns the tokens among currencies; all fungible tokens if there are no currencies at all.
func TokensOf(currencies []wire.Currency) Tokens {
	if currencies == nil {
		return Tokens{All: true}
	}
	var t Tokens
	for _, c := range currencies {
		switch {
		case c.Metadata == nil || c.Metadata.AssetIdentifier == "":
		case c.Metadata.TokenType == wire.NonFungible:
			t.Individual = append(t.Individual, c)
		default:
			t.Fungible = append(t.Fungible, c.Metadata.AssetIdentifier)
		}
	}
	return t
}

// ReadAccount reads what an account has at a height. Each balance is one look-up in an index, however old the block is.
func ReadAccount(ctx context.Context, s *engine.Snapshot, account string, height int64, tokens Tokens) (*Account, error) {
	b := s.Batch()
	found := engine.Query(b, accountColumns, `
		SELECT array_remove(ARRAY[s.source_seq, l.source_seq, n.source_seq], NULL), coalesce(s.balance, 0)::text, lock.amount::text, (coalesce(s.balance, 0) - lock.amount)::text,
		       CASE WHEN lock.amount > 0 THEN l.unlock_height ELSE 0 END, coalesce(n.next_nonce, 0)::text
		FROM {balances}.block c
		LEFT JOIN LATERAL (
			SELECT x.source_seq, x.balance FROM {balances}.entry x
			WHERE x.holding = (SELECT h.id FROM {balances}.holding h WHERE h.account = $1 AND h.asset = 'stx') AND x.height <= $2 ORDER BY x.height DESC, x.n DESC LIMIT 1
		) s ON true
		LEFT JOIN LATERAL (`+lastLock("$1", "$2")+`) l ON true
		LEFT JOIN LATERAL (
			SELECT x.source_seq, x.next_nonce FROM {balances}.signer_nonce x
			WHERE x.signer = (SELECT g.id FROM {balances}.signer g WHERE g.account = $1) AND x.height <= $2 ORDER BY x.height DESC LIMIT 1
		) n ON true
		CROSS JOIN LATERAL (SELECT `+locked("l", "c")+` AS amount) lock
		WHERE c.height = $2`, account, height)
	const at = `LEFT JOIN LATERAL (
			SELECT x.source_seq, x.balance FROM {balances}.entry x
			WHERE x.holding = (SELECT h.id FROM {balances}.holding h WHERE h.account = $1 AND h.asset = wanted.asset) AND x.height <= $2 ORDER BY x.height DESC, x.n DESC LIMIT 1
		) l ON true `
	fungible := &engine.Result[tokenBalance]{}
	switch {
	case tokens.All:
		fungible = engine.Query(b, tokenBalanceColumns, `
			SELECT array_remove(ARRAY[l.source_seq], NULL), wanted.asset, coalesce(l.balance, 0)::text
			FROM {balances}.holding wanted `+at+`
			WHERE wanted.account = $1 AND wanted.kind = 'ft' AND l.balance <> 0 ORDER BY wanted.asset COLLATE "C"`, account, height)
	case len(tokens.Fungible) > 0:
		fungible = engine.Query(b, tokenBalanceColumns, `
			SELECT array_remove(ARRAY[l.source_seq], NULL), wanted.asset, coalesce(l.balance, 0)::text
			FROM (SELECT DISTINCT asset FROM unnest($3::text[]) AS t (asset)) wanted `+at+`
			ORDER BY wanted.asset COLLATE "C"`, account, height, tokens.Fungible)
	}
	individual := make([]*engine.Result[bool], len(tokens.Individual))
	for i, c := range tokens.Individual {
		value, _ := hex.DecodeString(strings.TrimPrefix(c.Metadata.Value, "0x"))
		digest := sha256.Sum256(value)
		individual[i] = engine.Query(b, func(owns *bool) []any { return []any{owns} }, `
			SELECT ARRAY[e.source_seq], e.recipient IS NOT DISTINCT FROM $1
			FROM {balances}.nft_event e WHERE e.asset = $3 AND e.value_hash = $4 AND e.height <= $2 ORDER BY e.n DESC LIMIT 1`,
			account, height, c.Metadata.AssetIdentifier, digest[:])
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	a, ok := found.First()
	if !ok {
		return nil, ErrNoBlock
	}
	assets := make([]string, len(fungible.Rows))
	for i, r := range fungible.Rows {
		assets[i] = r.asset
	}
	b = s.Batch()
	take := queueCurrencies(s, b, assets)
	if len(b.Queries) > 0 {
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
	}
	currencies := take()
	for _, r := range fungible.Rows {
		a.Tokens = append(a.Tokens, wire.Amount{Value: r.balance, Currency: currencies.Of(r.asset)})
	}
	for i, c := range tokens.Individual {
		value := "0"
		if owns, ok := individual[i].First(); ok && owns {
			value = "1"
		}
		a.Tokens = append(a.Tokens, wire.Amount{Value: value, Currency: c})
	}
	return &a, nil
}
