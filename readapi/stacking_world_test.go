package readapi_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/projections/pox"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// poxWorld is an API over a made-up chain with forks of both chains, and what its canonical posts say.
type poxWorld struct {
	*apitest.Site
	truth synthchain.State
	// Newest first, as answers have them.
	rewards, slots []apitest.Fields
	payouts        []apitest.Fields // in the order of addresses' lists
	byBlock        map[string][]apitest.Fields
	cycles         []apitest.Fields // bodies of blocks with sets
}

func newPoxWorld(t *testing.T) *poxWorld {
	t.Helper()
	config := synthchain.Everything(7, synthchain.V40)
	config.SigningSample, config.Accounts, config.Maturity = 1000, 12, 6
	config.BitcoinOpShare, config.BitcoinReorgProbability, config.Mix = 0.6, 0.05, synthchain.Mix{Transfer: 20, Stacking: 20}
	made := synthchain.New(config)
	log := replay.NewLog(t)
	posts := replay.Take(500, made.Next)
	replay.Append(t, log, posts...)
	replay.Run(t, log, apitest.NewChain(t), pox.New())
	w := &poxWorld{Site: apitest.NewSiteOn(t, log.Pool(), readapi.Config{}), truth: made.Expected(), byBlock: map[string][]apitest.Fields{}}
	for _, post := range made.CanonicalPosts() {
		var body apitest.Fields
		apitest.DecodeJSON(t, string(post.Body), &body)
		switch {
		case post.Path == "/new_burn_block":
			w.burn(body)
		case body["cycle_number"] != nil:
			w.cycles = append([]apitest.Fields{body}, w.cycles...)
		}
	}
	slices.Reverse(w.rewards)
	slices.Reverse(w.slots)
	slices.SortStableFunc(w.payouts, func(one, other apitest.Fields) int {
		return cmp.Or(cmp.Compare(number(other["burn_block_height"]), number(one["burn_block_height"])), cmp.Compare(fmt.Sprint(one["tx_id"]), fmt.Sprint(other["tx_id"])))
	})
	return w
}

// number is a JSON number.
func number(value any) (n int64) {
	_, _ = fmt.Sscan(fmt.Sprint(value), &n)
	return n
}

func (w *poxWorld) burn(body apitest.Fields) {
	at := func(more apitest.Fields) apitest.Fields {
		return apitest.With(more, apitest.Fields{"burn_block_hash": body["burn_block_hash"], "burn_block_height": body["burn_block_height"]})
	}
	list := func(value any) []any { l, _ := value.([]any); return l }
	for i, r := range list(body["reward_recipients"]) {
		paid := r.(map[string]any)
		w.rewards = append(w.rewards, at(apitest.Fields{
			"canonical": true, "burn_amount": fmt.Sprint(body["burn_amount"]), "reward_recipient": paid["recipient"], "reward_amount": fmt.Sprint(paid["amt"]), "reward_index": i,
		}))
	}
	for i, holder := range list(body["reward_slot_holders"]) {
		w.slots = append(w.slots, at(apitest.Fields{"canonical": true, "address": holder, "slot_index": i}))
	}
	for _, c := range list(body["pox_transactions"]) {
		commit := c.(map[string]any)
		for _, r := range list(commit["reward_recipients"]) {
			paid := r.(map[string]any)
			row := at(apitest.Fields{"tx_id": commit["txid"], "recipient": paid["recipient"], "utxo_idx": paid["utxo_idx"], "amount": fmt.Sprint(paid["amt"])})
			w.payouts = append(w.payouts, row)
			w.byBlock[fmt.Sprint(body["burn_block_height"])] = append(w.byBlock[fmt.Sprint(body["burn_block_height"])], row)
		}
	}
}

// of are those whose member has a value.
func of(rows []apitest.Fields, member string, value any) []apitest.Fields {
	return slices.DeleteFunc(slices.Clone(rows), func(row apitest.Fields) bool { return row[member] != value })
}

// payee is the address that is paid most often.
func (w *poxWorld) payee() string {
	times, most := map[string]int{}, ""
	for _, r := range w.rewards {
		address := fmt.Sprint(r["reward_recipient"])
		if times[address]++; times[address] > times[most] {
			most = address
		}
	}
	if times[most] < 4 {
		w.T.Fatalf("%s is paid %d times", most, times[most])
	}
	return most
}

// sameRows compares rows as JSON shows them.
func (w *poxWorld) sameRows(what string, got, want []apitest.Fields) {
	w.T.Helper()
	texts := func(rows []apitest.Fields) (all []string) {
		for _, row := range rows {
			var text string
			keys := make([]string, 0, len(row))
			for key := range row {
				keys = append(keys, key)
			}
			slices.Sort(keys)
			for _, key := range keys {
				text += fmt.Sprintf("%s=%v ", key, row[key])
			}
			all = append(all, text)
		}
		return all
	}
	g, e := texts(got), texts(want)
	if len(e) == 0 {
		w.T.Errorf("%s: nothing is expected", what)
	}
	if !slices.Equal(g, e) {
		for i := range min(len(g), len(e)) {
			if g[i] != e[i] {
				w.T.Errorf("%s, row %d:\n got %s\nwant %s", what, i, g[i], e[i])
				return
			}
		}
		w.T.Errorf("%s: got %d rows, want %d", what, len(g), len(e))
	}
}

// walks expects a list to be the same by cursors, in pages of different lengths, and at offsets.
func (w *poxWorld) walks(path string, want []apitest.Fields) {
	w.T.Helper()
	for _, limit := range []int{1, 7} {
		w.sameRows(fmt.Sprint(path, " by cursors, ", limit), w.Pages(path, limit), want)
	}
	for _, offset := range []int{0, 1, len(want) / 2, len(want) - 1} {
		if offset >= len(want) {
			continue
		}
		page := w.Object(fmt.Sprintf("%s?limit=5&offset=%d", path, offset))
		var got []apitest.Fields
		for _, row := range page["results"].([]any) {
			got = append(got, row.(map[string]any))
		}
		w.sameRows(fmt.Sprint(path, " at ", offset), got, want[offset:min(offset+5, len(want))])
		check.Equal[any](w.T, fmt.Sprintf("%s at %d: the total", path, offset), page["total"], float64(len(want)))
		// What cursors of a page at an offset lead to.
		if before := page["next_cursor"]; (before == nil) != (offset == 0) {
			w.T.Errorf("%s at %d: got the cursor %v of newer rows", path, offset, before)
		} else if before != nil {
			first := max(offset-5, 0)
			newer := w.Object(fmt.Sprintf("%s?limit=1&cursor=%v", path, before))
			w.sameRows(fmt.Sprint(path, " before ", offset), []apitest.Fields{newer["results"].([]any)[0].(map[string]any)}, want[first:first+1])
		}
		if after := page["prev_cursor"]; (after == nil) != (offset+5 >= len(want)) {
			w.T.Errorf("%s at %d: got the cursor %v of older rows", path, offset, after)
		}
	}
	if past := w.Object(fmt.Sprintf("%s?offset=%d", path, len(want)+3000)); len(past["results"].([]any)) != 0 || past["total"] != float64(len(want)) {
		w.T.Errorf("%s past the end: got %v", path, past)
	}
}

func sumOf(rows []apitest.Fields, member string) string {
	sum := new(big.Int)
	for _, row := range rows {
		n, _ := new(big.Int).SetString(fmt.Sprint(row[member]), 10)
		sum.Add(sum, n)
	}
	return sum.String()
}
