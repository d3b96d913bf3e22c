package token

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The list of fungible tokens has two orders, and clients request its pages by offset. Table stretch counts the tokens
// in each stretch of a list, so that a reader finds any offset by adding up a few numbers instead of walking to it.
//
// Package ranked does the same for lists whose keys are three numbers. The keys here are texts, which no numbers can
// replace: between two names there is always room for another.

// list is an order of the list of fungible tokens.
type list string

const (
	listByName   list = "name"
	listBySymbol list = "symbol"
)

var lists = []list{listByName, listBySymbol}

// listPlace is the position of a token in a list. Several contracts may share a key.
type listPlace struct{ key, contract string }

// keyOfNothing is the key of a token without a name or symbol. It sorts after the keys of all tokens that have one.
const keyOfNothing = "1"

// keyMax is the number of bytes of a name or symbol that its key holds: contracts may answer with more than an index
// can hold.
const keyMax = 1024

// listKey returns the key of a name or symbol. It ignores case.
func listKey(name *string) string {
	if name == nil || *name == "" {
		return keyOfNothing
	}
	key := strings.ToLower(*name)
	if len(key) > keyMax {
		key = strings.ToValidUTF8(key[:keyMax], "") // drops half a character at the end
	}
	return "0" + key
}

// stretchMax is how many tokens a stretch may have before it is cut in two.
const stretchMax = 512

// column returns the column of table token that holds the keys of a list.
func (l list) column() string { return string(l) + "_key" }

// enlist counts tokens that have come into a list. All their rows must have been written before, because the rows
// decide where a stretch that is too long is cut.
func (b *batch) enlist(l list, places ...listPlace) error {
	if len(places) == 0 {
		return nil
	}
	long := false
	query := b.sql(`
		INSERT INTO {schema}.stretch AS s (list, first_key, first_contract, n)
		SELECT $1, coalesce(found.first_key, ''), coalesce(found.first_contract, ''), 1
		FROM (SELECT) nothing LEFT JOIN LATERAL (` + stretchSQL + `) found ON true
		ON CONFLICT (list, first_key, first_contract) DO UPDATE SET n = s.n + 1
		RETURNING n`)
	queries := &pgx.Batch{}
	for _, at := range places {
		queries.Queue(query, string(l), at.key, at.contract).QueryRow(func(row pgx.Row) error {
			var n int64
			err := row.Scan(&n)
			long = long || n > stretchMax
			return err
		})
	}
	if err := b.tx.SendBatch(b.ctx, queries).Close(); err != nil {
		return fmt.Errorf("count %d tokens in the list by %s: %w", len(places), l, err)
	}
	for long {
		var err error
		if long, err = b.cut(l); err != nil {
			return err
		}
	}
	return nil
}

// stretchSQL finds the stretch of list $1 that holds the place $2, $3.
const stretchSQL = `
	SELECT first_key, first_contract FROM {schema}.stretch
	WHERE list = $1 AND (first_key, first_contract) <= ($2, $3)
	ORDER BY first_key DESC, first_contract DESC LIMIT 1`

// cut splits the longest stretch of a list in two if it is too long. more is true if others may be too long as well.
func (b *batch) cut(l list) (more bool, err error) {
	tag, err := b.tx.Exec(b.ctx, b.sql(strings.ReplaceAll(`
		WITH long AS (
			SELECT first_key, first_contract, n, n / 2 AS half FROM {schema}.stretch
			WHERE list = $1 AND n > $2 ORDER BY n DESC, first_key, first_contract LIMIT 1
		), middle AS (
			SELECT m.* FROM long CROSS JOIN LATERAL (
				SELECT <key> AS key, contract_id FROM {schema}.token
				WHERE (<key>, contract_id COLLATE "C") >= (long.first_key, long.first_contract) AND <key> IS NOT NULL
				ORDER BY <key>, contract_id COLLATE "C" OFFSET long.half LIMIT 1) m
		), shortened AS (
			UPDATE {schema}.stretch s SET n = long.half FROM long, middle
			WHERE s.list = $1 AND s.first_key = long.first_key AND s.first_contract = long.first_contract
		)
		INSERT INTO {schema}.stretch (list, first_key, first_contract, n)
		SELECT $1, middle.key, middle.contract_id, long.n - long.half FROM long, middle`,
		"<key>", l.column())), string(l), stretchMax)
	if err != nil {
		return false, fmt.Errorf("cut a stretch of the list by %s: %w", l, err)
	}
	return tag.RowsAffected() > 0, nil
}

// delist subtracts tokens that have left a list, and deletes stretches that become empty, except for the first one.
func (b *batch) delist(l list, places ...listPlace) error {
	if len(places) == 0 {
		return nil
	}
	query := b.sql(`
		WITH found AS (` + stretchSQL + `), gone AS (
			DELETE FROM {schema}.stretch s USING found f
			WHERE s.list = $1 AND s.first_key = f.first_key AND s.first_contract = f.first_contract AND s.n = 1 AND s.first_key <> ''
		)
		UPDATE {schema}.stretch s SET n = n - 1 FROM found f
		WHERE s.list = $1 AND s.first_key = f.first_key AND s.first_contract = f.first_contract AND (s.n > 1 OR s.first_key = '')`)
	queries := &pgx.Batch{}
	for _, at := range places {
		queries.Queue(query, string(l), at.key, at.contract)
	}
	if err := b.tx.SendBatch(b.ctx, queries).Close(); err != nil {
		return fmt.Errorf("remove %d tokens from the list by %s: %w", len(places), l, err)
	}
	return nil
}

// listing holds a token's keys before and after its row was written, in the order of lists.
type listing struct {
	contract      string
	before, after [2]string
}

// relist moves tokens whose names or symbols have changed. Their rows must have the new keys already.
func (b *batch) relist(all []listing) error {
	for i, l := range lists {
		var places []listPlace
		for _, moved := range all {
			if moved.before[i] == moved.after[i] {
				continue
			}
			if err := b.delist(l, listPlace{moved.before[i], moved.contract}); err != nil {
				return err
			}
			places = append(places, listPlace{moved.after[i], moved.contract})
		}
		if err := b.enlist(l, places...); err != nil {
			return err
		}
	}
	return nil
}

// dropTokens deletes the tokens that a condition selects, together with their positions in lists, their references and
// their wants.
func (b *batch) dropTokens(where string, args ...any) error {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		DELETE FROM {schema}.token WHERE `+where+`
		RETURNING contract_id, token_id::text, coalesce(name_key, ''), coalesce(symbol_key, '')`), args...)
	if err != nil {
		return fmt.Errorf("delete tokens: %w", err)
	}
	type gone struct {
		tokenKey
		keys [2]string
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (g gone, err error) {
		return g, row.Scan(&g.contract, &g.id, &g.keys[0], &g.keys[1])
	})
	if err != nil {
		return fmt.Errorf("delete tokens: %w", err)
	}
	keys := make([]tokenKey, len(all))
	var wants [][]byte
	var places [2][]listPlace
	for i, g := range all {
		keys[i] = g.tokenKey
		b.touchToken(g.tokenKey)
		for at := range lists {
			if g.keys[at] != "" {
				places[at] = append(places[at], listPlace{g.keys[at], g.contract})
			}
		}
		read, supply := keyHash(b.readWant(g.contract, bigOf(g.id))), keyHash(b.supplyWant(g.contract, bigOf(g.id)))
		wants = append(wants, read[:], supply[:])
	}
	for at, l := range lists {
		if err := b.delist(l, places[at]...); err != nil {
			return err
		}
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
