package bns_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/short"
	"strata/projections/chain"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestHistories folds random histories with forks in batches of random sizes, and compares the rows with the state of
// the simulated contracts, with the state at earlier blocks, and with a replay of the canonical chain alone.
func TestHistories(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](4, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 9))
			h := newHistory(t, random, seed, 150)
			rig.History(t, h.posts, random, 9, func(tx pgx.Tx) (alone []replay.Post) {
				canonical := h.canonical(t, tx)
				compareState(t, tx, canonical[len(canonical)-1].state)
				for range 10 {
					compareOwners(t, tx, canonical[random.IntN(len(canonical))])
				}
				for _, n := range canonical {
					alone = append(alone, n.block.Post())
				}
				return alone
			})
		})
	}
}

// node is a block with the state after it.
type node struct {
	block  synthnames.Block
	state  *synthnames.State
	parent *node
}

// history is a tree of blocks, in the order in which they are posted.
type history struct {
	posts []replay.Post
	byID  map[string]*node
}

func newHistory(t *testing.T, random *rand.Rand, seed uint64, blocks int) *history {
	t.Helper()
	simulator := synthnames.NewSimulator(seed)
	h := &history{byID: map[string]*node{}}
	add := func(n *node) *node {
		h.posts = append(h.posts, n.block.Post())
		h.byID[synthnames.ID(n.block.Name).String()] = n
		return n
	}
	genesis, state := simulator.Genesis()
	tip := add(&node{block: genesis, state: state})
	for range blocks {
		parent := tip
		if random.IntN(5) == 0 { // fork
			for range 1 + random.IntN(4) {
				if parent.parent != nil {
					parent = parent.parent
				}
			}
		}
		block, state := simulator.Next(parent.block, parent.state)
		tip = add(&node{block: block, state: state, parent: parent})
	}
	return h
}

// canonical returns the canonical chain, the lowest block first.
func (h *history) canonical(t *testing.T, tx pgx.Tx) (nodes []*node) {
	t.Helper()
	for _, id := range replay.Texts(t, tx, chain.Spec().SQL(`
		SELECT '0x' || encode(b.index_block_hash, 'hex') FROM {schema}.canonical c JOIN {schema}.block b ON b.source_seq = c.block_seq ORDER BY c.height`)) {
		n := h.byID[id]
		if n == nil {
			t.Fatalf("no block %s", id)
		}
		nodes = append(nodes, n)
	}
	if len(nodes) < 20 || len(nodes) == len(h.posts) {
		t.Fatalf("%d of %d blocks are canonical", len(nodes), len(h.posts))
	}
	return nodes
}

// compareState compares the current rows with a state.
func compareState(t *testing.T, tx pgx.Tx, state *synthnames.State) {
	t.Helper()
	var want []string
	for full, n := range state.Names {
		name, _ := bns.ParseName(full)
		expires := "never"
		if expiry, ok := state.Expiry(full); ok {
			expires = fmt.Sprint(expiry, " ", state.BurnHeight <= expiry)
		}
		optional := func(height int64) string {
			if height < 0 {
				return "-"
			}
			return strconv.FormatInt(height, 10)
		}
		price := "-"
		if n.Price > 0 {
			price = strconv.FormatInt(n.Price, 10)
		}
		want = append(want, fmt.Sprintf("%s.%s %d %s registered %s imported %s renewal %d burned %s preorder %s by %s price %s expires %s revoked %t",
			name.Label, name.Namespace, n.ID, n.Owner, optional(n.RegisteredAt), optional(n.ImportedAt), n.Renewal, n.Burned, n.Preorder, n.PreorderedBy, price,
			expires, state.Zonefiles[full].Revoked))
	}
	got := rig.Texts(t, tx, `
		SELECT full_name || ' ' || id || ' ' || owner || ' registered ' || coalesce(registered_at::text, '-') || ' imported ' || coalesce(imported_at::text, '-')
			|| ' renewal ' || renewal_height || ' burned ' || stx_burn || ' preorder ' || coalesce(encode(preorder, 'hex'), '') || ' by ' || coalesce(preordered_by, '')
			|| ' price ' || coalesce(listed_price::text, '-') || ' expires ' || coalesce(expires_at || ' ' || valid, 'never') || ' revoked ' || revoked
		FROM {schema}.name WHERE until_height IS NULL AND owner IS NOT NULL`)
	foldtest.SameSorted(t, "names", got, want)

	want = nil
	for principal, id := range state.Primary {
		want = append(want, fmt.Sprint(principal, " ", id))
	}
	foldtest.SameSorted(t, "primary names", rig.Texts(t, tx, `SELECT principal || ' ' || id FROM {schema}.primary_name WHERE until_height IS NULL`), want)

	want = nil
	for full, z := range state.Zonefiles {
		want = append(want, fmt.Sprintf("%s %s %s %t", full, z.Owner, hex.EncodeToString([]byte(z.Content)), z.Revoked))
	}
	foldtest.SameSorted(t, "zonefiles", rig.Texts(t, tx, `
		SELECT full_name || ' ' || owner || ' ' || coalesce(encode(content, 'hex'), '') || ' ' || revoked FROM {schema}.zonefile WHERE until_height IS NULL`), want)

	want = nil
	for namespace, n := range state.Namespaces {
		launched := "-"
		if n.LaunchedAt >= 0 {
			launched = strconv.FormatInt(n.LaunchedAt, 10)
		}
		want = append(want, fmt.Sprintf("%s %s manager %s lifetime %d launched %s revealed %d coefficient %d", namespace, n.Import, n.Manager, n.Lifetime, launched, n.RevealedAt, n.Coefficient))
	}
	foldtest.SameSorted(t, "namespaces", rig.Texts(t, tx, `
		SELECT namespace || ' ' || import_address || ' manager ' || coalesce(manager, '') || ' lifetime ' || lifetime || ' launched ' || coalesce(launched_at::text, '-')
			|| ' revealed ' || revealed_at || ' coefficient ' || price_coeff FROM {schema}.namespace WHERE until_height IS NULL`), want)

	want = nil
	for hash, principal := range state.Preorders {
		want = append(want, hash+" "+principal)
	}
	foldtest.SameSorted(t, "preorders", rig.Texts(t, tx, `SELECT encode(hash, 'hex') || ' ' || principal FROM {schema}.preorder WHERE used_height IS NULL`), want)
}

// compareOwners compares owners and primary names after an earlier block with its state.
func compareOwners(t *testing.T, tx pgx.Tx, n *node) {
	t.Helper()
	var want []string
	for full, name := range n.state.Names {
		want = append(want, fmt.Sprint(full, " ", name.Owner, " ", name.ID, " ", n.state.Primary[name.Owner] == name.ID))
	}
	foldtest.SameSorted(t, fmt.Sprint("names after block ", n.block.Height), rig.Texts(t, tx, `
		SELECT n.full_name || ' ' || n.owner || ' ' || n.id || ' ' || (p.full_name IS NOT NULL)
		FROM {schema}.name n
		LEFT JOIN {schema}.primary_name p ON p.principal = n.owner AND p.full_name = n.full_name AND p.height <= $1 AND (p.until_height IS NULL OR p.until_height > $1)
		WHERE n.owner IS NOT NULL AND n.height <= $1 AND (n.until_height IS NULL OR n.until_height > $1)`, n.block.Height), want)
}
