package reads

import (
	"strconv"
	"strings"

	"strata/cmd/bench/internal/bench"
	"strata/projections/bns"
	"strata/projections/names"
)

// namesWorld has so many names in each registry: name00000001.id and on in the first one, and name00000001.btc and on in
// the second one. The name with number i belongs to account i in both.
type namesWorld struct{ Names int }

// namesLarge are the tables with a row for each name.
var namesLarge = []string{"{v1}.operation", "{v1}.name", "{v2}.name", "{v2}.primary_name", "{v2}.list"}

// namesRows inserts the rows of the projections' tables. Keys are the first 24 bytes of names, as numbers.
var namesRows = []string{
	`INSERT INTO {v1}.block VALUES ({all}, {all}, {all}, {all}, 0, sha256('{all}'), sha256('{all}'))`,
	`INSERT INTO {v1}.namespace VALUES (1, 1, 1, 0, 0, 1, true, 1, 1, 5000000, 4, 250, 10, 20, array_fill(1::numeric, ARRAY[16]), '\x03', 'id', 'SP1')`,
	`INSERT INTO {v1}.operation (n, height, source_seq, registered_at, tx_index, pointer, operation, txid, zonefile_hash, name, owner)
	SELECT 1, i, i, i, 0, 0, 1, sha256(i::text::bytea), '', 'name' || lpad(i::text, 8, '0') || '.id', address FROM public.name WHERE i > 0`,
	`INSERT INTO {v1}.name (source_seq, a, b, c, listed, name, namespace, holder)
	SELECT i, k.a, k.b, k.c, true, t.full_name, 'id', address
	FROM public.name, LATERAL (SELECT 'name' || lpad(i::text, 8, '0') || '.id') t (full_name), LATERAL ({key}) k WHERE i > 0`,
	`INSERT INTO {v1}.list VALUES ({all}, 'names'), ({all}, 'names:id')`,
	`INSERT INTO {v1}.part (a, b, c, n, list)
	SELECT CASE WHEN part = 0 THEN low ELSE (array_agg(a ORDER BY a, b, c))[1] END, CASE WHEN part = 0 THEN low ELSE (array_agg(b ORDER BY a, b, c))[1] END,
	       CASE WHEN part = 0 THEN low ELSE (array_agg(c ORDER BY a, b, c))[1] END, count(*), l.list
	FROM (SELECT a, b, c, (row_number() OVER (ORDER BY a, b, c, name) - 1) / 700 AS part FROM {v1}.name) n, (SELECT {low}::bigint AS low) least,
	     (VALUES ('names'), ('names:id')) l (list)
	GROUP BY l.list, part, low`,
	`INSERT INTO {v1}.part (a, b, c, n, list)
	SELECT (array_agg(a ORDER BY a, b, c))[1], (array_agg(b ORDER BY a, b, c))[1], (array_agg(c ORDER BY a, b, c))[1], sum(n), 'sections:' || list
	FROM (SELECT *, (row_number() OVER (PARTITION BY list ORDER BY a, b, c) - 1) / 70 AS section FROM {v1}.part) p GROUP BY list, section`,

	`INSERT INTO {v2}.block VALUES ({all}, {all}, {all}, {all}, {all}, sha256('{all}'), sha256('{all}'))`,
	`INSERT INTO {v2}.namespace (height, source_seq, tx_index, manager_transferable, manager_frozen, can_update_price, revealed_at, launched_at, lifetime, price_base,
		price_coeff, nonalpha_discount, no_vowel_discount, buckets, namespace, import_address, pointer)
	VALUES (1, 1, 0, false, false, true, 1, 1, 5000000, 10, 200, 1, 1, array_fill(1::numeric, ARRAY[16]), 'btc', 'SP1', '/events/0')`,
	`INSERT INTO {v2}.name (height, source_seq, id, tx_index, events, airdropped, revoked, valid, expires_at, key_a, key_b, key_c, registered_at, renewal_height,
		stx_burn, full_name, label, namespace, owner, pointer)
	SELECT i, i, i, 0, 1, false, false, true, i + 5000000, k.a # {low}, k.b # {low}, k.c # {low}, i, i + 5000000, 5, t.full_name, split_part(t.full_name, '.', 1), 'btc', address, '/events/1'
	FROM public.name, LATERAL (SELECT 'name' || lpad(i::text, 8, '0') || '.btc') t (full_name), LATERAL ({key}) k WHERE i > 0`,
	`INSERT INTO {v2}.primary_name (height, source_seq, id, tx_index, principal, full_name, pointer)
	SELECT i, i, i, 0, address, 'name' || lpad(i::text, 8, '0') || '.btc', '/events/0' FROM public.name WHERE i > 0`,
	`INSERT INTO {v2}.list (n, name) SELECT 1, 'held:' || address FROM public.name WHERE i > 0`,
	`INSERT INTO {v2}.list (n, name) VALUES ({all}, 'names'), ({all}, 'valid'), ({all}, 'namespace:btc'), ({all}, 'active:btc')`,
	`INSERT INTO {v2}.part (a, b, c, n, list)
	SELECT CASE WHEN part = 0 THEN low ELSE (array_agg(a ORDER BY a, b, c))[1] END, CASE WHEN part = 0 THEN low ELSE (array_agg(b ORDER BY a, b, c))[1] END,
	       CASE WHEN part = 0 THEN low ELSE (array_agg(c ORDER BY a, b, c))[1] END, count(*), l.list
	FROM (SELECT key_a AS a, key_b AS b, key_c AS c, (row_number() OVER (ORDER BY key_a, key_b, key_c, full_name) - 1) / 700 AS part FROM {v2}.name) n,
	     (SELECT {low}::bigint AS low) least, (VALUES ('names'), ('valid'), ('namespace:btc'), ('active:btc')) l (list)
	GROUP BY l.list, part, low`,
	`INSERT INTO {v2}.part (a, b, c, n, list)
	SELECT (array_agg(a ORDER BY a, b, c))[1], (array_agg(b ORDER BY a, b, c))[1], (array_agg(c ORDER BY a, b, c))[1], sum(n), 'sections:' || list
	FROM (SELECT *, (row_number() OVER (PARTITION BY list ORDER BY a, b, c) - 1) / 70 AS section FROM {v2}.part) p GROUP BY list, section`,
}

// nameKey selects the first 24 bytes of t.full_name as three numbers.
const nameKey = `SELECT ('x' || substr(h.x, 1, 16))::bit(64)::bigint, ('x' || substr(h.x, 17, 16))::bit(64)::bigint, ('x' || substr(h.x, 33, 16))::bit(64)::bigint
	FROM (SELECT rpad(encode(t.full_name::bytea, 'hex'), 48, '0')) h (x)`

// sql fills in the placeholders of the world's queries.
func (w namesWorld) sql(query string) string {
	query = strings.NewReplacer("({key}) k", "("+nameKey+") k (a, b, c)").Replace(query)
	return strings.NewReplacer(
		"{all}", strconv.Itoa(w.Names), "{low}", "(-9223372036854775808)", "{v1}", names.Spec().String(), "{v2}", bns.Spec().String(),
	).Replace(query)
}

func (w namesWorld) world() bench.World {
	return bench.World{Database: "names", Tip: bench.TipAt(w.Names), SQL: w.sql, Accounts: w.Names + 1, Large: namesLarge, Rows: namesRows}
}
