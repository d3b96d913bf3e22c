package bns_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/rig/bnschain"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestTrace folds the calls of the real contracts in batches of different sizes, and compares the rows with the state
// that the contracts tell.
func TestTrace(t *testing.T) {
	t.Parallel()
	blocks, final := bnschain.Trace(t)
	var first []string
	rig.InBatches(t, bnschain.Posts(blocks...), []int{1, 7, len(blocks)}, func(tx pgx.Tx, size int) {
		compareFinal(t, tx, final)
		if first == nil {
			first = rig.Dump(t, tx)
		}
		foldtest.Same(t, fmt.Sprint("in batches of ", size), rig.Dump(t, tx), first)
	})
}

// TestTraceReverted applies and reverts the blocks of the trace in random order.
func TestTraceReverted(t *testing.T) {
	t.Parallel()
	blocks, final := bnschain.Trace(t)
	tx := rig.Begin(t)
	apply := rig.Steps(t, tx, bnschain.Posts(blocks...))
	random := rand.New(rand.NewPCG(3, 3))
	steps, number := apply[:0:0], int64(0)
	for at := 0; at < len(apply); {
		number++
		step := apply[at]
		step.Number = number
		if at > 0 && random.IntN(5) < 2 {
			at--
			step = apply[at]
			step.Number, step.Kind, step.Block = number, projections.Revert, nil
		} else {
			at++
		}
		steps = append(steps, step)
	}
	if len(steps) < 2*len(apply) {
		t.Fatalf("only %d steps for %d blocks", len(steps), len(apply))
	}
	rig.Fold(t, tx, steps, func() int { return 1 + random.IntN(5) })
	compareFinal(t, tx, final)
	got := rig.Dump(t, tx)
	rig.Fold(t, tx, foldtest.Back(steps), func() int { return 1 + random.IntN(9) })
	foldtest.Same(t, "everything reverted", rig.Dump(t, tx), nil)
	replay.End(t, tx)
	tx = rig.Begin(t)
	rig.FoldPosts(t, tx, bnschain.Posts(blocks...), 30)
	foldtest.Same(t, "straight", got, rig.Dump(t, tx))
}

func compareFinal(t *testing.T, tx pgx.Tx, final *bnschain.Final) {
	t.Helper()
	var want []string
	for _, n := range final.Names {
		if n.Name == "" {
			continue
		}
		row := map[string]any{
			"id": n.ID, "name": n.Name, "namespace": n.Namespace, "owner": n.NFTOwner, "registered_at": n.Properties.RegisteredAt,
			"imported_at": n.Properties.ImportedAt, "renewal_height": n.Properties.RenewalHeight, "stx_burn": n.Properties.Burned,
			"preordered_by": n.Properties.PreorderedBy, "preorder": n.Properties.Preorder, "expiry": n.EffectiveRenewal, "listing": n.Listing,
		}
		if z := n.Zonefile; z != nil {
			row["zonefile"] = map[string]any{"owner": z.Owner, "content": z.Zonefile, "revoked": z.Revoked}
		}
		want = append(want, jsonOf(t, row))
	}
	got := rig.Texts(t, tx, `
		SELECT jsonb_build_object('id', n.id::text, 'name', n.label, 'namespace', n.namespace, 'owner', n.owner, 'registered_at', n.registered_at::text,
			'imported_at', n.imported_at::text, 'renewal_height', n.renewal_height::text, 'stx_burn', n.stx_burn::text, 'preordered_by', n.preordered_by,
			'preorder', '0x' || encode(n.preorder, 'hex'), 'expiry', n.expires_at::text,
			'listing', CASE WHEN n.listed_n IS NOT NULL THEN jsonb_build_object('Price', n.listed_price::text, 'Commission', n.commission) END)
			|| CASE WHEN z.full_name IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('zonefile', jsonb_build_object(
				'owner', z.owner, 'content', '0x' || encode(z.content, 'hex'), 'revoked', z.revoked)) END
		FROM {schema}.name n LEFT JOIN {schema}.zonefile z ON z.full_name = n.full_name AND z.until_height IS NULL
		WHERE n.until_height IS NULL AND n.owner IS NOT NULL`)
	for i := range got {
		var row map[string]any
		must.Do(t, json.Unmarshal([]byte(got[i]), &row))
		got[i] = jsonOf(t, row)
	}
	foldtest.SameSorted(t, "names", got, want)

	want = nil
	for principal, id := range final.Primary {
		if id != nil {
			want = append(want, principal+" "+*id)
		}
	}
	got = rig.Texts(t, tx, `SELECT principal || ' ' || id FROM {schema}.primary_name WHERE until_height IS NULL`)
	foldtest.SameSorted(t, "primary names", got, want)

	namespaces := map[string]any{}
	for _, text := range rig.Texts(t, tx, `
		SELECT jsonb_build_object('namespace', namespace, 'namespace_manager', manager, 'manager_transferable', manager_transferable,
			'manager_frozen', manager_frozen, 'namespace_import', import_address, 'revealed_at', revealed_at::text, 'launched_at', launched_at::text,
			'lifetime', lifetime::text, 'can_update_price_function', can_update_price, 'price_function', jsonb_build_object('base', price_base::text,
			'coeff', price_coeff::text, 'nonalpha_discount', nonalpha_discount::text, 'no_vowel_discount', no_vowel_discount::text, 'buckets', buckets::text[]))
		FROM {schema}.namespace WHERE until_height IS NULL`) {
		var row map[string]any
		must.Do(t, json.Unmarshal([]byte(text), &row))
		namespaces[row["namespace"].(string)] = row
		delete(row, "namespace")
	}
	if got, want := slices.Sorted(maps.Keys(namespaces)), slices.Sorted(maps.Keys(final.Namespaces)); !slices.Equal(got, want) {
		t.Errorf("got namespaces %v, want %v", got, want)
	}
	for namespace, text := range final.Namespaces {
		var want any
		must.Do(t, json.Unmarshal(text, &want))
		if !reflect.DeepEqual(namespaces[namespace], want) {
			t.Errorf("namespace %s: got %v, want %v", namespace, namespaces[namespace], want)
		}
	}
}

// jsonOf returns a value as JSON with sorted keys.
func jsonOf(t testing.TB, value any) string {
	t.Helper()
	text := must.Get(json.Marshal(value))(t)
	return string(text)
}
