package ordinals_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/projections/inscriptions"
	"strata/projections/ordinals"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// crowdRows is how many inscriptions plans are looked at with.
const crowdRows = 200_000

// fillCrowd makes the tables of many inscriptions: half of them text, half of one owner, one in a hundred on a rare sat, one
// in fifty cursed, one in ten recursive, and 30,000 on one sat.
func fillCrowd(s *apitest.Site) {
	s.T.Helper()
	s.Exec(schemas.In(`
		INSERT INTO {inscriptions}.block (height, source_seq, time, moves, reveals, block_index, block_hash)
		SELECT 780000 + h, 1, 1680000000 + 600 * h, 0, 100, 0, decode(lpad(to_hex(h), 64, '0'), 'hex') FROM generate_series(0, $1::int / 100 - 1) h`), crowdRows)
	s.Exec(schemas.In(`
		INSERT INTO {inscriptions}.inscription (number, classic_number, sat, height, tx_index, source_seq, content_length, content_size, fee,
			"transaction", operation, charms, rarity, recursive, id, content_type, mime_type, genesis_address, parents, recursion_refs)
		SELECT number, number, sat, 780000 + n / 100, n % 100, 1, 5, 5, 1, 0, 0, 0, rarity, n % 10 = 0, lpad(to_hex(n), 64, '0') || 'i0',
		       mime, mime, address, '{}', '{}'
		FROM (
			SELECT n, CASE WHEN n % 50 = 0 THEN -n / 50 - 1 ELSE n END AS number,
			       CASE WHEN n % 20 < 3 THEN 77 WHEN n % 100 = 99 THEN 5000000000 * (n + 1) ELSE 1000000000001 + n::bigint * 1009 END AS sat,
			       CASE WHEN n % 100 = 99 THEN 1 ELSE 0 END AS rarity,
			       CASE WHEN n % 2 = 0 THEN 'text/plain' ELSE 'image/' || n % 41 END AS mime,
			       CASE WHEN n % 4 < 2 THEN 'whale' ELSE 'holder' || n % 997 END AS address
			FROM generate_series(0, $1::int - 1) n
		) made`), crowdRows)
	s.Exec(schemas.In(`
		INSERT INTO {inscriptions}.owner (sat, number, height, tx_index, id, address)
		SELECT sat, number, height, tx_index, id, genesis_address FROM {inscriptions}.inscription`))
	s.Exec(schemas.In(`
		INSERT INTO {inscriptions}.satoshi (sat, height, tx_index, source_seq, inscriptions, output_txid, vout)
		SELECT sat, max(height), (array_agg(tx_index ORDER BY height DESC, tx_index DESC))[1], 1, count(*), decode(lpad(to_hex(sat), 64, '0'), 'hex'), '0'
		FROM {inscriptions}.inscription GROUP BY sat`))
	s.Exec(schemas.In(`
		INSERT INTO {inscriptions}.location (sat, height, tx_index, source_seq, moved, block_order, "transaction", operation, type, txid, output_txid, vout)
		SELECT sat, height, tx_index, 1, 0, 0, 0, 0, 1, output_txid, output_txid, vout FROM {inscriptions}.satoshi`))
	for name, key := range map[string]string{
		`'all'`: "genesis", `CASE WHEN recursive THEN 'recursive' ELSE 'not_recursive' END`: "genesis", `CASE WHEN number < 0 THEN 'cursed' ELSE 'not_cursed' END`: "genesis",
		`'mime:' || mime_type`: "genesis", `'rarity:' || rarity`: "genesis", `'address:' || genesis_address`: "genesis", `'genesis_address:' || genesis_address`: "genesis",
		`'number'`: "number", `'rarity_number:' || rarity`: "number", `'ordinal'`: "sat", `'sat:' || sat`: "number",
	} {
		a, b, c := key, "0::bigint", "0::bigint"
		if key == "genesis" {
			a, b, c = "height", "tx_index", "number"
		}
		s.Exec(strings.NewReplacer("{name}", name, "{a}", a, "{b}", b, "{c}", c).Replace(schemas.In(`
			WITH entry AS (
				SELECT {name} AS list, {a} AS a, {b} AS b, {c} AS c,
				       (rank() OVER (PARTITION BY {name} ORDER BY {a}, {b}, {c}) - 1) / 700 AS part, count(*) OVER (PARTITION BY {name}) AS n
				FROM {inscriptions}.inscription
			), lists AS (
				INSERT INTO {inscriptions}.list (n, name) SELECT max(n), list FROM entry GROUP BY list HAVING max(n) > 1 OR list NOT LIKE 'sat:%'
			)
			INSERT INTO {inscriptions}.part (a, b, c, n, list)
			SELECT CASE WHEN part = 0 THEN low ELSE (array_agg(a ORDER BY a, b, c))[1] END, CASE WHEN part = 0 THEN low ELSE (array_agg(b ORDER BY a, b, c))[1] END,
			       CASE WHEN part = 0 THEN low ELSE (array_agg(c ORDER BY a, b, c))[1] END, count(*), list
			FROM entry, (SELECT '-9223372036854775808'::bigint AS low) least WHERE n > 1024 GROUP BY list, part, low`)))
	}
	s.Exec(schemas.In(`VACUUM ANALYZE {inscriptions}.inscription, {inscriptions}.owner, {inscriptions}.satoshi, {inscriptions}.location, {inscriptions}.block, {inscriptions}.list, {inscriptions}.part`))
	s.Exec(`UPDATE strata.projection SET block_height = 780000, index_block_hash = $1, block_hash = $1, burn_block_height = 780000 WHERE name = 'inscriptions'`, apitest.ID(1, 1))
}

// What a list costs does not hang on what Postgres guesses: with a plan for these arguments as with one for any, every page
// touches no more than a part of a list and what it shows.
func TestOrdinalsPlans(t *testing.T) {
	t.Parallel()
	s, seen := apitest.NewSeenSite(t)
	s.Exec(inscriptions.Spec().DDL())
	s.Exec(schemas.In(`INSERT INTO strata.projection (name, version, input, state) VALUES ('inscriptions', {inscriptions#}, '{ordinals}', 'live')`))
	s.Exec(schemas.In(`INSERT INTO strata.active (name, version) VALUES ('inscriptions', {inscriptions#})`))
	s.Exec(ordinals.Spec().DDL())
	s.Exec(schemas.In(`INSERT INTO strata.projection (name, version, input, state) VALUES ('ordinals', {ordinals#}, 'log', 'live')`))
	s.Exec(schemas.In(`INSERT INTO strata.active (name, version) VALUES ('ordinals', {ordinals#})`))
	fillCrowd(s)
	const v1 = "/ordinals/v1"
	const page = 1600 // 1,024 entries and their index, and 20 inscriptions with all that is shown of them
	s.CheckTouches(seen, "inscriptions", apitest.TouchLimits{
		{v1 + "/inscriptions", 500},
		{v1 + "/inscriptions?offset=1024", page},
		{v1 + "/inscriptions?offset=100000", page},
		{v1 + "/inscriptions?offset=199980", page},
		{v1 + "/inscriptions?offset=100000&order=asc", page},
		{v1 + "/inscriptions?order_by=number&offset=77777", page},
		{v1 + "/inscriptions?order_by=ordinal&offset=120000", page},
		{v1 + "/inscriptions?order_by=ordinal&order=asc&offset=120000", page},
		{v1 + "/inscriptions?order_by=rarity", 2 * page},
		{v1 + "/inscriptions?order_by=rarity&offset=150000", 2 * page},
		{v1 + "/inscriptions?order_by=rarity&order=asc&offset=199990", 2 * page},
		{v1 + "/inscriptions?rarity=uncommon&offset=1500", page},
		{v1 + "/inscriptions?rarity=uncommon&order_by=number&offset=1500", page},
		{v1 + "/inscriptions?rarity=common&offset=150000", page},
		{v1 + "/inscriptions?address=whale", 500},
		{v1 + "/inscriptions?address=whale&offset=66666", page},
		{v1 + "/inscriptions?address=holder6&address=holder7", 2 * page},
		{v1 + "/inscriptions?address=whale&address=holder6", 1000},
		{v1 + "/inscriptions?mime_type=text/plain&offset=44444", page},
		{v1 + "/inscriptions?recursive=true&offset=15000", page},
		{v1 + "/inscriptions?recursive=false&offset=150000", page},
		{v1 + "/inscriptions?cursed=true&offset=2000", page},
		{v1 + "/inscriptions?cursed=true", 500},
		{v1 + "/inscriptions?cursed=false&order_by=number&offset=150000", page},
		{v1 + "/inscriptions?from_number=5000&to_number=150000&order_by=number&offset=55555", 4 * page},
		{v1 + "/inscriptions?from_sat_ordinal=1000000000000&order_by=ordinal&offset=55555", 4 * page},
		{v1 + "/inscriptions?from_number=5000&to_number=150000", page},
		{v1 + "/inscriptions?from_number=20000&order=asc", page},
		{v1 + "/inscriptions?from_number=180000&offset=1500", 2 * page},
		{v1 + "/inscriptions?from_sat_ordinal=1000000000000&to_sat_ordinal=1000100000000&order=asc", page},
		{v1 + "/inscriptions?to_sat_ordinal=1000030000000&offset=500&order=asc", 3 * page},
		{v1 + "/inscriptions?from_genesis_block_height=780500&offset=55555", page},
		{v1 + "/inscriptions?from_genesis_timestamp=1680300000&offset=55555", page},
		{v1 + "/inscriptions?genesis_block=780777", 1000},
		{v1 + "/inscriptions?output=" + fmt.Sprintf("%064x", 1000000000001+3*1009) + ":0", 500},
		{v1 + "/inscriptions?number=5&number=7&number=-3", 500},
		{v1 + "/inscriptions?address=holder6&mime_type=text/plain", page},
		{v1 + "/inscriptions?genesis_block=780777&recursive=true&cursed=true", 1000},
		{v1 + "/inscriptions?from_genesis_timestamp=1680300000&order_by=number", 8 * page},
		{v1 + "/inscriptions?mime_type=text/plain&order_by=ordinal", 8 * page},
		{v1 + "/sats/77/inscriptions", 500},
		{v1 + "/sats/77/inscriptions?offset=29000", page},
		{v1 + "/sats/77/inscriptions?offset=15000", page},
		{v1 + "/sats/77", 100},
		{v1 + "/inscriptions/777", 100},
		{v1 + "/inscriptions/777/transfers", 100},
		{v1 + "/inscriptions/transfers?block=780777", 500},
		{v1 + "/", 100},
		{v1 + "/stats/inscriptions?from_block_height=781900", 500},
	})
}
