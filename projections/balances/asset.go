package balances

import (
	"math/big"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// asset is the state of an asset after the last block that changed it. Its numbers are replaced, never changed in
// place.
type asset struct {
	name, kind              string
	height                  int64
	holders, mints          int64
	minted, burned, rewards *big.Int
}

func newAsset(name, kind string) *asset {
	return &asset{name: name, kind: kind, minted: zero, burned: zero, rewards: zero}
}

// add counts a change of a balance. before and after are the signs of the balance.
func (a *asset) add(c *change, before, after int) {
	switch {
	case before <= 0 && after > 0:
		a.holders++
	case before > 0 && after <= 0:
		a.holders--
	}
	switch c.issue {
	case issueMint:
		a.mints++
		a.minted = new(big.Int).Add(a.minted, c.delta)
	case issueBurn:
		a.burned = new(big.Int).Sub(a.burned, c.delta)
	}
	if c.coinbase != nil {
		a.rewards = new(big.Int).Add(a.rewards, c.coinbase)
	}
}

// issue says whether a change creates units (mint) or destroys them (burn).
type issue int

const (
	issueNone issue = iota
	issueMint
	issueBurn
)

func assetRow(a *asset, seq int64) []any {
	return []any{
		a.height, seq, a.holders, a.mints, projections.Amount(a.minted), projections.Amount(a.burned), projections.Amount(a.rewards), a.name, a.kind,
	}
}

var assetColumns = []string{"height", "source_seq", "holders", "mints", "minted", "burned", "rewards", "asset", "kind"}

// asset returns the asset of a change. It is new if load has not read it.
func (b *batch) asset(c *change) *asset {
	a := b.state.assets[c.asset]
	if a == nil {
		a = newAsset(c.asset, c.kind)
		b.state.assets[c.asset] = a
	}
	return a
}

// queueAssets queues a query of the assets that the effects change and that are not in memory.
func (b *batch) queueAssets(into *pgx.Batch, all []effects) {
	var names []string
	queued := map[string]bool{}
	for i := range all {
		for j := range all[i].changes {
			if name := all[i].changes[j].asset; b.state.assets[name] == nil && !queued[name] {
				queued[name] = true
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	into.Queue(b.spec.SQL(`
		SELECT k.asset, last.kind, last.height, last.holders, last.mints, last.minted::text, last.burned::text, last.rewards::text
		FROM unnest($1::text[]) AS k (asset)
		CROSS JOIN LATERAL (SELECT * FROM {schema}.asset a WHERE a.asset = k.asset ORDER BY a.height DESC LIMIT 1) last`), names).
		Query(b.readAssets)
}

func (b *batch) readAssets(rows pgx.Rows) error {
	var a asset
	var minted, burned, rewards string
	_, err := pgx.ForEachRow(rows, []any{&a.name, &a.kind, &a.height, &a.holders, &a.mints, &minted, &burned, &rewards}, func() (err error) {
		copied := a
		for _, number := range []struct {
			text string
			into **big.Int
		}{{minted, &copied.minted}, {burned, &copied.burned}, {rewards, &copied.rewards}} {
			if *number.into, err = decimal(number.text); err != nil {
				return err
			}
		}
		b.state.assets[copied.name] = &copied
		return nil
	})
	return err
}
