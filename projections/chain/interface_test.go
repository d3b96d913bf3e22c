package chain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/shard"
	"strata/internal/testkit/replay"
	"strata/internal/testkit/schemas"
	"strata/projections"
	"strata/projections/chain"
	"strata/projections/internal/body"
)

// maker deploys contracts.
const maker body.Account = "maker"

// oneFunction is an interface with one function.
func oneFunction(name string) string {
	return `{"functions":[{"name":"` + name + `","access":"public","args":[],"outputs":{"type":{"response":{"ok":"bool","error":"none"}}}}],"variables":[],"maps":[],` +
		`"fungible_tokens":[],"non_fungible_tokens":[]}`
}

// answered is the report of what a node answers to a request for the interface of a contract.
func answered(t testing.TB, name string, e fetch.Exchange) replay.Post {
	t.Helper()
	at := time.Unix(1_700_000_000, 0).UTC()
	e.Method, e.URL, e.StartedAt = "GET", "http://node/v2/contracts/interface/", at
	r := fetch.Report{
		Want: fetch.Want{Kind: fetch.ContractInterface, Contract: maker.Contract(name)}, Attempt: 1, StartedAt: at, FinishedAt: at, Exchanges: []fetch.Exchange{e},
	}
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return replay.Post{Path: fetch.PathReport, Body: text}
}

// TestInterfaces has nodes leave interfaces out of their events, and answer requests for them.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	deployed := func(name, parent, burn string, list ...body.Transaction) replay.Post {
		return stacks(name, parent, burn, transactions(list...))
	}
	without, with := maker.Deploys("c", nil), maker.Deploys("c", replayJSON(oneFunction("own")))
	answer := func(function string) replay.Post {
		return answered(t, "c", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction(function))})
	}
	base := []replay.Post{genesis()}
	for name, tc := range map[string]struct {
		posts []replay.Post
		want  []string // event of the deployment, name of the function, event of the report, number of keys
	}{
		"left out":            {[]replay.Post{deployed("a1", "genesis", "2a", without)}, []string{"2 - - -"}},
		"sent":                {[]replay.Post{deployed("a1", "genesis", "2a", with)}, []string{"2 own - -"}},
		"answered":            {[]replay.Post{deployed("a1", "genesis", "2a", without), answer("f")}, []string{"2 f 3 2"}},
		"answered twice":      {[]replay.Post{deployed("a1", "genesis", "2a", without), answer("f"), answer("g")}, []string{"2 f 3 2"}},
		"answered needlessly": {[]replay.Post{deployed("a1", "genesis", "2a", with), answer("f")}, []string{"2 own - -"}},
		"answered before":     {[]replay.Post{answer("f"), deployed("a1", "genesis", "2a", without)}, []string{"3 - - -"}},
		"of another contract": {
			[]replay.Post{deployed("a1", "genesis", "2a", without), answered(t, "d", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction("f"))})}, []string{"2 - - -"},
		},
		"not found":  {[]replay.Post{deployed("a1", "genesis", "2a", without), answered(t, "c", fetch.Exchange{Status: 404, Body: fetch.Body("No such contract")})}, []string{"2 - - -"}},
		"nonsense":   {[]replay.Post{deployed("a1", "genesis", "2a", without), answered(t, "c", fetch.Exchange{Status: 200, Body: fetch.Body(`{}`)})}, []string{"2 - - -"}},
		"zero bytes": {[]replay.Post{deployed("a1", "genesis", "2a", without), answer(`\u0000`)}, []string{`2 \u0000 3 2`}},
		"on two forks": {
			[]replay.Post{deployed("a1", "genesis", "2a", without), deployed("b1", "genesis", "2b", without), answer("f")}, []string{"2 f 4 2", "3 f 4 2"},
		},
		"deployed again on another fork": {
			[]replay.Post{deployed("a1", "genesis", "2a", without), answer("f"), deployed("b1", "genesis", "2b", without), stacks("b2", "b1", "3b"), answer("g")},
			[]string{"2 f 3 2", "4 g 6 2"},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			pool := databases.New(t)
			posts := append(base[:1:1], tc.posts...)
			for _, batching := range batchings {
				inTx(t, pool, func(tx pgx.Tx) {
					foldInPieces(t, tx, chain.Recommended, batching.piece, replay.Decode(t, posts), func() (int, bool) { return batching.size, batching.forget })
					got := replay.Texts(t, tx, schemas.In(`
						SELECT concat_ws(' ', source_seq, coalesce(substring(interface from '"name":"([^"]*)"'), '-'), coalesce(interface_seq::text, '-'), coalesce(cardinality(functions)::text, '-'))
						FROM {chain}.contract ORDER BY source_seq`))
					if !slices.Equal(got, tc.want) {
						t.Errorf("%s: got %q, want %q", batching.name, got, tc.want)
					}
				})
			}
		})
	}
}

// replayJSON is a JSON text in the body of a block.
type replayJSON string

// MarshalJSON implements json.Marshaler.
func (j replayJSON) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// TestInterfaceTouchesEverything changes what calls in any block are shown with.
func TestInterfaceTouchesEverything(t *testing.T) {
	t.Parallel()
	items := replay.Decode(t, []replay.Post{
		genesis(), stacks("a1", "genesis", "2a", transactions(maker.Deploys("c", nil))),
		answered(t, "c", fetch.Exchange{Failure: fetch.FailureConnection, Error: "refused"}), answered(t, "c", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction("f"))}),
	})
	inTx(t, databases.New(t), func(tx pgx.Tx) {
		c, err := chain.New(chain.Recommended, nil)
		if err != nil {
			t.Fatal(err)
		}
		var touched []string
		for i, item := range items {
			outcome, err := c.Fold(t.Context(), tx, int64(i), []projections.LogItem{item})
			if err != nil {
				t.Fatal(err)
			}
			touched = append(touched, fmt.Sprint(outcome.Touched.Includes(shard.Height(1<<40))))
		}
		if want := []string{"false", "false", "false", "true"}; !slices.Equal(touched, want) {
			t.Errorf("got %v, want %v", touched, want)
		}
	})
}
