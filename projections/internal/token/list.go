package token

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The list of fungible tokens has two orders, and pages are asked for by their number. Table stretch counts the tokens of
// stretches of a list, so that the page at any offset is found by adding up a few numbers, and not by walking to it.

// list is an order of the list of fungible tokens.
type list string

const (
	listByName   list = "name"
	listBySymbol list = "symbol"
)

var lists = []list{listByName, listBySymbol}

// listPlace is where a list has a token.
type listPlace struct{ key, contract string }

// keyOfNothing is the key of what has no name: it comes after all that have one.
const keyOfNothing = "1"

// listKey is the key of a name or symbol: case does not count.
func listKey(name *string) string {
	if name == nil || *name == "" {
		return keyOfNothing
	}
	return "0" + strings.ToLower(*name)
}

// stretchMax is how many tokens a stretch may have before it is cut in two.
const stretchMax = 512

// column of table token that holds the keys of a list.
func (l list) column() string { return string(l) + "_key" }

// enlist counts a token that stands in its list now.
func (b *batch) enlist(l list, at listPlace) error {
	var n int64
	var first listPlace
	err := b.tx.QueryRow(b.ctx, b.sql(`
		INSERT INTO {schema}.stretch AS s (list, first_key, first_contract, n)
		SELECT $1, coalesce(found.first_key, ''), coalesce(found.first_contract, ''), 1
		FROM (SELECT) nothing LEFT JOIN LATERAL (`+stretchSQL+`) found ON true
		ON CONFLICT (list, first_key, first_contract) DO UPDATE SET n = s.n + 1
		RETURNING first_key, first_contract, n`), string(l), at.key, at.contract).Scan(&first.key, &first.contract, &n)
	if err != nil {
		return fmt.Errorf("count a token in the list by %s: %w", l, err)
	}
	if n <= stretchMax {
		return nil
	}
	return b.cut(l, first, n)
}

// stretchSQL finds the stretch of list $1 that holds the place $2, $3.
const stretchSQL = `
	SELECT first_key, first_contract FROM {schema}.stretch
	WHERE list = $1 AND (first_key, first_contract) <= ($2, $3)
	ORDER BY first_key DESC, first_contract DESC LIMIT 1`

// cut makes two stretches of one.
func (b *batch) cut(l list, first listPlace, n int64) error {
	_, err := b.tx.Exec(b.ctx, b.sql(strings.ReplaceAll(`
		WITH middle AS (
			SELECT <key> AS key, contract_id FROM {schema}.token
			WHERE (<key>, contract_id COLLATE "C") >= ($2, $3) AND <key> IS NOT NULL
			ORDER BY <key>, contract_id COLLATE "C" OFFSET $4 LIMIT 1
		), shortened AS (
			UPDATE {schema}.stretch SET n = $4 WHERE list = $1 AND first_key = $2 AND first_contract = $3 AND EXISTS (SELECT FROM middle)
		)
		INSERT INTO {schema}.stretch (list, first_key, first_contract, n) SELECT $1, key, contract_id, $5 - $4 FROM middle`,
		"<key>", l.column())), string(l), first.key, first.contract, n/2, n)
	if err != nil {
		return fmt.Errorf("cut a stretch of the list by %s: %w", l, err)
	}
	return nil
}

// delist counts a token that does not stand there any more.
func (b *batch) delist(l list, at listPlace) error {
	_, err := b.tx.Exec(b.ctx, b.sql(`
		WITH found AS (`+stretchSQL+`), gone AS (
			DELETE FROM {schema}.stretch s USING found f
			WHERE s.list = $1 AND s.first_key = f.first_key AND s.first_contract = f.first_contract AND s.n = 1 AND s.first_key <> ''
		)
		UPDATE {schema}.stretch s SET n = n - 1 FROM found f
		WHERE s.list = $1 AND s.first_key = f.first_key AND s.first_contract = f.first_contract AND (s.n > 1 OR s.first_key = '')`),
		string(l), at.key, at.contract)
	if err != nil {
		return fmt.Errorf("take a token out of the list by %s: %w", l, err)
	}
	return nil
}

// relist moves a token whose name or symbol has changed. The row has the new keys.
func (b *batch) relist(contract string, before, after [2]string) error {
	for i, l := range lists {
		if before[i] == after[i] {
			continue
		}
		if err := b.delist(l, listPlace{before[i], contract}); err != nil {
			return err
		}
		if err := b.enlist(l, listPlace{after[i], contract}); err != nil {
			return err
		}
	}
	return nil
}

// dropTokens deletes the tokens that a condition selects, with their place in lists, their references and their wants.
func (b *batch) dropTokens(where string, args ...any) error {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		DELETE FROM {schema}.token WHERE `+where+`
		RETURNING contract_id, token_id::text, coalesce(name_key, ''), coalesce(symbol_key, '')`), args...)
	if err != nil {
		return fmt.Errorf("take tokens off: %w", err)
	}
	type gone struct {
		tokenKey
		keys [2]string
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (g gone, err error) {
		return g, row.Scan(&g.contract, &g.id, &g.keys[0], &g.keys[1])
	})
	if err != nil {
		return fmt.Errorf("take tokens off: %w", err)
	}
	keys := make([]tokenKey, len(all))
	var wants [][]byte
	for i, g := range all {
		keys[i] = g.tokenKey
		b.touchToken(g.tokenKey)
		for at, l := range lists {
			if g.keys[at] == "" {
				continue
			}
			if err := b.delist(l, listPlace{g.keys[at], g.contract}); err != nil {
				return err
			}
		}
		read, supply := keyHash(b.readWant(g.contract, bigOf(g.id))), keyHash(b.supplyWant(g.contract, bigOf(g.id)))
		wants = append(wants, read[:], supply[:])
	}
	if err := b.dropWants(wants); err != nil {
		return err
	}
	return b.dropReferences(keys)
}

func (b *batch) dropWants(keys [][]byte) error {
	if len(keys) == 0 {
		return nil
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`DELETE FROM {schema}.want WHERE key_hash = ANY ($1)`), keys); err != nil {
		return fmt.Errorf("drop %d wants: %w", len(keys), err)
	}
	return nil
}
