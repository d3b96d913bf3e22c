package filter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/nodeevent"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/decode"
	"strata/rig/replay"
	"strata/subscriptions/filter"
)

// blocks returns blocks of made-up chains with everything: one with many moves of tokens, and one with many names.
func blocks(t *testing.T, seed uint64, n int) []*projections.Block {
	t.Helper()
	tokens, names := synthchain.DefaultMix(), synthchain.DefaultMix()
	names.Naming, names.Registry, names.Stacking = 10, 60, 10
	return slices.Concat(blocksOf(t, seed, n, tokens, 0), blocksOf(t, seed, n, names, 20))
}

func blocksOf(t *testing.T, seed uint64, n int, mix synthchain.Mix, nakamoto uint64) (all []*projections.Block) {
	t.Helper()
	config := synthchain.Everything(seed, synthchain.V40)
	config.Network, config.SigningSample, config.Accounts = synthchain.Mainnet, 100_000, 10
	if config.Mix = mix; nakamoto > 0 {
		config.NakamotoFromHeight = nakamoto
	}
	source := synthchain.New(config)
	log := replay.NewLogApart(t)
	posts := replay.Take(n, source.Next)
	replay.Append(t, log, posts...)
	var seqs []int64
	for i, post := range posts {
		if post.Path == nodeevent.PathBlock {
			seqs = append(seqs, int64(i+1))
		}
	}
	found := must.Get(decode.New(log, 0, prometheus.NewCounter(prometheus.CounterOpts{Name: "x"})).Blocks(t.Context(), seqs))(t)
	for _, seq := range seqs {
		if found[seq] != nil {
			all = append(all, found[seq])
		}
	}
	return all
}

// things returns those of blocks that a filter matches, by their kinds.
func things(t *testing.T, all []*projections.Block, text string) (found []*filter.Thing) {
	t.Helper()
	f := must.Get(filter.Compile([]byte(text)))(t)
	for _, b := range all {
		for thing := range filter.Things(b) {
			if f.Match(thing) {
				found = append(found, thing)
			}
		}
	}
	return found
}

// Each kind has each of its fields: what a thing has there is what a filter can ask for, and the thing matches then and with no other.
func TestFields(t *testing.T) {
	t.Parallel()
	all := blocks(t, 7, 260)
	seen := map[string]int{}
	for _, kind := range filter.Kinds() {
		of := things(t, all, fmt.Sprintf(`{"kind": %q}`, kind))
		seen[kind] = len(of)
		for _, field := range []string{"txid", "status", "sender", "tx_sender", "sponsor", "recipient", "contract", "asset", "function", "topic", "cause", "index_block_hash", "repr"} {
			values := map[string]int{}
			for _, thing := range of {
				if s := thing.Text(field); s != "" {
					values[s]++
				}
			}
			if len(values) == 0 {
				continue
			}
			for s, n := range values {
				if _, err := filter.Compile([]byte(fmt.Sprintf(`{"kind": %q, %q: "x"}`, kind, field))); err != nil {
					break // the kind has no such field
				}
				quoted := string(must.Get(json.Marshal(s))(t))
				for _, condition := range []string{quoted, `["?", ` + quoted + `]`} {
					if got := len(things(t, all, fmt.Sprintf(`{"kind": %q, %q: %s}`, kind, field, condition))); got != n {
						t.Errorf("%s with %s %s: %d, want %d", kind, field, condition, got, n)
					}
				}
				if got := len(things(t, all, fmt.Sprintf(`{"all": [{"kind": %q}, {"not": {"kind": %q, %q: %s}}]}`, kind, kind, field, quoted))); got != len(of)-n {
					t.Errorf("%s without %s %s: %d, want %d", kind, field, quoted, got, len(of)-n)
				}
				break
			}
		}
	}
	for kind, n := range seen {
		if n == 0 && kind != "stx_burn" {
			t.Errorf("no %s in the made-up chain", kind)
		}
	}
}

// Numbers, parts of texts, principals and what is inside Clarity values.
func TestConditions(t *testing.T) {
	t.Parallel()
	all := blocks(t, 7, 260)
	transfers := things(t, all, `{"kind": "stx_transfer"}`)
	amount := transfers[0].Amount().String()
	count := func(text string) int { return len(things(t, all, text)) }
	if low, high, both := count(`{"kind": "stx_transfer", "amount": {"max": "`+amount+`"}}`), count(`{"kind": "stx_transfer", "amount": {"min": "`+amount+`"}}`),
		count(`{"kind": "stx_transfer", "amount": `+amount+`}`); low+high-both != len(transfers) || both == 0 {
		t.Errorf("%d to %s, %d from there, %d of it, %d in all", low, amount, high, both, len(transfers))
	}
	sender := transfers[0].Sender()
	if n := count(`{"kind": "stx_transfer", "sender": {"prefix": "` + sender[:12] + `"}}`); n == 0 || n == len(transfers) {
		t.Errorf("%d transfers of senders with a prefix", n)
	}
	sent, got := count(`{"kind": "stx_transfer", "sender": "`+sender+`"}`), count(`{"kind": "stx_transfer", "recipient": "`+sender+`"}`)
	self := count(`{"kind": "stx_transfer", "recipient": "` + sender + `", "sender": "` + sender + `"}`)
	if n := count(`{"kind": "stx_transfer", "principal": "` + sender + `"}`); n != sent+got-self || n == 0 {
		t.Errorf("%d with the principal, %d sent, %d got, %d to itself", n, sent, got, self)
	}
	for _, kind := range []string{"print", "nft_mint"} {
		inside := 0
		for _, thing := range things(t, all, `{"kind": "`+kind+`"}`) {
			v := thing.Value()
			for _, field := range v.SortedFields() {
				text, ok := field.Value.Decimal()
				if !ok {
					continue
				}
				inside++
				n := count(fmt.Sprintf(`{"kind": %q, "contract": %q, "value": {%q: %s}}`, kind, thing.Contract(), field.Name, text))
				other := count(fmt.Sprintf(`{"kind": %q, "contract": %q, "value": {%q: {"min": "0", "max": "0"}}}`, kind, thing.Contract(), field.Name))
				if n == 0 || text != "0" && other >= count(fmt.Sprintf(`{"kind": %q, "contract": %q}`, kind, thing.Contract())) {
					t.Errorf("%s %s %s: %d", thing.Contract(), field.Name, text, n)
				}
			}
			if inside > 20 {
				break
			}
		}
		if kind == "print" && inside == 0 {
			t.Error("no print has a number in a tuple")
		}
	}
	called := 0
	for _, thing := range things(t, all, `{"kind": "call"}`) {
		for i, argument := range thing.Arguments() {
			if text, ok := argument.Decimal(); ok && called < 10 {
				called++
				if count(fmt.Sprintf(`{"kind": "call", "contract": %q, "function": %q, "arguments": {"%d": %s}}`, thing.Contract(), thing.Function(), i, text)) == 0 {
					t.Errorf("%s %s with %s as argument %d is not found", thing.Contract(), thing.Function(), text, i)
				}
			}
		}
	}
	if called == 0 {
		t.Error("no call has a number as an argument")
	}
}

// What is no filter is refused with a pointer to what is wrong.
func TestRefusals(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"not": `, 12) + `{"kind": "block"}` + strings.Repeat("}", 12)
	for text, want := range map[string]string{
		``: "", `[]`: "", `{}`: "/kind", `{"kind": "swap"}`: "/kind", `{"kind": []}`: "/kind", `{"kind": "print", "kind": "call"}`: "/kind", `{"kind": null}`: "/kind",
		`{"any": []}`: "/any", `{"any": {}}`: "/any", `{"all": [{"kind": "block"}], "kind": "block"}`: "",
		`{"all": [{"kind": "block"}, {"kind": "print", "a/b": 1}]}`: "/all/1/a~1b", `{"not": {"kind": ["print", "call"], "function": "x"}}`: "/not/function",
		`{"kind": "block", "height": "x"}`: "/height", `{"kind": "block", "height": 1.5}`: "/height", `{"kind": "block", "height": {"min": "x"}}`: "/height/min",
		`{"kind": "block", "height": {"prefix": "1"}}`: "/height/prefix", `{"kind": "block", "height": {}}`: "/height", `{"kind": "call", "sender": {"min": 1}}`: "/sender/min",
		`{"kind": "call", "sender": {"prefix": "a", "contains": "b"}}`: "/sender/prefix", `{"kind": "call", "function": {"matches": "("}}`: "/function/matches",
		`{"kind": "print", "value": "x"}`: "/value", `{"kind": "print", "value": {}}`: "/value", `{"kind": "call", "arguments": {"x": 1}}`: "/arguments/x",
		`{"kind": "print", "value": {"a": {"min": 1, "prefix": "x"}}}`: "/value/a", `{"kind": "block"} x`: "", deep: strings.Repeat("/not", 9),
		`{"kind": "block", "height": [` + strings.Repeat(`1,`, 1200) + `1]}`:            "/height",
		`{"any": [` + strings.Repeat(`{"kind": "block"},`, 300) + `{"kind": "block"}]}`: "/any/199", strings.Repeat(" ", 70_000) + "{}": "",
	} {
		_, err := filter.Compile([]byte(text))
		var wrong *filter.Error
		if !errors.As(err, &wrong) || wrong.Pointer != want {
			t.Errorf("%.80s: %v, want an error at %q", text, err, want)
		}
	}
}

// What chainhooks of both versions can ask for, filters can.
func TestChainhooks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"kind": "block", "height": 5}`, `{"kind": "block", "height": {"min": 6}}`, `{"kind": "block", "height": {"max": 4}}`, `{"kind": "block", "height": {"min": 6, "max": 9}}`,
		`{"kind": "transaction", "txid": "0x00"}`, `{"kind": "deployment"}`, `{"kind": "deployment", "contract": {"prefix": "SP1."}}`, `{"kind": "call", "contract": "SP1.a", "function": "f"}`,
		`{"kind": "print"}`, `{"kind": "print", "contract": "SP1.a", "repr": {"contains": "swap"}}`, `{"kind": "print", "contract": "SP1.a", "repr": {"matches": "swap-[xy]"}}`,
		`{"kind": ["ft_mint", "ft_transfer", "ft_burn"], "asset": "SP1.a::b"}`, `{"kind": ["nft_mint", "nft_transfer", "nft_burn"], "asset": "SP1.a::b"}`,
		`{"kind": ["stx_mint", "stx_transfer", "stx_lock", "stx_burn"]}`, `{"kind": "ft_transfer", "asset": "SP1.a::b", "sender": "SP1", "recipient": "SP2"}`,
		`{"kind": "nft_transfer", "asset": "SP1.a::b", "value": {"": 7}}`, `{"kind": "deployment", "contract": "SP1.a", "sender": "SP1"}`, `{"kind": "call", "sender": "SP1"}`,
		`{"kind": "print", "contract": "SP1.a", "tx_sender": "SP1"}`, `{"kind": "coinbase"}`, `{"kind": "tenure_change", "cause": "block_found"}`,
	} {
		if _, err := filter.Compile([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The index finds the filters that a look at everything finds.
func TestIndex(t *testing.T) {
	t.Parallel()
	all := blocks(t, 8, 200)
	random := rand.New(rand.NewPCG(1, 2))
	var names []string
	for _, b := range all {
		for thing := range filter.Things(b) {
			for _, field := range []string{"contract", "sender", "recipient", "asset", "txid"} {
				if s := thing.Text(field); s != "" {
					names = append(names, s)
				}
			}
		}
	}
	var draw func(depth int) string
	draw = func(depth int) string {
		switch random.IntN(6) {
		case 0, 1:
			if depth > 0 {
				return fmt.Sprintf(`{%q: [%s, %s]}`, []string{"all", "any"}[random.IntN(2)], draw(depth-1), draw(depth-1))
			}
		case 2:
			if depth > 0 {
				return fmt.Sprintf(`{"not": %s}`, draw(depth-1))
			}
		}
		kind := filter.Kinds()[random.IntN(len(filter.Kinds()))]
		for range 20 {
			field := []string{"contract", "sender", "recipient", "asset", "txid", "principal"}[random.IntN(6)]
			text := fmt.Sprintf(`{"kind": %q, %q: [%q, %q]}`, kind, field, names[random.IntN(len(names))], names[random.IntN(len(names))])
			if _, err := filter.Compile([]byte(text)); err == nil {
				return text
			}
		}
		return fmt.Sprintf(`{"kind": %q}`, kind)
	}
	var texts []string
	var filters []*filter.Filter
	for range 400 {
		text := draw(3)
		texts, filters = append(texts, text), append(filters, must.Get(filter.Compile([]byte(text)))(t))
	}
	index, matched := filter.NewIndex(filters), 0
	for _, b := range all {
		got := index.Matching(b)
		for i, f := range filters {
			want := false
			for thing := range filter.Things(b) {
				want = want || f.Match(thing)
			}
			if slices.Contains(got, i) != want {
				t.Fatalf("%s in block %d: the index says %t", texts[i], b.Height, !want)
			}
			if want {
				matched++
			}
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matches", matched)
	}
}

// Compile takes whatever bytes, and what it takes it can use.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{`{"kind": "print", "value": {"a.b": {"min": 1}}}`, `{"any": [{"not": {"kind": ["call"], "arguments": {"0": [true, "x"]}}}]}`, `{"all"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		compiled, err := filter.Compile(text)
		var wrong *filter.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T: %v", err, err)
		}
		if err == nil {
			filter.NewIndex([]*filter.Filter{compiled}).Matching(&projections.Block{Block: &nodeevent.Block{}})
		}
	})
}
