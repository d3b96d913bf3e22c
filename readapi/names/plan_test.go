package names_test

import (
	"fmt"
	"testing"

	"strata/projections/names"
	"strata/rig/apitest"
)

// manyNames is the number of names that fill makes: nearly all in one namespace, one in fifty of one holder.
const manyNames = 40_000

// fill makes the tables of many names, with their operations, zonefiles and subdomains.
func fill(s *apitest.Site) {
	s.T.Helper()
	tables(s, 1000)
	launch(s, "id", 1000)
	in := func(sql string, args ...any) { s.T.Helper(); s.Exec(names.Spec().SQL(sql), args...) }
	const name = `'n' || lpad(i::text, 10, '0') || '.id'`
	in(`INSERT INTO {schema}.operation SELECT n, i, i, i, NULL, 0, 0, 3, decode(lpad(to_hex(i), 64, '0'), 'hex'), decode(lpad(to_hex(i), 40, '0'), 'hex'), `+name+`, CASE WHEN i % 50 = 0 THEN $2 ELSE 'owner' || i END
		FROM generate_series(1, $1::int) i, generate_series(1, 2) n`, manyNames, alice)
	in(`INSERT INTO {schema}.zonefile SELECT i, 0, NULL, decode(lpad(to_hex(i), 40, '0'), 'hex'), 'content', '' FROM generate_series(1, $1::int) i`, manyNames)
	in(`INSERT INTO {schema}.zonefile_record SELECT i, 0, 0, decode(lpad(to_hex(i), 40, '0'), 'hex'), 'sub', 'owner' || i, '\x01', '\x02' FROM generate_series(1, $1::int) i`, manyNames)
	in(`INSERT INTO {schema}.subdomain SELECT 0, n, 0, i, i, i, decode(lpad(to_hex(i), 40, '0'), 'hex'), decode(lpad(to_hex(i), 64, '0'), 'hex'), `+name+`, 'sub', 'owner' || i FROM generate_series(1, $1::int) i, generate_series(1, 2) n`, manyNames)
	// The names have 14 bytes: a is the first eight, b the others and two zeros, c is zero.
	in(`INSERT INTO {schema}.name
		SELECT i, ('x' || encode(substr(t, 1, 8), 'hex'))::bit(64)::bigint, ('x' || rpad(encode(substr(t, 9), 'hex'), 16, '0'))::bit(64)::bigint, 0, true, convert_from(t, 'UTF8'), 'id',
		       CASE WHEN i % 50 = 0 THEN $2 ELSE 'owner' || i END
		FROM generate_series(1, $1::int) i, LATERAL (SELECT convert_to(`+name+`, 'UTF8') AS t) text`, manyNames, alice)
	for _, list := range []string{"names", "names:id"} {
		in(`INSERT INTO {schema}.list VALUES ($1, $2)`, manyNames, list)
		in(`INSERT INTO {schema}.part (a, b, c, n, list)
			SELECT CASE WHEN part = 0 THEN low ELSE (array_agg(a ORDER BY a, b))[1] END, CASE WHEN part = 0 THEN low ELSE (array_agg(b ORDER BY a, b))[1] END, CASE WHEN part = 0 THEN low ELSE 0 END, count(*), $1::text
			FROM (SELECT a, b, (row_number() OVER (ORDER BY a, b, c, name) - 1) / 700 AS part FROM {schema}.name) n, (SELECT '-9223372036854775808'::bigint AS low) least GROUP BY part, low`, list)
	}
	in(`INSERT INTO {schema}.part (a, b, c, n, list)
		SELECT (array_agg(a ORDER BY a, b, c))[1], (array_agg(b ORDER BY a, b, c))[1], (array_agg(c ORDER BY a, b, c))[1], sum(n), 'sections:' || list
		FROM (SELECT *, (row_number() OVER (PARTITION BY list ORDER BY a, b, c) - 1) / 7 AS section FROM {schema}.part) p GROUP BY list, section`)
	s.Exec(`VACUUM ANALYZE`)
}

// A name costs a few look-ups, and a page of names the same at any depth, with a plan for its arguments as with one for
// any.
func TestPlans(t *testing.T) {
	t.Parallel()
	s, seen := apitest.NewSeenSite(t)
	fill(s)
	s.CheckTouches(seen, "names", apitest.TouchLimits{
		{"/v1/names/n0000020000.id", 40},
		{"/v1/names/sub.n0000020000.id", 60},
		{"/v1/names/n0000020000.id/subdomains", 40},
		{"/v1/names/n0000020000.id/zonefile", 40},
		{"/v1/names/n0000020000.id/zonefile/" + fmt.Sprintf("%040x", 20000), 40},
		{"/v1/addresses/stacks/owner20001", 60},
		{"/v1/names", 300},
		{"/v1/names?page=200", 1500},
		{"/v1/names?page=399", 1500},
		{"/v1/namespaces/id/names?page=200", 1500},
		{"/v1/namespaces", 20},
		{"/v2/prices/names/bob.id", 20},
	})
	seen.Take()
	s.Get("/v1/names/nobody.id")
	s.CheckTouched("/v1/names/nobody.id", seen.Take("names"), 40)
	var first []string
	apitest.DecodeJSON(t, s.Get("/v1/names?page=200").Body, &first)
	if len(first) != 100 || first[0] != "n0000020001.id" || first[99] != "n0000020100.id" {
		t.Errorf("page 200: got %d names from %s on", len(first), first[0])
	}
}
