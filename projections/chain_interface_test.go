package projections_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/shard"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/chain"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

var databases = replay.Tables("chain", chain.Spec())

// post announces a block.
func post(name, parent, burn string, list ...body.Transaction) replay.Post {
	if len(list) == 0 {
		list = []body.Transaction{maker.Did()}
	}
	return body.Block{Name: name, Parent: parent, Burn: burn, Transactions: list}.Post()
}

// fold folds items in batches of a size, and returns which of them touched a block that does not exist.
func fold(t *testing.T, tx pgx.Tx, items []projections.LogItem, size int) (touched []string) {
	t.Helper()
	c := rig.Chain(t)
	for at := 0; at < len(items); at += size {
		outcome := must.Get(c.Fold(t.Context(), tx, int64(at), items[at:min(at+size, len(items))]))(t)
		touched = append(touched, fmt.Sprint(outcome.Touched.Includes(shard.Height(1<<40))))
	}
	return touched
}

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
	text := must.Get(r.Encode())(t)
	return replay.Post{Path: fetch.PathReport, Body: text}
}

// TestInterfaces has nodes leave interfaces out of their events, and answer requests for them.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	without, with := maker.Deploys("c", nil), maker.Deploys("c", replayJSON(oneFunction("own")))
	answer := func(function string) replay.Post {
		return answered(t, "c", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction(function))})
	}
	base := []replay.Post{post(body.Genesis, "", "1a")}
	for name, tc := range map[string]struct {
		posts []replay.Post
		want  []string // event of the deployment, name of the function, event of the report, number of keys
	}{
		"left out":            {[]replay.Post{post("a1", body.Genesis, "2a", without)}, []string{"2 - - -"}},
		"sent":                {[]replay.Post{post("a1", body.Genesis, "2a", with)}, []string{"2 own - -"}},
		"answered":            {[]replay.Post{post("a1", body.Genesis, "2a", without), answer("f")}, []string{"2 f 3 2"}},
		"answered twice":      {[]replay.Post{post("a1", body.Genesis, "2a", without), answer("f"), answer("g")}, []string{"2 f 3 2"}},
		"answered needlessly": {[]replay.Post{post("a1", body.Genesis, "2a", with), answer("f")}, []string{"2 own - -"}},
		"answered before":     {[]replay.Post{answer("f"), post("a1", body.Genesis, "2a", without)}, []string{"3 - - -"}},
		"of another contract": {
			[]replay.Post{post("a1", body.Genesis, "2a", without), answered(t, "d", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction("f"))})}, []string{"2 - - -"},
		},
		"not found":  {[]replay.Post{post("a1", body.Genesis, "2a", without), answered(t, "c", fetch.Exchange{Status: 404, Body: fetch.Body("No such contract")})}, []string{"2 - - -"}},
		"nonsense":   {[]replay.Post{post("a1", body.Genesis, "2a", without), answered(t, "c", fetch.Exchange{Status: 200, Body: fetch.Body(`{}`)})}, []string{"2 - - -"}},
		"zero bytes": {[]replay.Post{post("a1", body.Genesis, "2a", without), answer(`\u0000`)}, []string{`2 \u0000 3 2`}},
		"on two forks": {
			[]replay.Post{post("a1", body.Genesis, "2a", without), post("b1", body.Genesis, "2b", without), answer("f")}, []string{"2 f 4 2", "3 f 4 2"},
		},
		"deployed again on another fork": {
			[]replay.Post{post("a1", body.Genesis, "2a", without), answer("f"), post("b1", body.Genesis, "2b", without), post("b2", "b1", "3b"), answer("g")},
			[]string{"2 f 3 2", "4 g 6 2"},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			pool := databases.New(t)
			posts := append(base[:1:1], tc.posts...)
			for _, size := range []int{1, 2, 100} {
				replay.InTx(t, pool, func(tx pgx.Tx) {
					fold(t, tx, replay.Decode(t, posts), size)
					got := replay.Texts(t, tx, schemas.In(`
						SELECT concat_ws(' ', source_seq, coalesce(substring(interface from '"name":"([^"]*)"'), '-'), coalesce(interface_seq::text, '-'), coalesce(cardinality(functions)::text, '-'))
						FROM {chain}.contract ORDER BY source_seq`))
					if !slices.Equal(got, tc.want) {
						t.Errorf("batches of %d: got %q, want %q", size, got, tc.want)
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
		post(body.Genesis, "", "1a"), post("a1", body.Genesis, "2a", maker.Deploys("c", nil)),
		answered(t, "c", fetch.Exchange{Failure: fetch.FailureConnection, Error: "refused"}), answered(t, "c", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction("f"))}),
	})
	replay.InTx(t, databases.New(t), func(tx pgx.Tx) {
		if got, want := fold(t, tx, items, 1), []string{"false", "false", "false", "true"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
