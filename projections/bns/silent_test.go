package bns_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	domain "strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/bns"
	"strata/projections/chain"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// live folds posts one by one, as they come, and keeps them.
type live struct {
	t          testing.TB
	tx         pgx.Tx
	chain      *chain.Chain
	projection *bns.BNS
	posts      []replay.Post
	last       int64 // number of the last step
}

func newLive(t testing.TB) *live {
	t.Helper()
	c := must.Get(chain.New(chain.Recommended, nil))(t)
	return &live{t: t, tx: rig.Begin(t), chain: c, projection: newProjection()}
}

// post folds posts, and runs the checks.
func (l *live) post(posts ...replay.Post) {
	l.t.Helper()
	for _, post := range posts {
		items := replay.Decode(l.t, []replay.Post{post})
		l.posts = append(l.posts, post)
		items[0].Seq = int64(len(l.posts))
		if items[0].Block != nil {
			items[0].Block.Seq = items[0].Seq
		}
		if items[0].Err != nil {
			l.t.Fatal(items[0].Err)
		}
		if _, err := l.chain.Fold(l.t.Context(), l.tx, items[0].Seq-1, items); err != nil {
			l.t.Fatal(err)
		}
		for _, step := range foldtest.StepsAfter(l.t, l.tx, l.last) {
			if step.Kind == projections.Apply && step.BlockSeq == items[0].Seq {
				step.Block = items[0].Block
			} else if step.Kind == projections.Apply {
				step.Block = replay.Decode(l.t, l.posts[:step.BlockSeq])[step.BlockSeq-1].Block
			}
			if step.RecordKind == projections.Attached {
				step.Record = items[0].Record
			}
			if _, err := l.projection.Fold(l.t.Context(), l.tx, step.Number-1, []projections.Step{step}); err != nil {
				l.t.Fatal(err)
			}
			l.last = step.Number
		}
	}
	rig.Check(l.t, l.tx)
}

// want is an open want.
type want struct {
	fetch.Want
	minHeight int64
	attempts  int
}

func (l *live) wants() (all []want) {
	l.t.Helper()
	rows, err := l.tx.Query(l.t.Context(), bns.Spec().SQL(`SELECT want, min_height, attempts FROM {schema}.want ORDER BY want`))
	if err != nil {
		l.t.Fatal(err)
	}
	var text string
	var w want
	if _, err := pgx.ForEachRow(rows, []any{&text, &w.minHeight, &w.attempts}, func() error {
		w.Want = fetch.Want{}
		all = append(all, w)
		return json.Unmarshal([]byte(text), &all[len(all)-1].Want)
	}); err != nil {
		l.t.Fatal(err)
	}
	return all
}

// tip returns the newest block of the projection.
func (l *live) tip() *fetch.Tip {
	l.t.Helper()
	tip := &fetch.Tip{}
	if err := l.tx.QueryRow(l.t.Context(), bns.Spec().SQL(`SELECT height, index_block_hash FROM {schema}.block ORDER BY height DESC LIMIT 1`)).
		Scan(&tip.Height, &tip.IndexBlockHash); err != nil {
		l.t.Fatal(err)
	}
	return tip
}

// reported is when all reports are made.
var reported = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// report returns the report of a read at a block with one exchange.
func report(t testing.TB, w fetch.Want, tip *fetch.Tip, e fetch.Exchange) replay.Post {
	t.Helper()
	e.Method, e.URL, e.StartedAt = "POST", "http://node/", reported
	r := fetch.Report{Want: w, Attempt: 1, Tip: tip, StartedAt: reported, FinishedAt: reported, Exchanges: []fetch.Exchange{e}}
	text := must.Get(r.Encode())(t)
	return replay.Post{Path: fetch.PathReport, Body: text}
}

// okay is the exchange in which a node answers a value.
func okay(v clarity.Value) fetch.Exchange {
	return fetch.Exchange{Status: 200, Body: fetch.Body(fmt.Sprintf(`{"okay":true,"result":%q}`, v.Hex()))}
}

// answer returns what the contract answers to a want in a state.
func answer(t testing.TB, w fetch.Want, state *synthnames.State) clarity.Value {
	t.Helper()
	subject, ok := domain.SubjectOf(w)
	if !ok {
		t.Fatalf("no read of the registry: %+v", w)
	}
	if subject.OfPrimary() {
		if id, ok := state.Primary[subject.Principal.String()]; ok {
			return clarity.NewSome(clarity.NewUint64(id))
		}
		return clarity.NewNone()
	}
	n, ok := state.Names[subject.Name.String()]
	if !ok {
		return clarity.NewNone()
	}
	return clarity.NewSome(n.Properties())
}

// agent is a contract that sets its primary name and renews names.
const agent = domain.MainnetDeployer + ".vault"

// mined returns a function that posts a block with calls on top of another, and returns its name.
func mined(t *testing.T, l *live) (next func(parent string, burn int64, calls ...synthnames.Call) string) {
	t.Helper()
	height := map[string]int64{"": -1}
	blocks := 0
	next = func(parent string, burn int64, calls ...synthnames.Call) string {
		t.Helper()
		blocks++
		b := synthnames.Block{Name: fmt.Sprintf("silent%d-%d", blocks, height[parent]+1), Parent: parent, Height: height[parent] + 1, BurnHeight: burn, Calls: calls}
		height[b.Name] = b.Height
		l.post(b.Post())
		return b.Name
	}
	return next
}

// deployed is the deployment of a contract.
func deployed(name, source string) synthnames.Call {
	return synthnames.Call{Sender: domain.MainnetDeployer, Deploys: name, Source: source}
}

func called(contract string, args ...clarity.Value) synthnames.Call {
	return synthnames.Call{Contract: contract, Function: "act", Args: args, Sender: domain.MainnetDeployer}
}

func given(id uint64, name, to string) synthnames.Call {
	return synthnames.Call{
		Contract: synthnames.Names, Function: "name-claim-fast", Sender: domain.MainnetDeployer,
		Events: synthnames.Claim(id, name, to, 0),
	}
}

const sets = `(define-public (act) (contract-call? '` + synthnames.Names + ` set-primary-name u2))`

// TestSilentPrimaryName lets a contract choose its primary name without a print: the read finds it, a reorganisation
// takes it back, and the contract is read again.
func TestSilentPrimaryName(t *testing.T) {
	t.Parallel()
	l := newLive(t)
	next := mined(t, l)
	ground := next("", 100, deployed("vault", sets), given(1, "a.free", agent), given(2, "b.free", agent))
	if got := l.wants(); len(got) != 0 {
		t.Fatalf("the contract has not acted, but there are wants %v", got)
	}
	primary := func() string {
		return strings.Join(rig.Texts(t, l.tx, `SELECT full_name FROM {schema}.primary_name WHERE until_height IS NULL`), " ")
	}
	acted := next(ground, 101, called(agent))
	w := l.wants()
	if len(w) != 1 || w[0].minHeight != 1 || w[0].Contract != synthnames.Names {
		t.Fatalf("got wants %+v", w)
	}
	tip := l.tip()
	l.post(report(t, w[0].Want, tip, okay(clarity.NewSome(clarity.NewUint64(2)))))
	if got := primary(); got != "b.free" || len(l.wants()) != 0 {
		t.Fatalf("after the read: primary name %q, wants %v", got, l.wants())
	}
	reportSeq := len(l.posts)
	if got, want := rig.Texts(t, l.tx, `SELECT concat_ws(' ', n, height, name_n, kind, sender, source_seq, pointer, txid IS NULL, tx_index IS NULL) FROM {schema}.event WHERE full_name = 'b.free' ORDER BY n DESC LIMIT 1`),
		[]string{fmt.Sprint("3 1 2 14 ", agent, " ", reportSeq, " /exchanges/0/body t t")}; !slices.Equal(got, want) {
		t.Errorf("got event %q, want %q", got, want)
	}
	if got, want := rig.Texts(t, l.tx, `SELECT concat_ws(' ', height, source_seq, id, agent, full_name, pointer) FROM {schema}.reading`),
		[]string{fmt.Sprint("1 ", reportSeq, " 2 ", agent, "  /exchanges/0/body")}; !slices.Equal(got, want) {
		t.Errorf("got reading %q, want %q", got, want)
	}
	// The same report once more changes nothing.
	before := rig.Dump(t, l.tx)
	l.post(report(t, w[0].Want, tip, okay(clarity.NewSome(clarity.NewUint64(1)))))
	foldtest.Same(t, "reported twice", rig.Dump(t, l.tx), before)

	// Blocks that do not concern the contract leave it at that.
	next(acted, 102, called(domain.MainnetDeployer+".else"))
	if got := l.wants(); len(got) != 0 {
		t.Fatalf("nobody acted, but there are wants %v", got)
	}
	// A longer branch without the act.
	other := next(next(ground, 101), 102)
	other = next(other, 103)
	if got := primary(); got != "a.free" || len(l.wants()) != 0 {
		t.Errorf("after the reorganisation: primary name %q, wants %v", got, l.wants())
	}
	// On it the contract acts, too. A report of the reverted block does not count.
	other = next(other, 104, called(agent))
	w = l.wants()
	if len(w) != 1 || w[0].minHeight != 4 {
		t.Fatalf("got wants %+v", w)
	}
	l.post(report(t, w[0].Want, tip, okay(clarity.NewSome(clarity.NewUint64(2)))))
	if got := primary(); got != "a.free" || len(l.wants()) != 1 {
		t.Errorf("after a report of a reverted block: primary name %q, wants %v", got, l.wants())
	}
	// A report of a block before the act does not count either.
	early := &fetch.Tip{Height: 3, IndexBlockHash: hashAt(t, l.tx, 3)}
	l.post(report(t, w[0].Want, early, okay(clarity.NewSome(clarity.NewUint64(2)))))
	if got := primary(); got != "a.free" || len(l.wants()) != 1 {
		t.Errorf("after an early report: primary name %q, wants %v", got, l.wants())
	}
	l.post(report(t, w[0].Want, l.tip(), okay(clarity.NewSome(clarity.NewUint64(2)))))
	if got := primary(); got != "b.free" || len(l.wants()) != 0 {
		t.Errorf("after the read: primary name %q, wants %v", got, l.wants())
	}
	// A reorganisation of the block that was read: the act before it is read again.
	next(other, 105)
	last := next(next(other, 105), 106)
	if got := primary(); got != "b.free" || len(l.wants()) != 0 {
		t.Errorf("after blocks on top of the read one: primary name %q, wants %v", got, l.wants())
	}
	next(last, 107, called(agent))
	l.post(report(t, w[0].Want, l.tip(), okay(clarity.NewSome(clarity.NewUint64(1)))))
	if got := primary(); got != "a.free" {
		t.Errorf("after the second act: primary name %q", got)
	}
	rebuilt(t, l)
}

func hashAt(t testing.TB, tx pgx.Tx, height int64) (h hash.Hash32) {
	t.Helper()
	must.Do(t, tx.QueryRow(t.Context(), bns.Spec().SQL(`SELECT index_block_hash FROM {schema}.block WHERE height = $1`), height).Scan(&h))
	return h
}

// rebuilt folds the posts anew in batches of several sizes, and expects the rows of l.
func rebuilt(t *testing.T, l *live) {
	t.Helper()
	want, wants := rig.Dump(t, l.tx), l.wants()
	replay.End(t, l.tx)
	rig.InBatches(t, l.posts, []int{1, 3, len(l.posts)}, func(tx pgx.Tx, size int) {
		foldtest.Same(t, fmt.Sprint("rebuilt in batches of ", size), rig.Dump(t, tx), want)
		if got := (&live{t: t, tx: tx}).wants(); len(got) != len(wants) {
			t.Errorf("rebuilt in batches of %d: got wants %v, want %v", size, got, wants)
		}
	})
}

// TestSilentCallers raises a want exactly when a contract with names may have chosen one.
func TestSilentCallers(t *testing.T) {
	t.Parallel()
	const deployer = domain.MainnetDeployer
	argument := func(contract string) clarity.Value {
		p := must.Get(clarity.ParsePrincipal(contract))(t)
		v := must.Get(clarity.NewPrincipal(p))(t)
		return must.Get(clarity.NewList(clarity.NewSome(v)))(t)
	}
	mine := given(1, "a.free", agent)
	failed := called(agent)
	failed.Failed = true
	for name, tc := range map[string]struct {
		calls []synthnames.Call
		wants int
	}{
		"the agent":                  {[]synthnames.Call{deployed("vault", sets), mine, called(agent)}, 1},
		"it does so twice":           {[]synthnames.Call{deployed("vault", sets), mine, called(agent), called(agent)}, 1},
		"the name comes later":       {[]synthnames.Call{deployed("vault", sets), called(agent), mine}, 1},
		"the call fails":             {[]synthnames.Call{deployed("vault", sets), mine, failed}, 0},
		"nobody calls it":            {[]synthnames.Call{deployed("vault", sets), mine}, 0},
		"its body may do so":         {[]synthnames.Call{{Sender: deployer, Deploys: "vault", Source: sets, Events: mine.Events}}, 1},
		"it has no names":            {[]synthnames.Call{deployed("vault", sets), called(agent)}, 0},
		"another contract":           {[]synthnames.Call{deployed("vault", `(contract-call? '`+synthnames.Names+` transfer u1 a b)`), mine, called(agent)}, 0},
		"through another":            {[]synthnames.Call{deployed("vault", sets), deployed("relay", "(contract-call? .vault act)"), mine, called(deployer + ".relay")}, 1},
		"through two, by address":    {[]synthnames.Call{deployed("vault", sets), deployed("relay", "(contract-call? .vault act)"), deployed("front", "(contract-call? '"+deployer+".relay act)"), mine, called(deployer + ".front")}, 1},
		"as an argument":             {[]synthnames.Call{deployed("vault", sets), deployed("front", "(contract-call? x act)"), mine, called(deployer+".front", argument(agent))}, 1},
		"of one with another source": {[]synthnames.Call{deployed("vault", sets), deployed("front", "(ok true)"), mine, called(deployer + ".front")}, 0},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			l := newLive(t)
			parent := ""
			next := mined(t, l)
			for i, call := range tc.calls {
				parent = next(parent, 100+int64(i), call)
			}
			if got := l.wants(); len(got) != tc.wants {
				t.Errorf("got %d wants %v, want %d", len(got), got, tc.wants)
			}
			rebuilt(t, l)
		})
	}
}

// TestFailingReads puts a want off as long as no node answers.
func TestFailingReads(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		exchange fetch.Exchange
		want     string // attempts, waits, priority, reason, delay
	}{
		"no connection":   {fetch.Exchange{Failure: fetch.FailureConnection, Error: "refused"}, "0 1 2 100 00:00:05"},
		"a busy node":     {fetch.Exchange{Status: 503}, "0 1 2 100 00:00:05"},
		"a runtime error": {fetch.Exchange{Status: 200, Body: fetch.Body(`{"okay":false,"cause":"Unchecked(UndefinedFunction(\"x\"))"}`)}, "1 0 3 109 01:00:00"},
		"another type":    {okay(clarity.NewUint64(1)), "1 0 3 109 01:00:00"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			l := newLive(t)
			next := mined(t, l)
			ground := next("", 100, deployed("vault", sets), given(1, "a.free", agent), given(2, "b.free", agent))
			next(ground, 101, called(agent))
			w := l.wants()[0]
			l.post(report(t, w.Want, l.tip(), tc.exchange))
			if got := rig.Texts(t, l.tx, `SELECT concat_ws(' ', attempts, waits, priority, reason, due_at - '2026-01-02 UTC'::timestamptz) FROM {schema}.want`); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := rig.Texts(t, l.tx, `SELECT full_name FROM {schema}.primary_name WHERE until_height IS NULL`); !slices.Equal(got, []string{"a.free"}) {
				t.Errorf("got primary names %q", got)
			}
			l.post(report(t, w.Want, l.tip(), okay(clarity.NewSome(clarity.NewUint64(2)))))
			if got := rig.Texts(t, l.tx, `SELECT full_name FROM {schema}.primary_name WHERE until_height IS NULL`); !slices.Equal(got, []string{"b.free"}) || len(l.wants()) != 0 {
				t.Errorf("then got primary names %q, wants %v", got, l.wants())
			}
			rebuilt(t, l)
		})
	}
}

// TestAgents folds random histories with forks in which contracts change names silently, while a node answers what is
// asked, now and then. What the tables say in the end is what the simulated contracts say.
func TestAgents(t *testing.T) {
	t.Parallel()
	var renewed atomic.Int64
	t.Cleanup(func() {
		if renewed.Load() == 0 {
			t.Error("no contract renewed a lapsed name")
		}
	})
	for seed := range short.Form[uint64](3, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 77))
			simulator := synthnames.NewSimulator(100 + seed).WithAgents()
			l := newLive(t)
			states := map[hash.Hash32]*synthnames.State{}
			add := func(n *node) *node {
				states[synthnames.ID(n.block.Name)] = n.state
				l.post(n.block.Post())
				return n
			}
			reads := 0
			serve := func() {
				for _, w := range l.wants() {
					tip := l.tip()
					if tip.Height < w.minHeight {
						continue
					}
					l.post(report(t, w.Want, tip, okay(answer(t, w.Want, states[tip.IndexBlockHash]))))
					reads++
				}
			}
			genesis, state := simulator.Genesis()
			tip := add(&node{block: genesis, state: state})
			for range 120 {
				parent := tip
				if random.IntN(6) == 0 {
					for range 1 + random.IntN(3) {
						if parent.parent != nil {
							parent = parent.parent
						}
					}
				}
				block, state := simulator.Next(parent.block, parent.state)
				tip = add(&node{block: block, state: state, parent: parent})
				if random.IntN(2) == 0 {
					serve()
				}
			}
			for range 5 {
				serve()
			}
			if left := l.wants(); len(left) > 0 {
				t.Errorf("%d wants are left: %v", len(left), left)
			}
			compareState(t, l.tx, states[l.tip().IndexBlockHash])
			silent := len(rig.Texts(t, l.tx, `SELECT '' FROM {schema}.event WHERE txid IS NULL`))
			renewed.Add(int64(len(rig.Texts(t, l.tx, `SELECT '' FROM {schema}.event WHERE txid IS NULL AND kind = $1`, int64(domain.EventRenew)))))
			if reads < 10 || silent == 0 {
				t.Errorf("%d reads told of %d changes", reads, silent)
			}
			rebuilt(t, l)
		})
	}
}
