package chain_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// allSteps lists the steps by the names of their blocks: + applies and - reverts a block, > means that a Bitcoin block
// joins the followed fork, and < that it leaves it.
func allSteps(t *testing.T, tx pgx.Tx) string {
	t.Helper()
	list := replay.Texts(t, tx, schemas.In(`
		SELECT CASE s.kind WHEN 1 THEN '+' WHEN -1 THEN '-' ELSE CASE s.record WHEN 3 THEN '>' ELSE '<' END END || ' ' ||
			CASE WHEN s.kind <> 0 THEN encode(s.index_block_hash, 'hex') ELSE encode(b.burn_block_hash, 'hex') || encode(b.consensus_hash, 'hex') END
		FROM {chain}.step s LEFT JOIN {chain}.burn_block b ON b.source_seq = s.block_seq ORDER BY s.step`))
	for i, text := range list {
		sign, id, _ := strings.Cut(text, " ")
		name, _ := known.Load(id)
		list[i] = sign + name.(string)
	}
	return strings.Join(list, " ")
}

// TestBitcoinSteps checks the steps of Bitcoin blocks that join or leave the followed fork, and their order among the
// others.
func TestBitcoinSteps(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	const grown = "+genesis >101a +a1 >102a +a2 >103a +a3"
	for _, tc := range []struct {
		name  string
		rule  chain.Rule
		posts []replay.Post
		want  string
	}{
		{"growth", chain.Recommended, threeTenures(), grown},
		{"announced again", chain.Recommended, append(threeTenures(), bitcoin("102a", "101a"), bitcoin("103a", "102a")), grown},
		{
			"a fork: reverted blocks, Bitcoin blocks left, Bitcoin blocks followed", chain.Recommended, append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b")),
			grown + " -a3 -a2 <103a <102a >102b +b2",
		},
		{
			"a branch comes back with its ancestors, and its blocks at once", chain.Recommended,
			append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b"), bitcoin("104a", "103a")),
			grown + " -a3 -a2 <103a <102a >102b +b2 -b2 <102b >102a >103a >104a +a2 +a3",
		},
		{
			"a new block brings the Bitcoin blocks of its ancestors back", chain.Recommended,
			append(threeOldTenures(), oldBitcoin("102b"), stacks("b2", "a1", "102b", old), oldBitcoin("104a"), stacks("a4", "a3", "104a", old)),
			grown + " -a3 -a2 <103a <102a >102b +b2 >104a -b2 <102b >102a >103a +a2 +a3 +a4",
		},
		{"a hole is filled", chain.Recommended, []replay.Post{bitcoin("103a", "102a"), bitcoin("101a", "100a"), bitcoin("102a", "101a")}, ">103a >101a >102a"},
		{"another sortition", chain.Recommended, append(threeTenures(), bitcoin("103a'", "102a")), grown + " -a3 <103a >103a'"},
		{
			"the reference rule records forks but does not act on them", chain.Reference, append(threeTenures(), bitcoin("102b", "101a")), grown + " <103a <102a >102b",
		},
	} {
		for _, batching := range batchings {
			replay.InTx(t, pool, func(tx pgx.Tx) {
				foldAll(t, tx, tc.rule, replay.Decode(t, tc.posts), func() (int, bool) { return batching.size, batching.forget })
				if got := allSteps(t, tx); got != tc.want {
					t.Errorf("%s, %s:\n got %s\nwant %s", tc.name, batching.name, got, tc.want)
				}
			})
		}
	}
}

// TestLongAddresses checks that Bitcoin blocks with addresses too long for an index go to quarantine.
func TestLongAddresses(t *testing.T) {
	var scenarios []scenario
	long := strings.Repeat("1", 600)
	payouts := []any{map[string]any{"recipient": long, "amt": 1}}
	for pointer, members := range map[string]map[string]any{
		"/reward_recipients/0/recipient":                    {"reward_recipients": payouts},
		"/reward_slot_holders/1":                            {"reward_slot_holders": []any{"1", long}},
		"/pox_transactions/0/reward_recipients/0/recipient": {"pox_transactions": []any{map[string]any{"txid": body.BurnHash("1"), "reward_recipients": payouts}}},
	} {
		scenarios = append(scenarios, scenario{pointer, []replay.Post{genesis(), body.BurnBlock{Name: "101a", Members: members}.Post()},
			state{chain: "genesis", quarantined: "2" + pointer}})
	}
	run(t, chain.Recommended, scenarios)
}
