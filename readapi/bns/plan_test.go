package bns_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/projections/bns"
	"strata/rig/apitest"
)

const (
	planNames = 40_000
	whale     = "SP000000000000000000002Q6VF78"
)

// fillNames makes the tables of many names of one namespace. Every second belongs to one owner, one in three is expired,
// one in ten is revoked, for sale, and has two older versions.
func fillNames(s *apitest.Site) {
	s.T.Helper()
	s.ChainTables(bns.Spec(), planNames, planNames)
	in := func(sql string, args ...any) { s.T.Helper(); s.Exec(bns.Spec().SQL(sql), args...) }
	in(`INSERT INTO {schema}.block SELECT h, h, h, h, $1, decode(lpad(to_hex(h), 64, '0'), 'hex'), '\x01' FROM generate_series(1, $1::bigint) h`, planNames)
	in(`INSERT INTO {schema}.namespace (height, source_seq, tx_index, manager_transferable, manager_frozen, can_update_price, revealed_at, launched_at, lifetime, price_base,
		price_coeff, nonalpha_discount, no_vowel_discount, buckets, namespace, import_address, pointer)
		VALUES (1, 1, 0, false, false, true, 1, 1, 5000, 10, 200, 1, 1, array_fill(1::numeric, ARRAY[16]), 'btc', 'SP1', '/events/0')`)
	in(`
		INSERT INTO {schema}.name (height, until_height, source_seq, id, tx_index, events, airdropped, revoked, valid, expires_at, key_a, key_b, key_c, listed_n, registered_at,
			renewal_height, stx_burn, listed_price, full_name, label, namespace, owner, commission, pointer)
		SELECT v.height, v.until_height, n, n, 0, 1, false, n % 10 = 0, v.until_height IS NULL AND n % 3 <> 0, CASE WHEN n % 3 = 0 THEN n ELSE $1::bigint + n % 9000 END,
			k.a, k.b, k.c, CASE WHEN n % 10 = 0 THEN n END, n, n, 5, CASE WHEN n % 10 = 0 THEN 7 END, f.full_name, split_part(f.full_name, '.', 1), 'btc',
			CASE WHEN n % 2 = 0 THEN $2 ELSE 'owner' || n END, CASE WHEN n % 10 = 0 THEN 'SP1.c' END, '/events/1'
		FROM generate_series(1, $1::bigint) n
		CROSS JOIN LATERAL (SELECT 'name' || lpad(n::text, 8, '0') || '.btc') f (full_name)
		CROSS JOIN LATERAL (SELECT f.full_name::bytea || decode(repeat('00', 24), 'hex')) p (bytes)
		CROSS JOIN LATERAL (SELECT ('x' || encode(substring(p.bytes FROM 1 FOR 8), 'hex'))::bit(64)::bigint # (-9223372036854775808),
			('x' || encode(substring(p.bytes FROM 9 FOR 8), 'hex'))::bit(64)::bigint # (-9223372036854775808),
			('x' || encode(substring(p.bytes FROM 17 FOR 8), 'hex'))::bit(64)::bigint # (-9223372036854775808)) k (a, b, c)
		CROSS JOIN LATERAL (
			SELECT n, NULL::bigint UNION ALL SELECT n - 5, n - 3 WHERE n % 10 = 0 AND n > 20 UNION ALL SELECT n - 3, n WHERE n % 10 = 0 AND n > 20
		) v (height, until_height)`, planNames, whale)
	in(`INSERT INTO {schema}.primary_name (height, source_seq, id, tx_index, principal, full_name, pointer)
		SELECT n.height, n.source_seq, n.id, 0, n.owner, n.full_name, '/events/0' FROM {schema}.name n WHERE n.until_height IS NULL AND (n.id % 2 = 1 OR n.id = 44)`)
	in(`INSERT INTO {schema}.zonefile (height, source_seq, tx_index, revoked, full_name, owner, content, pointer)
		SELECT n.height, n.source_seq, 0, n.revoked, n.full_name, n.owner, '{"owner":"x","btc":"bc1"}', '/events/0' FROM {schema}.name n WHERE n.until_height IS NULL`)
	in(`INSERT INTO {schema}.event (n, height, source_seq, burn_height, id, name_n, tx_index, kind, full_name, namespace, txid, pointer)
		SELECT n, n, n, n, n % 100, 1 + n / 100, 0, 5, 'name' || lpad((1 + n % 100)::text, 8, '0') || '.btc', 'btc', decode(lpad(to_hex(n), 64, '0'), 'hex'), '/events/0'
		FROM generate_series(1, $1::bigint) n`, planNames)
	in(`INSERT INTO {schema}.preorder (height, source_seq, burn_height, tx_index, kind, amount, hash, principal, pointer)
		SELECT n, n, n, 0, 1, 5, decode(lpad(to_hex(n), 40, '0'), 'hex'), $2, '/events/0' FROM generate_series(1, $1::bigint / 10) n`, planNames, whale)
	for list, condition := range map[string]string{
		`'names'`: `true`, `'valid'`: `valid`, `'expired'`: `NOT valid`, `'revoked'`: `revoked`, `'namespace:' || namespace`: `true`,
		`'held:' || owner`: `valid`, `'over:' || owner`: `NOT valid`, `'withdrawn:' || owner`: `revoked`,
	} {
		in(strings.NewReplacer("{list}", list, "{condition}", condition).Replace(`
			WITH entry AS (
				SELECT {list} AS list, key_a AS a, key_b AS b, key_c AS c, (row_number() OVER (PARTITION BY {list} ORDER BY full_name) - 1) / 700 AS part,
				       row_number() OVER (PARTITION BY {list} ORDER BY full_name) AS place, count(*) OVER (PARTITION BY {list}) AS n
				FROM {schema}.name WHERE until_height IS NULL AND {condition}
			), lists AS (INSERT INTO {schema}.list (n, name) SELECT max(n), list FROM entry GROUP BY list)
			INSERT INTO {schema}.part (a, b, c, n, list)
			SELECT CASE WHEN part = 0 THEN low ELSE (array_agg(a ORDER BY place))[1] END, CASE WHEN part = 0 THEN low ELSE (array_agg(b ORDER BY place))[1] END,
			       CASE WHEN part = 0 THEN low ELSE (array_agg(c ORDER BY place))[1] END, count(*), list
			FROM entry, (SELECT '-9223372036854775808'::bigint AS low) least WHERE n > 1024 GROUP BY list, part, low`))
	}
	in(`INSERT INTO {schema}.part (a, b, c, n, list)
		SELECT (array_agg(a ORDER BY a, b, c))[1], (array_agg(b ORDER BY a, b, c))[1], (array_agg(c ORDER BY a, b, c))[1], sum(n), 'sections:' || list
		FROM (SELECT *, (row_number() OVER (PARTITION BY list ORDER BY a, b, c) - 1) / 7 AS section FROM {schema}.part) p GROUP BY list, section`)
	s.Exec(`VACUUM ANALYZE`)
}

// A page costs the same wherever it is in a list, and a look-up a few blocks, with a plan for its arguments as with one
// for any.
func TestPlans(t *testing.T) {
	t.Parallel()
	s, seen := apitest.NewSeenSite(t)
	fillNames(s)
	const (
		part    = 2500 // at most two parts of a list, from an index, with the rows of a page
		look    = 60   // look-ups by keys
		names   = "/bns/v2/names"
		address = names + "/address/" + whale
	)
	s.CheckTouches(seen, "bns", apitest.TouchLimits{
		{names + "?limit=50", part},
		{names + "?limit=50&offset=20000", part},
		{names + "?limit=50&offset=39900", part},
		{names + "/valid?limit=50&offset=20000", part},
		{names + "/expired?limit=50&offset=10000", part},
		{names + "/revoked?limit=50&offset=3000", part},
		{names + "/namespace/btc?limit=50&offset=20000", part},
		{address + "/valid?limit=50&offset=9000", part},
		{address + "/expired?limit=50&offset=5000", part},
		{address + "/revoked?limit=50", 300},
		{address + "/revoked?limit=50&offset=3000", part},
		{address + "/expiring-soon?limit=20", 400}, // the index entries of all of them are counted
		{address + "/expiring-soon?limit=20&offset=6000", 400},
		{address + "?limit=20", 700},
		{address + "?limit=20&cursor=name00030000.btc", 700},
		{address + "?limit=20&cursor=name00030000.btc&height=35000", 600},
		{names + "/address/owner1?height=100", look},
		{address + "/primary", look},
		{names + "/by-address?address=" + whale + ",owner1,owner3,owner5", 1000},
		{names + "/name00030000.btc", look},
		{names + "/name00030001.btc/owner", look},
		{names + "/btc/name00030001/can-register", look},
		{"/bns/v2/resolve-name/name00030001.btc", look},
		{"/bns/v2/tokens/30001/owner", look},
		{"/bns/v2/token/last-id", look},
		{"/bns/v2/namespaces/btc", look},
		{"/bns/v2/namespaces", look},
		{"/bns/v2/prices/names/fresh.btc", look},
		{names + "/name00000007.btc/history?limit=20&cursor=300", 100},
		{"/bns/v2/events?limit=20&cursor=30000", 100},
		{"/bns/v2/listings?limit=20", 200},
		{"/bns/v2/listings?limit=20&cursor=30000&namespace=btc", 200},
		{"/bns/v2/preorders/" + whale, 500},
	})
	checkDeepPages(t, s)
	s.Exec(bns.Spec().SQL(`DELETE FROM {schema}.part WHERE list LIKE 'sections:%'`)) // as in tables of earlier rules
	checkDeepPages(t, s)
}

// checkDeepPages reads pages around the ends of parts and sections, and at the end of the list.
func checkDeepPages(t *testing.T, s *apitest.Site) {
	t.Helper()
	for _, offset := range []int{1025, 1399, 1400, 4899, 4900, 4901, 9799, 9800, 19_999, 20_000, 20_001, 34_300, 39_199, 39_200, 39_949, 39_950, 39_970, planNames, 2 * planNames} {
		var deep struct {
			Total int
			Names []struct {
				FullName string `json:"full_name"`
			}
		}
		apitest.DecodeJSON(t, s.Get(fmt.Sprintf("/bns/v2/names?limit=50&offset=%d", offset)).Body, &deep)
		want := max(0, min(50, planNames-offset))
		if len(deep.Names) != want || deep.Total != planNames {
			t.Errorf("page at %d: got %d names of %d, want %d", offset, len(deep.Names), deep.Total, want)
			continue
		}
		for i, n := range deep.Names {
			check.Equal(t, fmt.Sprintf("page at %d, place %d", offset, i), n.FullName, fmt.Sprintf("name%08d.btc", offset+i+1))
		}
	}
}
