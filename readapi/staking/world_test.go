package staking_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/internal/synth/synthblock"
	"strata/internal/synth/synthstaking"
	"strata/projections/staking"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// world is an API over a small chain on which everything that the reference's tables name has happened once.
//
//	b1  5    the managers A (key 1), B (key 2) and C (key 3) register, and are granted their keys
//	b2  6    bond 0 is set up for s0 and s1: cycles 1 to 12
//	b3  10   s0 (sBTC) and s1 (Bitcoin) register for it, under A
//	b4  12   s2 stakes for cycles 1 to 3 under B, s3 for cycles 1 and 2 under C, which stays below the minimum
//	b5  91   the set of cycle 1
//	b6  155  rewards of the first half of cycle 1 are calculated, and s0 is settled with
//	b7  156  A registers key 4, s0 moves to B, s1 leaves the bond early
type world struct {
	*apitest.Site
	names *strings.Replacer
}

var stakers = synthstaking.NewWorld(4, 3)

// laterBlock is a block after b7.
type laterBlock struct {
	burn    int64
	members map[string]any
	calls   func(*synthstaking.Contract) [][]clarity.Value
}

func newWorld(t *testing.T, later ...laterBlock) *world {
	t.Helper()
	s, m := stakers.Stakers, stakers.Signers
	c := synthstaking.New()
	tx := func(prints ...[]clarity.Value) (all []clarity.Value) {
		for _, p := range prints {
			if len(p) == 0 {
				t.Fatal("the contract refuses a call")
			}
			all = append(all, p...)
		}
		return all
	}
	posts := []replay.Post{(&synthstaking.Block{Name: "genesis", BurnHeight: 3, Contract: synthstaking.Testnet}).Post()}
	parent := "genesis"
	block := func(burn int64, members map[string]any, calls func() [][]clarity.Value) {
		c.Height = burn
		b := synthstaking.Block{
			Name: fmt.Sprint("b", len(posts)), Parent: parent, Height: int64(len(posts)), BurnHeight: burn, Contract: synthstaking.Testnet, Members: members,
		}
		if calls != nil {
			b.Prints = calls()
		}
		posts, parent = append(posts, b.Post()), b.Name
	}
	block(5, nil, func() [][]clarity.Value {
		return [][]clarity.Value{
			tx(c.RegisterSigner(m[0], 1), c.GrantKey(m[0], 1)), tx(c.RegisterSigner(m[1], 2), c.GrantKey(m[1], 2)), tx(c.RegisterSigner(m[2], 3)),
		}
	})
	block(6, nil, func() [][]clarity.Value {
		return [][]clarity.Value{tx(c.SetupBond(0, 500, map[string]int64{s[0]: 50_000_000, s[1]: 30_000_000}))}
	})
	block(10, nil, func() [][]clarity.Value {
		return [][]clarity.Value{
			tx(c.RegisterForBond(s[0], m[0], 0, 60_000_000_000, 20_000_000, false)), tx(c.RegisterForBond(s[1], m[0], 0, 10_000_000_000, 10_000_000, true)),
		}
	})
	block(12, nil, func() [][]clarity.Value {
		return [][]clarity.Value{tx(c.Stake(s[2], m[1], 75_000_000_000, 3)), tx(c.Stake(s[3], m[2], 1_000_000_000, 2))}
	})
	block(91, synthstaking.Set(1, map[byte]int64{1: 70_000_000_000, 2: 75_000_000_000}), nil)
	block(155, nil, func() [][]clarity.Value {
		return [][]clarity.Value{tx(c.CalculateRewards(100_000)), tx(c.ClaimForStaker(synthstaking.Place{Staker: s[0], Bond: 0}, m[0], 5000))}
	})
	block(156, nil, func() [][]clarity.Value {
		return [][]clarity.Value{tx(c.RegisterSigner(m[0], 4)), tx(c.UpdateBond(s[0], m[1])), tx(c.Release(s[1], 1))}
	})
	for _, l := range later {
		calls := l.calls
		if calls == nil {
			calls = func(*synthstaking.Contract) [][]clarity.Value { return nil }
		}
		block(l.burn, l.members, func() [][]clarity.Value { return calls(c) })
	}
	log := replay.NewLog(t)
	replay.Append(t, log, posts...)
	replay.Run(t, log, apitest.NewChain(t), staking.New())
	names := []string{}
	for i := range s {
		names = append(names, fmt.Sprintf("<s%d>", i), s[i])
	}
	for i, name := range []string{"A", "B", "C"} {
		names = append(names, "<"+name+">", m[i])
	}
	for n := byte(1); n < 5; n++ {
		names = append(names, fmt.Sprintf("<key%d>", n), fmt.Sprintf("0x%x", synthstaking.Key(n)))
	}
	for b := range posts {
		for i := range 4 {
			names = append(names, fmt.Sprintf("<b%d:%d>", b, i), synthstaking.TxID(fmt.Sprint("b", b), i))
		}
	}
	return &world{apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "testnet"}), strings.NewReplacer(names...)}
}

// timed matches the short form of a height's time: <time:100>.
var timed = regexp.MustCompile(`"<(time|projected):([0-9]+)>"`)

func iso(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02T15:04:05.000Z") }

// sorted returns names in the order of what they stand for.
func (w *world) sorted(names ...string) []string {
	slices.SortFunc(names, func(one, other string) int { return strings.Compare(w.names.Replace(one), w.names.Replace(other)) })
	return names
}

// expand expands the short forms in an expected body.
func (w *world) expand(text string) string {
	return timed.ReplaceAllStringFunc(w.names.Replace(text), func(short string) string {
		parts := timed.FindStringSubmatch(short)
		height, _ := strconv.ParseInt(parts[2], 10, 64)
		at := synthblock.BurnTime(height)
		switch parts[1] {
		case "time":
			return fmt.Sprintf(`"": 0, "time": %d, "time_iso": %q, "projected_time": null, "projected_time_iso": null`, at, iso(at))
		case "projected":
			return fmt.Sprintf(`"": 0, "time": null, "time_iso": null, "projected_time": %d, "projected_time_iso": %q`, at, iso(at))
		}
		return short
	})
}

// expect expects an answer with exactly this body, whatever the order of its members.
func (w *world) expect(path string, status int, want string) {
	w.T.Helper()
	path, want = w.names.Replace(path), w.expand(want)
	got := w.Get(path)
	if got.Status != status {
		w.T.Errorf("%s: got %d %s, want %d", path, got.Status, got.Body, status)
		return
	}
	var g, e any
	if err := json.Unmarshal([]byte(want), &e); err != nil {
		w.T.Fatalf("%s: %v in %s", path, err, want)
	}
	if err := json.Unmarshal([]byte(got.Body), &g); err != nil {
		w.T.Fatalf("%s: %v in %s", path, err, got.Body)
	}
	if !reflect.DeepEqual(g, dropEmpty(e)) {
		w.T.Errorf("%s:\n got %s\nwant %s", path, got.Body, want)
	}
}

// dropEmpty drops members without a name, which the short forms leave.
func dropEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "")
		for name := range v {
			v[name] = dropEmpty(v[name])
		}
	case []any:
		for i := range v {
			v[i] = dropEmpty(v[i])
		}
	}
	return value
}
