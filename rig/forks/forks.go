// Package forks has random histories of forks and the rules that the tables of package chain must obey after them.
package forks

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"strata/domain/transaction"
	"strata/rig/body"
	"strata/rig/replay"
)

// Draw draws announcements of a tree of Bitcoin blocks and one of Stacks blocks: with forks of any depth that come and go,
// late, lost and repeated ones, of nodes that name parents and sortitions and of others. strange is the percentage of Stacks blocks
// on any Bitcoin block, though the one of their parent is on another fork or higher.
func Draw(rt *rapid.T, strange int) (posts []replay.Post) {
	chance := func(percent int, what string) bool { return rapid.IntRange(0, 99).Draw(rt, what) < percent }
	oldShare := rapid.SampledFrom([]int{0, 100, 40}).Draw(rt, "old")
	lateShare := rapid.SampledFrom([]int{0, 25}).Draw(rt, "late")
	type announcement struct {
		text string
		post replay.Post
	}
	type block struct {
		name   string
		parent int // index; -1 for none
		burn   int // of a Stacks block, and
		view   int // the latest Bitcoin block that its tenure has seen
		announcement
	}
	bitcoins, stacked := []block{{name: "100a", parent: -1}}, []block{{name: body.Genesis, parent: -1}}
	if chance(30, "begins above genesis") {
		stacked[0].name = "x5"
	}
	bitcoins[0].post = body.BurnBlock{Name: "100a", Parent: "99a"}.Post()
	coinbase := []body.Transaction{{Raw: body.Account("miner").Sign(0, 0, &transaction.Coinbase{})}}
	stacked[0].post = body.Block{Name: stacked[0].name, Parent: "x4", Burn: "100a", Transactions: coinbase}.Post()
	bitcoins[0].text, stacked[0].text = "Bitcoin block 100a", stacked[0].name
	add := func(a announcement) {
		posts = append(posts, a.post)
		rt.Logf("%d: %s", len(posts), a.text)
	}
	var late []announcement
	announce := func(b block) {
		if chance(lateShare, "is late") {
			late = append(late, b.announcement)
			return
		}
		add(b.announcement)
	}
	announce(bitcoins[0])
	announce(stacked[0])
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
			announced := body.BurnBlock{Name: b.name, Parent: bitcoins[parent].name, Old: isOld}
			if isOld {
				announced.Parent = ""
			}
			b.announcement = announcement{fmt.Sprintf("Bitcoin block %s on %s, old: %t", b.name, bitcoins[parent].name, isOld), announced.Post()}
			bitcoins = append(bitcoins, b)
			announce(b)
		case what < 75:
			parent, burn := nearTop(stacked), nearTop(bitcoins)
			view := burn
			if !chance(strange, "is strange") && !under(burn, stacked[parent].view) {
				burn, view = stacked[parent].burn, stacked[parent].view
			}
			transactions := coinbase
			if next := nearTop(bitcoins); oldShare == 0 && chance(20, "is extended") && next > view && under(next, view) {
				view = next
				transactions = []body.Transaction{{Raw: body.Account("miner").Sign(1, 0, &transaction.TenureChange{
					ConsensusHash: body.Consensus(bitcoins[burn].name), PrevConsensusHash: body.Consensus(bitcoins[burn].name),
					BurnViewConsensusHash: body.Consensus(bitcoins[view].name), Cause: transaction.TenureExtended,
				})}}
			}
			b := block{name: fmt.Sprintf("%c%d", 'a'+rune(len(stacked)), body.Height(stacked[parent].name)+1), parent: parent, burn: burn, view: view}
			announced := body.Block{Name: b.name, Parent: stacked[parent].name, Burn: bitcoins[burn].name, Old: isOld, Transactions: transactions}
			b.announcement = announcement{
				fmt.Sprintf("%s on %s, tenure of %s, sees %s, old: %t", b.name, announced.Parent, announced.Burn, bitcoins[view].name, isOld), announced.Post(),
			}
			stacked = append(stacked, b)
			announce(b)
		case what < 85:
			add(bitcoins[nearTop(bitcoins)].announcement)
		case what < 90:
			add(stacked[nearTop(stacked)].announcement)
		case what < 93:
			if b := bitcoins[nearTop(bitcoins)]; b.parent >= 0 {
				add(announcement{"Bitcoin block " + b.name + "' with another sortition", body.BurnBlock{Name: b.name + "'", Parent: bitcoins[b.parent].name}.Post()})
			}
		case len(late) > 0:
			i := rapid.IntRange(0, len(late)-1).Draw(rt, "which")
			add(late[i])
			late = slices.Delete(late, i, i+1)
		}
	}
	return append(posts, body.Block{Name: body.Genesis, Burn: "1a"}.Post())
}
