package ordinals

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/ordinals"
	"strata/internal/testkit/pgtest"
	"strata/projections/inscriptions"
)

// worldFaults count violations of what holds for every world that the projection writes.
var worldFaults = map[string]string{
	"lists": `
		SELECT count(*) FROM (
			SELECT 'all' AS name, count(*) AS n FROM {schema}.inscription
			UNION ALL SELECT 'number', count(*) FROM {schema}.inscription
			UNION ALL SELECT 'ordinal', count(*) FROM {schema}.inscription
			UNION ALL SELECT CASE WHEN recursive THEN 'recursive' ELSE 'not_recursive' END, count(*) FROM {schema}.inscription GROUP BY 1
			UNION ALL SELECT CASE WHEN number < 0 THEN 'cursed' ELSE 'not_cursed' END, count(*) FROM {schema}.inscription GROUP BY 1
			UNION ALL SELECT 'mime:' || mime_type, count(*) FROM {schema}.inscription GROUP BY 1
			UNION ALL SELECT 'rarity:' || rarity, count(*) FROM {schema}.inscription GROUP BY 1
			UNION ALL SELECT 'rarity_number:' || rarity, count(*) FROM {schema}.inscription GROUP BY 1
			UNION ALL SELECT 'address:' || address, count(*) FROM {schema}.owner GROUP BY 1
			UNION ALL SELECT 'genesis_address:' || genesis_address, count(*) FROM {schema}.inscription GROUP BY 1
			UNION ALL SELECT 'sat:' || sat, count(*) FROM {schema}.inscription GROUP BY 1 HAVING count(*) > 1
		) want FULL JOIN {schema}.list l ON l.name = want.name COLLATE "C" WHERE l.n IS DISTINCT FROM want.n`,
	"parts add up": `
		SELECT count(*) FROM {schema}.list l LEFT JOIN (SELECT list, sum(n) AS n, min(a) AS a FROM {schema}.part GROUP BY list) p ON p.list = l.name
		WHERE CASE WHEN l.n > 1024 THEN p.n IS DISTINCT FROM l.n OR p.a <> '-9223372036854775808' ELSE p.n IS NOT NULL END`,
	"parts of all": `
		SELECT count(*) FROM (
			SELECT a, b, c, n, lead(a) OVER w AS na, lead(b) OVER w AS nb, lead(c) OVER w AS nc FROM {schema}.part WHERE list = 'all' WINDOW w AS (ORDER BY a, b, c)
		) p WHERE n <> (SELECT count(*) FROM {schema}.inscription WHERE (height, tx_index, number) >= (a, b, c) AND (na IS NULL OR (height, tx_index, number) < (na, nb, nc))) OR n > 1024`,
	"parts of ordinal": `
		SELECT count(*) FROM (SELECT a, n, lead(a) OVER (ORDER BY a) AS next FROM {schema}.part WHERE list = 'ordinal') p
		WHERE n <> (SELECT count(*) FROM {schema}.inscription WHERE sat >= a AND (next IS NULL OR sat < next))
		   OR n > 1024 AND (SELECT count(DISTINCT sat) FROM {schema}.inscription WHERE sat >= a AND (next IS NULL OR sat < next)) > 1`,
	"satoshis": `
		SELECT count(*) FROM (SELECT sat, count(*) AS n FROM {schema}.inscription GROUP BY sat) i FULL JOIN {schema}.satoshi s USING (sat) WHERE i.n IS DISTINCT FROM s.inscriptions`,
	"current locations": `
		SELECT count(*) FROM {schema}.satoshi s FULL JOIN (SELECT DISTINCT ON (sat) * FROM {schema}.location ORDER BY sat, height DESC, tx_index DESC) l USING (sat)
		WHERE (s.height, s.tx_index, s.output_txid, s.vout) IS DISTINCT FROM (l.height, l.tx_index, l.output_txid, l.vout)`,
	"owners": `
		SELECT count(*) FROM {schema}.inscription i FULL JOIN {schema}.owner o USING (id, sat, number, height, tx_index)
		JOIN {schema}.satoshi s USING (sat) JOIN {schema}.location l ON (l.sat, l.height, l.tx_index) = (s.sat, s.height, s.tx_index)
		WHERE i.fee IS NULL OR o.address IS DISTINCT FROM l.address`,
	"genesis locations": `
		SELECT count(*) FROM {schema}.inscription i LEFT JOIN {schema}.location l USING (sat, height, tx_index) WHERE l.address IS DISTINCT FROM i.genesis_address`,
	"moved": `
		SELECT count(*) FROM {schema}.location l WHERE moved <> (SELECT count(*) FROM {schema}.inscription i WHERE i.sat = l.sat AND (i.height, i.tx_index) < (l.height, l.tx_index))`,
	"order": `SELECT count(*) - count(DISTINCT (height, block_order)) FROM {schema}.location`,
	"blocks": `
		SELECT count(*) FROM {schema}.block b
		WHERE reveals <> (SELECT count(*) FROM {schema}.inscription i WHERE i.height = b.height)
		   OR moves <> (SELECT coalesce(sum(moved), 0) FROM {schema}.location l WHERE l.height = b.height)`,
	"blocks are there":  `SELECT count(*) FROM {schema}.location l LEFT JOIN {schema}.block b USING (height) WHERE b.height IS NULL`,
	"numbers":           `SELECT n FROM {schema}.missing`,
	"distinct numbers":  `SELECT count(*) - count(DISTINCT number) FROM {schema}.inscription`,
	"too few of a kind": `SELECT count(*) FROM (VALUES ('cursed'), ('recursive'), ('rarity:1'), ('address:` + whale + `')) v (name) LEFT JOIN {schema}.list l ON l.name = v.name WHERE l.n IS NULL`,
	"nobody moved":      `SELECT 1 - least(count(*), 1) FROM {schema}.inscription JOIN {schema}.owner USING (id) WHERE address <> genesis_address`,
}

func TestInscriptionWorld(t *testing.T) {
	t.Parallel()
	w := World{Inscriptions: 21_000}
	pool, err := pgxpool.New(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	spec := inscriptions.Spec()
	if _, err := pool.Exec(t.Context(), spec.DDL()); err != nil {
		t.Fatal(err)
	}
	const indexes = `SELECT string_agg(indexdef, E'\n' ORDER BY indexdef) FROM pg_indexes WHERE schemaname = '{schema}'`
	var before, after string
	if err := pool.QueryRow(t.Context(), spec.SQL(indexes)).Scan(&before); err != nil {
		t.Fatal(err)
	}
	world, err := w.world()
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Write(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if err := pool.QueryRow(t.Context(), spec.SQL(indexes)).Scan(&after); err != nil || before != after {
		t.Errorf("the indexes are %s\nwant %s (%v)", after, before, err)
	}
	for name, query := range worldFaults {
		var n int64
		if err := pool.QueryRow(t.Context(), spec.SQL(query)).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: got %d violations (%v)", name, n, err)
		}
	}
	var n int64
	if err := pool.QueryRow(t.Context(), spec.SQL(`SELECT inscriptions FROM {schema}.satoshi WHERE sat = $1`), crowdedSat).Scan(&n); err != nil || n != int64(w.crowded()) {
		t.Errorf("got %d inscriptions on the crowded sat, want %d (%v)", n, w.crowded(), err)
	}
	checkRarities(t, pool)
	for _, i := range []int{2, 7, 20_999} { // the inscriptions that requests name exist
		var owner string
		if err := pool.QueryRow(t.Context(), spec.SQL(`SELECT genesis_address FROM {schema}.inscription WHERE id = $1`), txid(i)+"i0").Scan(&owner); err != nil || owner != w.holder(31*i) {
			t.Errorf("inscription %d belongs to %s, want %s (%v)", i, owner, w.holder(31*i), err)
		}
	}
}

// checkRarities compares the rarities that SQL computed with those of package ordinals.
func checkRarities(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	rows, err := pool.Query(context.Background(), inscriptions.Spec().SQL(`SELECT sat, rarity::int FROM {schema}.inscription`))
	if err != nil {
		t.Fatal(err)
	}
	var sat, rarity int64
	if _, err := pgx.ForEachRow(rows, []any{&sat, &rarity}, func() error {
		if want := int64(ordinals.Sat(sat).Rarity()); sat < 0 || sat > int64(ordinals.LastSat) || rarity != want {
			t.Errorf("sat %d has rarity %d, want %d", sat, rarity, want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
