package register_test

import (
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi/internal/register"
)

func TestEmpty(t *testing.T) {
	t.Parallel()
	s := read(t, databases.New(t), "chain")
	if s.Active("chain") != nil || s.LeastAdvanced() != nil || len(s.Versions) != 0 || s.LogSize != 0 || s.Archive == [16]byte{} {
		t.Errorf("got %+v", s)
	}
	check.Equal(t, "header", strings.Join(s.LogHeader(), ","), "log=0")
}

func TestState(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 0)
	chain, balances := w.register("chain", 1), w.register("balances", 1)
	other := w.register("balances", 2)
	for range 3 {
		w.advance(chain, 7)
	}
	w.advance(balances, 7, 8)
	w.advance(balances, 8)
	w.advance(other, 9)
	w.exec(`UPDATE log.head SET size = 5`)
	s := read(t, w.pool, "balances", "chain", "none")

	for name, want := range map[string]string{
		"chain":    `"chain_v1" log=2; height=30; index_block_hash=0x03` + strings.Repeat("00", 31),
		"balances": `"balances_v1" log=1; height=20; index_block_hash=0x02` + strings.Repeat("00", 31),
	} {
		v := s.Active(name)
		check.Equal(t, name, v.Schema()+" "+strings.Join(v.Header(), ","), want)
	}
	if got := strings.Join(s.LogHeader(), ","); got != "log=5" || s.LogSize != 5 {
		t.Errorf("got header %q and size %d, want log=5", got, s.LogSize)
	}
	if got := s.LeastAdvanced(); got != s.Active("balances") { // version 2 is less advanced, and not active
		t.Errorf("the least advanced is %s, want balances_v1", got.Schema())
	}
	feed := w.register("brc20", 1) // which has had nothing to do, and folds no steps of chain
	w.exec(`UPDATE strata.projection SET input = 'ordinals_v1' WHERE name = 'brc20'`)
	if s := read(t, w.pool); s.LeastAdvanced() != s.Active("balances") || s.Active(feed.name) == nil {
		t.Errorf("with another feed: the least advanced is %s, want balances_v1", s.LeastAdvanced().Schema())
	}
	for _, tc := range []struct {
		projection string
		shard      int32
		want       int64
	}{{"balances", 8, 2}, {"balances", 9, 0}, {"chain", 8, 0}} {
		if got := s.Active(tc.projection).Changed(tc.shard); got != tc.want {
			t.Errorf("%s, shard %d: changed at %d, want %d", tc.projection, tc.shard, got, tc.want)
		}
	}

	w.exec(`UPDATE strata.projection SET changes_from = 1 WHERE name = 'balances'`)
	for _, s := range []*register.State{read(t, w.pool), read(t, w.pool, "balances")} {
		if got := s.Active("balances").Changed(9); got != 1 {
			t.Errorf("after a batch up to 1: changed at %d, want 1", got)
		}
	}
}

// The error of a version counts while it is failed; later it is history.
func TestFailure(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 0)
	w.register("chain", 1)
	digests := map[[16]byte]string{}
	for _, tc := range []struct{ state, message, want string }{
		{"live", "", ""}, {"failed", "one", "one"}, {"failed", "two", "two"},
	} {
		w.exec(`UPDATE strata.projection SET state = $1, error = nullif($2, '')`, tc.state, tc.message)
		s := read(t, w.pool)
		v := s.Versions[0]
		if v.State != tc.state || (v.Failure != nil) != (tc.want != "") || v.Failure != nil && *v.Failure != tc.want {
			t.Errorf("%s %s: got %s %v", tc.state, tc.message, v.State, v.Failure)
		}
		digests[s.Digest] = tc.state + tc.message
	}
	if len(digests) != 3 {
		t.Errorf("got digests of %v, want one of each", digests)
	}
	w.exec(`UPDATE strata.projection SET state = 'live'`)
	s := read(t, w.pool)
	if s.Versions[0].Failure != nil || digests[s.Digest] != "live" {
		t.Errorf("resumed: got failure %v and the digest of %q", s.Versions[0].Failure, digests[s.Digest])
	}
}

// The code of a process can be of other rules than those of the active versions.
func TestForeign(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 0)
	w.register("chain", 1)
	w.register("balances", 2)
	w.register("balances", 3)
	rebuilt := w.register("ft", 4)
	w.exec(`UPDATE strata.projection SET rules = 1 WHERE name = 'ft'`)
	scratch := w.register("chain", 9)
	w.exec(`UPDATE strata.projection SET scratch = true WHERE version = 9`)
	s := read(t, w.pool)
	if len(s.Versions) != 4 {
		t.Errorf("got %d versions, want 4 without %s, which nobody is to see", len(s.Versions), schemaName(scratch.name, scratch.number))
	}
	if got := s.Active(rebuilt.name); got.Rules != 1 || got.Number != 4 {
		t.Errorf("got rules %d of number %d, want 1 of 4", got.Rules, got.Number)
	}
	if got := s.Foreign(map[string]int{"chain": 1, "balances": 2, "ft": 1, "sft": 1}, nil); len(got) != 0 {
		t.Errorf("%s is foreign to the code that built it", got[0].Schema())
	}
	got := s.Foreign(map[string]int{"chain": 1, "balances": 3, "ft": 4}, nil)
	if len(got) != 2 || got[0].Name != "balances" || got[1].Name != "ft" {
		t.Errorf("got %v, want balances and ft", got)
	}
	if got := s.Foreign(nil, nil); len(got) != 0 {
		t.Errorf("got %v without rules", got)
	}
}
