package names_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	domain "strata/domain/names"
	"strata/internal/synth/value"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// exported is the event with some lines of the export of Stacks 1.0.
func exported(kind domain.ExportKind, columns string, lines ...string) replay.Post {
	part := domain.ExportPart{File: "made-up", Kind: kind, FirstLine: 2, Columns: columns, Text: strings.Join(lines, "\n") + "\n"}
	text, err := part.Encode()
	if err != nil {
		panic(err)
	}
	return replay.Post{Path: domain.PathExport, Body: text}
}

const (
	oldZonefile = "$ORIGIN bob.id\n_resolver URI 10 1 \"https://old.example\"\n"
	oldOwn      = "$ORIGIN old.bob.id\n"
)

func hexHash(content string) string {
	h := domain.ZonefileHash([]byte(content))
	return hex.EncodeToString(h[:])
}

// stacks1 is a small export: bob.id with a subdomain, and alice.id.
func stacks1() []replay.Post {
	line := func(content string) string { return strings.ReplaceAll(content, "\n", `\n`) }
	return []replay.Post{
		exported(domain.ExportNamespaces, "namespace_id,address,buckets,base,coeff,nonalpha_discount,no_vowel_discount,lifetime",
			"id,"+buyer.Address()+",6;5;4;3;2;1;0;0;0;0;0;0;0;0;0;0,4,250,4,4,12"),
		exported(domain.ExportNames, "name,address,zonefile_hash", "alice.id,"+owner.Address()+",", "bob.id,"+owner.Address()+","+hexHash(oldZonefile)),
		exported(domain.ExportZonefiles, "", hexHash(oldZonefile), line(oldZonefile), hexHash(oldOwn), line(oldOwn), hexHash("another"), "text"),
		exported(domain.ExportSubdomains, "zonefile_hash,parent_zonefile_hash,fully_qualified_subdomain,owner,block_height,parent_zonefile_index,zonefile_offset,resolver",
			hexHash(oldOwn)+","+hexHash(oldZonefile)+",old.bob.id,1BTC,7,0,1,https://old.example"),
	}
}

// TestExportAnywhere puts the export of Stacks 1.0 before, among and after the blocks that use its names, and folds in
// batches of random sizes: the rows are the same.
func TestExportAnywhere(t *testing.T) {
	t.Parallel()
	none := clarity.NewNone()
	renewal := called("name-renewal", value.Buffer("id"), value.Buffer("bob"), clarity.NewUint64(1), none, none)
	start := []replay.Post{block(body.Genesis, ""), block("a1", body.Genesis)}
	state := "concat_ws(' ', o.n, o.operation, o.registered_at, left(encode(o.zonefile_hash, 'hex'), 4))"
	for what, tc := range map[string]struct {
		blocks []replay.Post
		want   string // the operations of bob.id
	}{
		"untouched": {start, "0 1 0 " + hexHash(oldZonefile)[:4]},
		"update": {
			append(start[:2:2], block("a2", "a1", owner.Did(printed(domain.Update, owner, second))), block("a3", "a2"), attached("a2", second, nil)),
			"0 1 0 " + hexHash(oldZonefile)[:4] + ", 1 3 0 " + hexHash(second)[:4],
		},
		"transfer": {
			append(start[:2:2], block("a2", "a1", owner.Did(given(buyer.Address()), printed(domain.Transfer, owner, "")))),
			"0 1 0 " + hexHash(oldZonefile)[:4] + ", 1 4 0 ",
		},
		"silent renewals": {
			append(start[:2:2], block("a2", "a1", renewal), block("a3", "a2", renewal)),
			"0 1 0 " + hexHash(oldZonefile)[:4] + ", 1 5 2 " + hexHash(oldZonefile)[:4] + ", 2 5 3 " + hexHash(oldZonefile)[:4],
		},
		"silent renewal reverted": {
			append(start[:2:2], block("a2", "a1", renewal), block("b2", "a1"), block("b3", "b2"), block("b4", "b3")), "0 1 0 " + hexHash(oldZonefile)[:4],
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var want []string
			for at := range len(tc.blocks) + 1 {
				tx := rig.Begin(t)
				posts := slices.Insert(slices.Clone(tc.blocks), at, stacks1()...)
				random := rand.New(rand.NewPCG(uint64(at), 1))
				steps := rig.Steps(t, tx, posts)
				rig.Fold(t, tx, steps, func() int { return 1 + random.IntN(4) })
				got := rig.Dump(t, tx)
				if at == 0 {
					want = got
				}
				foldtest.Same(t, fmt.Sprintf("export after %d posts", at), got, want)
				operations := strings.Join(rig.Texts(t, tx, `SELECT `+state+` FROM {schema}.operation o WHERE name = 'bob.id' ORDER BY n`), ", ")
				if operations != tc.want {
					t.Errorf("export after %d posts: bob.id is %q, want %q", at, operations, tc.want)
				}
				old := rig.Texts(t, tx, `
					SELECT concat_ws(' ', d.name, d.owner, d.resolver, convert_from(z.content, 'utf-8')) FROM {schema}.subdomain d JOIN {schema}.zonefile z ON z.zonefile_hash = d.content_hash
					WHERE label = 'old'`)
				foldtest.Same(t, "subdomain", old, []string{"bob.id 1BTC https://old.example " + oldOwn})
				if n := rig.Texts(t, tx, `SELECT count(*)::text FROM {schema}.zonefile WHERE entry < 0`); n[0] != "2" {
					t.Errorf("%s zonefiles of the export, want the two that have the hash that it says", n[0])
				}
				rig.Fold(t, tx, foldtest.Back(steps), func() int { return 1 })
				foldtest.Same(t, "everything reverted", rig.Texts(t, tx, `SELECT name || ' ' || listed FROM {schema}.name ORDER BY name`), []string{"alice.id true", "bob.id true"})
				replay.End(t, tx)
			}
		})
	}
}
