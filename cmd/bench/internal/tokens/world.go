package tokens

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/domain/document"
	"strata/internal/testkit/outside"
	"strata/projections"
	"strata/projections/ft"
	"strata/projections/nft"
)

// knownTokens are the tokens of one kind in the token world, where all metadata is known. A fifth of all tokens are
// fungible, each of its own contract; the others are in collections.
type knownTokens struct {
	kind  projections.Spec
	name  string // of the contracts
	first int    // number of the first contract's account
	each  int    // tokens per contract
	all   int
}

const (
	itemsOfCollection = 800
	tokensPerBlock    = 100
	// tokensOfStretch is the length of stretches of the lists, which is within the range of stretches that grow one by
	// one.
	tokensOfStretch = 400
)

func knownCoins(all int) knownTokens {
	return knownTokens{kind: ft.Spec(), name: ".coin", each: 1, all: all / 5}
}

func knownItems(all int) knownTokens {
	return knownTokens{kind: nft.Spec(), name: ".piece", first: all / 5, each: itemsOfCollection, all: all - all/5}
}

// contract returns the contract of token i, and id its number there.
func (k *knownTokens) contract(i int) string { return bench.Account(k.first+i/k.each) + k.name }
func (k *knownTokens) id(i int) int          { return 1 + i%k.each }

func (k *knownTokens) contracts() int { return (k.all + k.each - 1) / k.each }

func (k *knownTokens) fungible() bool { return k.each == 1 }

// target returns the request target of a token.
func (k *knownTokens) target(i int) string {
	target := "/metadata/v1/" + k.kind.Name + "/" + k.contract(i)
	if !k.fungible() {
		target += "/" + strconv.Itoa(k.id(i))
	}
	return target
}

// createWorld creates a database with the token world.
func (b *Bench) createWorld(ctx context.Context) (url string, err error) {
	url, pool, err := b.EmptyTables(ctx, "tokens")
	if err != nil {
		return "", err
	}
	defer pool.Close()
	blocks := b.Known/tokensPerBlock + 1
	for _, known := range []knownTokens{knownCoins(b.Known), knownItems(b.Known)} {
		if err := known.write(ctx, pool, blocks); err != nil {
			return "", fmt.Errorf("write the tables of %s: %w", known.kind, err)
		}
	}
	return url, bench.TipAt(blocks).Write(ctx, pool)
}

// write fills the tables of a kind. Triggers fill the table of counters.
func (k *knownTokens) write(ctx context.Context, pool *pgxpool.Pool, blocks int) error {
	read := time.Unix(1_700_000_000, 0)
	// Each token's document and image has its own URI. The content has the form in which the projection stores it.
	resource := func(uri string) []byte {
		hash := sha256.Sum256([]byte(uri))
		return hash[:]
	}
	named := func(i int) string { return fmt.Sprintf("%x-%d", resource(k.contract(i))[:8], k.id(i)) }
	image := func(i int) string { return outside.ImageURI(named(i)) }
	uri := func(i int) string { return strings.TrimSuffix(image(i), ".png") + ".json" }
	height := func(i int) int { return 1 + i/tokensPerBlock }
	for _, table := range []struct {
		name    string
		columns string
		rows    int
		row     func(i int) ([]any, error)
	}{
		{"contract", "height, source_seq, tx_index, reason, txid, contract_id, fungible_token, non_fungible_token", k.contracts(), func(n int) ([]any, error) {
			i := n * k.each
			asset := k.name[1:]
			row := []any{height(i), height(i), n % tokensPerBlock, 0, resource(k.contract(i)), k.contract(i), &asset, nil}
			if !k.fungible() {
				row[6], row[7] = nil, &asset
			}
			return row, nil
		}},
		{"token", "height, source_seq, read_height, read_seq, read_at, decimals, reason, token_id, total_supply, contract_id, uri, name, symbol, name_key, symbol_key", k.all, func(i int) ([]any, error) {
			row := []any{height(i), height(i), height(i), height(i), read, nil, 0, k.id(i), nil, k.contract(i), uri(i), nil, nil, nil, nil}
			if k.fungible() {
				name, symbol := outside.Name(k.contract(i)), outside.Symbol(k.contract(i))
				row[5], row[8] = 6, 1_000_000
				row[11], row[12], row[13], row[14] = name, symbol, "0"+strings.ToLower(name), "0"+strings.ToLower(symbol)
			}
			return row, nil
		}},
		{"document", "source_seq, fetched_at, reason, uri_hash, uri, content", k.all, func(i int) ([]any, error) {
			d, err := document.Parse(outside.Document(named(i)))
			if err != nil {
				return nil, err
			}
			return []any{height(i), read, 0, resource(uri(i)), uri(i), string(d.Encode())}, nil
		}},
		{"image", "source_seq, fetched_at, width, height, reason, uri_hash, sha256, uri, content_type", k.all, func(i int) ([]any, error) {
			return []any{height(i), read, 480, 360, 0, resource(image(i)), resource(image(i)), image(i), "image/png"}, nil
		}},
		{"reference", "token_id, role, locale, uri_hash, contract_id", 2 * k.all, func(n int) ([]any, error) {
			i := n / 2
			if n%2 == 0 {
				return []any{k.id(i), "document", "", resource(uri(i)), k.contract(i)}, nil
			}
			return []any{k.id(i), "image", "", resource(image(i)), k.contract(i)}, nil
		}},
	} {
		if _, err := pool.CopyFrom(ctx, pgx.Identifier{k.kind.String(), table.name}, strings.Split(table.columns, ", "),
			pgx.CopyFromSlice(table.rows, table.row)); err != nil {
			return fmt.Errorf("copy %d rows of %s: %w", table.rows, table.name, err)
		}
	}
	queries := []string{fmt.Sprintf(`INSERT INTO {schema}.block (height, source_seq, burn_block_height, time, index_block_hash, block_hash)
		SELECT h, h, h, 1700000000 + h, sha256(h::text::bytea), sha256(h::text::bytea) FROM generate_series(1, %d) h`, blocks)}
	if k.fungible() {
		for _, list := range []string{"name", "symbol"} {
			queries = append(queries, strings.NewReplacer("{list}", list, "{size}", strconv.Itoa(tokensOfStretch)).Replace(`
				INSERT INTO {schema}.stretch (list, n, first_key, first_contract)
				SELECT '{list}', count(*), CASE WHEN stretch = 0 THEN '' ELSE (array_agg({list}_key ORDER BY place))[1] END,
				       CASE WHEN stretch = 0 THEN '' ELSE (array_agg(contract_id ORDER BY place))[1] END
				FROM (
					SELECT {list}_key, contract_id, row_number() OVER w AS place, (row_number() OVER w - 1) / {size} AS stretch
					FROM {schema}.token WINDOW w AS (ORDER BY {list}_key, contract_id COLLATE "C")
				) t GROUP BY stretch`))
		}
	}
	queries = append(queries, `VACUUM (ANALYZE)`)
	for i := range queries {
		queries[i] = k.kind.SQL(queries[i])
	}
	return bench.ExecAll(ctx, pool, queries...)
}
