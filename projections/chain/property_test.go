package chain_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"strata/domain/nodeevent"
	"strata/internal/testkit/replay"
	"strata/internal/testkit/schemas"
	"strata/projections/chain"
	"strata/projections/internal/body"
)

// TestRestarts folds random histories of Stacks and Bitcoin forks in one batch, and again in batches of random sizes, with restarts
// between some. Both give the same steps and rows, and after each batch the memory is what would be read from the tables.
func TestRestarts(t *testing.T) {
	t.Parallel()
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			pool := databases.NewFresh(t)
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				if n++; n%64 == 0 { // what is rolled back stays in the tables until then
					if _, err := pool.Exec(context.Background(), `VACUUM`); err != nil {
						rt.Fatal(err)
					}
				}
				testRestarts(t, rt, pool)
			})
		})
	}
}

func testRestarts(t *testing.T, rt *rapid.T, pool *pgxpool.Pool) {
	t.Helper()
	strange := rapid.SampledFrom([]int{0, 0, 10}).Draw(rt, "strange")
	items := replay.Decode(t, drawHistory(rt, strange))
	for _, item := range items {
		switch payload := item.Payload.(type) {
		case *nodeevent.Block:
			rt.Logf("%s on %s, Bitcoin block %s", nameOf(payload.IndexBlockHash.String()), nameOf(payload.ParentIndexBlockHash.String()), nameOf(payload.BurnBlockHash.String()))
		case *nodeevent.BurnBlock:
			rt.Logf("Bitcoin block %s, of node that names parents: %t", nameOf(payload.Hash.String()), payload.ParentHash != nil)
		}
	}
	rule := rapid.SampledFrom([]chain.Rule{chain.Recommended, chain.Recommended, chain.Reference}).Draw(rt, "rule")
	piece := rapid.SampledFrom([]int{4096, 4096, 3}).Draw(rt, "piece")
	most := rapid.SampledFrom([]int{1, 2, 6}).Draw(rt, "events at once")
	restarts := rapid.IntRange(0, 2).Draw(rt, "restarts")
	fold := func(next func() (size int, restart bool)) (rows []string) {
		tx, err := pool.Begin(context.Background())
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = tx.Rollback(context.Background()) }()
		start := func() *chain.Chain {
			c, err := chain.New(rule, nil)
			if err != nil {
				rt.Fatal(err)
			}
			c.SetPiece(piece)
			return c
		}
		c := start()
		for position := 0; position < len(items); {
			size, restart := next()
			end := min(position+size, len(items))
			outcome, err := c.Fold(context.Background(), tx, int64(position), items[position:end])
			if err != nil {
				rt.Fatalf("fold events %d to %d: %v", position+1, end, err)
			}
			position = end - outcome.Left
			if err := c.CheckMemory(context.Background(), tx); err != nil {
				rt.Fatalf("after event %d, %d of which are left: %v", end, outcome.Left, err)
			}
			if restart {
				c = start()
			}
		}
		checkRules(rt, tx, rule == chain.Recommended && strange == 0)
		return replay.Texts(t, tx, allRows)
	}
	whole := fold(func() (int, bool) { return len(items), false })
	parts := fold(func() (int, bool) {
		return rapid.IntRange(1, most).Draw(rt, "size"), rapid.IntRange(0, 1).Draw(rt, "restart") < restarts
	})
	for _, difference := range []struct {
		what      string
		has, have []string
	}{{"in one batch only", whole, parts}, {"in parts only", parts, whole}} {
		for _, row := range difference.has {
			if !slices.Contains(difference.have, row) {
				rt.Errorf("%s: %s", difference.what, row)
			}
		}
	}
}

// allRows selects all rows that the fold may write.
var allRows = func() (query string) {
	for _, table := range []string{"block", "canonical", "step", "burn_block", "gap", "narrow_copy", "unfinished", "transaction"} {
		query += fmt.Sprintf(`SELECT '%[1]s ' || r::text FROM {chain}.%[1]s r UNION ALL `, table)
	}
	return schemas.In(query) + `SELECT 'quarantine ' || seq || pointer FROM strata.quarantine`
}()

// drawHistory draws announcements of a tree of Bitcoin blocks and one of Stacks blocks: with forks of any depth that come and go,
// late, lost and repeated ones, of nodes that name parents and sortitions and of others. strange is the percentage of Stacks blocks
// on any Bitcoin block, though the one of their parent is on another fork or higher.
func drawHistory(rt *rapid.T, strange int) (posts []replay.Post) {
	chance := func(percent int, what string) bool { return rapid.IntRange(0, 99).Draw(rt, what) < percent }
	oldShare := rapid.SampledFrom([]int{0, 100, 40}).Draw(rt, "old")
	lateShare := rapid.SampledFrom([]int{0, 25}).Draw(rt, "late")
	type block struct {
		name   string
		parent int // index; -1 for none
		burn   int // of a Stacks block, and
		view   int // the latest Bitcoin block that its tenure has seen
		post   replay.Post
	}
	bitcoins, stacked := []block{{name: "100a", parent: -1}}, []block{{name: body.Genesis, parent: -1}}
	if chance(30, "begins above genesis") {
		stacked[0].name = "x5"
	}
	bitcoins[0].post = bitcoin("100a", "99a")
	stacked[0].post = stacks(stacked[0].name, "x4", "100a")
	if stacked[0].name == body.Genesis {
		stacked[0].post = genesis()
	}
	var late []replay.Post
	announce := func(post replay.Post) {
		if chance(lateShare, "is late") {
			late = append(late, post)
			return
		}
		posts = append(posts, post)
	}
	announce(bitcoins[0].post)
	announce(stacked[0].post)
	nearTop := func(blocks []block) int {
		return max(0, len(blocks)-1-rapid.SampledFrom([]int{0, 0, 0, 0, 1, 1, 2, 3, 5}).Draw(rt, "below"))
	}
	under := func(upper, lower int) bool { // whether a Bitcoin block is another one or its descendant
		for ; upper >= 0; upper = bitcoins[upper].parent {
			if upper == lower {
				return true
			}
		}
		return false
	}
	for range rapid.IntRange(4, 18).Draw(rt, "events") {
		isOld := chance(oldShare, "is old")
		switch what := rapid.IntRange(0, 99).Draw(rt, "what"); {
		case what < 35:
			parent := nearTop(bitcoins)
			b := block{name: fmt.Sprintf("%d%c", body.Height(bitcoins[parent].name)+1, 'a'+rune(len(bitcoins))), parent: parent}
			if isOld {
				b.post = oldBitcoin(b.name)
			} else {
				b.post = bitcoin(b.name, bitcoins[parent].name)
			}
			bitcoins = append(bitcoins, b)
			announce(b.post)
		case what < 75:
			parent, burn := nearTop(stacked), nearTop(bitcoins)
			view := burn
			if !chance(strange, "is strange") && !under(burn, stacked[parent].view) {
				burn, view = stacked[parent].burn, stacked[parent].view
			}
			var change []func(*body.Block)
			if isOld {
				change = append(change, old)
			} else if next := nearTop(bitcoins); chance(20, "is extended") && next > view && under(next, view) {
				view = next
				change = append(change, extended(bitcoins[view].name))
			}
			b := block{name: fmt.Sprintf("%c%d", 'a'+rune(len(stacked)), body.Height(stacked[parent].name)+1), parent: parent, burn: burn, view: view}
			b.post = stacks(b.name, stacked[parent].name, bitcoins[burn].name, change...)
			stacked = append(stacked, b)
			announce(b.post)
		case what < 85:
			posts = append(posts, bitcoins[nearTop(bitcoins)].post)
		case what < 90:
			posts = append(posts, stacked[nearTop(stacked)].post)
		case what < 93:
			if b := bitcoins[nearTop(bitcoins)]; b.parent >= 0 {
				posts = append(posts, bitcoin(b.name+"'", bitcoins[b.parent].name))
			}
		case len(late) > 0:
			i := rapid.IntRange(0, len(late)-1).Draw(rt, "which")
			posts = append(posts, late[i])
			late = slices.Delete(late, i, i+1)
		}
	}
	return append(posts, genesis(empty))
}

// checkRules compares the tables with the rules, without regard to how they came about.
func checkRules(rt *rapid.T, tx pgx.Tx, tips bool) {
	type bitcoinBlock struct {
		Hash, Consensus, Parent string
		Height                  int64
		Canonical               bool
	}
	type stacksBlock struct {
		ID, Parent, Burn, Consensus, View string
		Height, BurnHeight                int64
		Attached, Canonical               bool
	}
	rows, err := tx.Query(context.Background(), schemas.In(`
		SELECT encode(burn_block_hash, 'hex'), encode(consensus_hash, 'hex'), coalesce(encode(parent_burn_block_hash, 'hex'), ''), height, canonical
		FROM {chain}.burn_block`))
	if err != nil {
		rt.Fatal(err)
	}
	announced, err := pgx.CollectRows(rows, pgx.RowToStructByPos[bitcoinBlock])
	if err != nil {
		rt.Fatal(err)
	}
	followed, hasFollowed := map[int64]bitcoinBlock{}, map[string]bool{}
	for _, b := range announced {
		if !b.Canonical {
			continue
		}
		if _, taken := followed[b.Height]; taken {
			rt.Errorf("two Bitcoin blocks are followed at height %d", b.Height)
		}
		followed[b.Height], hasFollowed[b.Hash] = b, true
	}
	for _, b := range announced {
		if below, ok := followed[b.Height-1]; b.Canonical && ok && b.Parent != "" && b.Parent != below.Hash {
			rt.Errorf("the followed Bitcoin block %d has another parent than the followed one below it", b.Height)
		}
		if b.Canonical && !hasFollowed[b.Parent] && slices.ContainsFunc(announced, func(other bitcoinBlock) bool { return other.Hash == b.Parent }) {
			rt.Errorf("the Bitcoin block %d is followed without its parent", b.Height)
		}
	}
	rows, err = tx.Query(context.Background(), schemas.In(`
		SELECT encode(index_block_hash, 'hex'), encode(parent_index_block_hash, 'hex'), encode(burn_block_hash, 'hex'),
		       coalesce(encode(consensus_hash, 'hex'), ''), coalesce(encode(burn_view, 'hex'), ''), b.height, burn_block_height, attached, c.height IS NOT NULL
		FROM {chain}.block b LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq`))
	if err != nil {
		rt.Fatal(err)
	}
	blocks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[stacksBlock])
	if err != nil {
		rt.Fatal(err)
	}
	byID := map[string]stacksBlock{}
	for _, b := range blocks {
		byID[b.ID] = b
	}
	isOrphaned := func(hash, consensus string) bool {
		known := slices.DeleteFunc(slices.Clone(announced), func(b bitcoinBlock) bool { return consensus == "" || b.Consensus != consensus })
		if len(known) == 0 {
			known = slices.DeleteFunc(slices.Clone(announced), func(b bitcoinBlock) bool { return b.Hash != hash })
		}
		return len(known) > 0 && !slices.ContainsFunc(known, func(b bitcoinBlock) bool { return b.Canonical })
	}
	isGood := func(b stacksBlock) bool {
		for ok := true; ok && b.Attached; b, ok = byID[b.Parent] {
			if isOrphaned(b.Burn, b.Consensus) || isOrphaned("", b.View) {
				return false
			}
		}
		return true
	}
	higher := func(one, other stacksBlock) int {
		return cmp.Or(cmp.Compare(one.Height, other.Height), cmp.Compare(one.BurnHeight, other.BurnHeight))
	}
	var tip, best, root stacksBlock
	for _, b := range blocks {
		if b.Canonical && (root.ID == "" || b.Height < root.Height) {
			root = b
		}
		if b.Canonical && higher(b, tip) >= 0 {
			tip = b
		}
		if b.Attached && isGood(b) && higher(b, best) > 0 {
			best = b
		}
	}
	// A chain that is orphaned as a whole stays until something better comes.
	if tips && best.ID != "" && isGood(root) && (higher(tip, best) != 0 || !isGood(tip)) {
		rt.Errorf("the tip is %s, and the best block is %s", nameOf(tip.ID), nameOf(best.ID))
	}
}

func nameOf(id string) any {
	name, ok := known.Load(strings.TrimPrefix(id, "0x"))
	if !ok {
		return id
	}
	return name
}
