package names_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	domain "strata/domain/names"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections/names"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestHistories folds random histories with forks in batches of random sizes. It compares the rows with those of the
// model, and with those of a replay of the canonical chain alone, with the same zonefiles at other places.
func TestHistories(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V25, synthchain.V3109, synthchain.V40} {
		for seed := range short.Form[uint64](2, 1) {
			t.Run(fmt.Sprintf("%v/%d", generation, seed), func(t *testing.T) {
				t.Parallel()
				config := synthchain.Everything(seed, generation)
				config.SigningSample, config.Accounts, config.ForkProbability, config.Mix = 1000, 16, 0.3, synthchain.Mix{Transfer: 1, Naming: 30}
				generator := synthchain.New(config)
				posts := replay.Take(500, generator.Next)
				zonefiles := slices.DeleteFunc(slices.Clone(posts), func(post replay.Post) bool { return post.Path != "/attachments/new" })
				rig.History(t, posts, rand.New(rand.NewPCG(seed, 1)), 40, func(tx pgx.Tx) []replay.Post {
					compare(t, tx, generator.Expected())
					before, after := zonefiles[:len(zonefiles)/2], zonefiles[len(zonefiles)/2:] // the blocks that name them
					return slices.Concat(before, generator.CanonicalPosts(), after)
				})
			})
		}
	}
}

// compare compares names and namespaces with the model.
func compare(t *testing.T, tx pgx.Tx, truth synthchain.State) {
	t.Helper()
	var want []string
	listed, expiring, operations := 0, 0, map[string]int{}
	for name, n := range truth.Names {
		expires := "never"
		if n.Expires != nil {
			expires = fmt.Sprint(*n.Expires)
			expiring++
		}
		if n.Operation != "name-revoke" {
			listed++
		}
		operations[n.Operation]++
		want = append(want, fmt.Sprintf("%s %s %s %s %s", name, n.Operation, n.Owner, n.ZonefileHash, expires))
	}
	slices.Sort(want)
	rows, err := tx.Query(t.Context(), names.Spec().SQL(`
		SELECT w.name, o.operation, w.holder, encode(o.zonefile_hash, 'hex'), o.registered_at, o.imported_at, w.holder = o.owner,
		       s.revealed_at::text, s.launched_at::text, s.lifetime::text
		FROM {schema}.name w
		CROSS JOIN LATERAL (SELECT * FROM {schema}.operation o WHERE o.name = w.name ORDER BY o.n DESC LIMIT 1) o
		LEFT JOIN LATERAL (SELECT * FROM {schema}.namespace s WHERE s.namespace = w.namespace ORDER BY s.n DESC LIMIT 1) s ON true`))
	if err != nil {
		t.Fatal(err)
	}
	got := must.Get(pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var name, holder, hash string
		var operation domain.Operation
		var lease domain.Lease
		var agree bool
		var revealed, launched, lifetime *string
		err := row.Scan(&name, &operation, &holder, &hash, &lease.RegisteredAt, &lease.ImportedAt, &agree, &revealed, &launched, &lifetime)
		if !agree {
			t.Errorf("%s: its holder %s is not the owner of its last operation", name, holder)
		}
		expires := "never"
		if end := lease.Expires(&domain.Term{RevealedAt: number(revealed), LaunchedAt: number(launched), Lifetime: number(lifetime)}); end != nil {
			expires = end.String()
		}
		return fmt.Sprintf("%s %s %s %s %s", name, operation, holder, hash, expires), err
	}))(t)
	slices.Sort(got)
	foldtest.Same(t, "names", got, want)
	if listed < 3 || expiring == 0 || len(operations) < 4 {
		t.Errorf("too little happened: %d names, %d of which expire, by %v", listed, expiring, operations)
	}
	var namespaces []string
	for name, n := range truth.Namespaces {
		if n.Launched {
			namespaces = append(namespaces, fmt.Sprint(name, " ", n.Lifetime, " ", n.PriceBase))
		}
	}
	slices.Sort(namespaces)
	foldtest.Same(t, "namespaces", rig.Texts(t, tx, `
		SELECT * FROM (SELECT DISTINCT ON (namespace) namespace || ' ' || lifetime || ' ' || price_base AS row FROM {schema}.namespace ORDER BY namespace, n DESC) s ORDER BY row`), namespaces)
	for _, row := range rig.Texts(t, tx, `SELECT encode(zonefile_hash, 'hex') || ' ' || encode(content, 'hex') FROM {schema}.zonefile`) {
		if hash := row[:40]; row[41:] != hex.EncodeToString(truth.Zonefiles[hash]) && len(truth.Zonefiles[hash]) > 0 {
			t.Errorf("zonefile %s: got %s", hash, row[41:])
		}
	}
	if n := rig.Texts(t, tx, `SELECT count(*)::text FROM {schema}.subdomain`); n[0] == "0" {
		t.Error("there are no subdomains")
	}
}
