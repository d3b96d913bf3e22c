package projections_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/transaction"
	"strata/internal/testkit/must"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// called is a call of a contract of maker, with a status and a result in hex.
func called(name, status, result string) body.Transaction {
	contract, err := clarity.ParsePrincipal(maker.Contract(name))
	if err != nil {
		panic(err)
	}
	raw := body.Account("caller").Sign(0, 0, &transaction.ContractCall{Contract: contract, Function: "f"})
	return body.Transaction{Raw: raw, Status: status, Members: map[string]any{"raw_result": result}}
}

// announced is the post of waiting calls of contracts of maker.
func announced(names ...string) replay.Post {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf(`"0x%x"`, called(name, "", "").Raw)
	}
	return replay.Post{Path: "/new_mempool_tx", Body: []byte("[" + strings.Join(list, ",") + "]")}
}

// retried is a person's request to try again what failed.
func retried(t testing.TB, kind fetch.Kind) replay.Post {
	t.Helper()
	text := must.Get((&fetch.Refresh{Failed: true, Kind: kind, RequestedAt: time.Unix(1_700_000_000, 0).UTC()}).Encode())(t)
	return replay.Post{Path: fetch.PathRefresh, Body: text}
}

// The interface of a contract that nothing in the log deploys is wanted once a call has reached it or waits, however the events
// are folded together, and a report brings it.
func TestUndeployed(t *testing.T) {
	t.Parallel()
	ok := called("c", "", "0x0703")
	notFound := answered(t, "c", fetch.Exchange{Status: 404, Body: fetch.Body("No such contract")})
	down := answered(t, "c", fetch.Exchange{Failure: fetch.FailureConnection, Error: "refused"})
	found := answered(t, "c", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction("f"))})
	deploys := maker.Deploys("c", nil)
	a1 := post("a1", body.Genesis, "2a", ok)
	pool := databases.New(t)
	six := func(posts ...replay.Post) []replay.Post {
		return append(posts, notFound, notFound, notFound, notFound, notFound, notFound)
	}
	for name, tc := range map[string]struct {
		posts []replay.Post
		// first call, whether it is proven, name of the function, event of the report; of the want: event, attempts, waits, priority
		want string
	}{
		"a call that succeeded":             {[]replay.Post{a1}, "2 t - -, 2 0 0 2"},
		"a call that returned an error":     {[]replay.Post{post("a1", body.Genesis, "2a", called("c", "abort_by_response", "0x0801000000000000000000000000000000")), a1}, "2 t - -, 2 0 0 2"},
		"a call that a condition aborted":   {[]replay.Post{post("a1", body.Genesis, "2a", called("c", "abort_by_post_condition", "0x0703"))}, "2 t - -, 2 0 0 2"},
		"a call that may have found none":   {[]replay.Post{post("a1", body.Genesis, "2a", called("c", "abort_by_response", "0x0809"))}, ""},
		"a call that was not executed":      {[]replay.Post{post("a1", body.Genesis, "2a", called("c", "problematic_skipped", "0x0703"))}, ""},
		"on a fork":                         {[]replay.Post{post("a1", body.Genesis, "2a"), post("a2", "a1", "3a"), post("b1", body.Genesis, "2b", ok)}, "4 t - -, 4 0 0 2"},
		"calls twice":                       {[]replay.Post{a1, post("a2", "a1", "3a", ok, ok), announced("c")}, "2 t - -, 2 0 0 2"},
		"deployed before":                   {[]replay.Post{post("a1", body.Genesis, "2a", deploys), post("a2", "a1", "3a", ok), announced("c")}, ""},
		"deployed in the block":             {[]replay.Post{post("a1", body.Genesis, "2a", ok, deploys)}, ""},
		"deployed later":                    {[]replay.Post{a1, post("a2", "a1", "3a", deploys), post("a3", "a2", "4a", ok)}, "2 t - -, 2 0 0 2"},
		"a deployment that failed":          {[]replay.Post{post("a1", body.Genesis, "2a", func() body.Transaction { d := deploys; d.Status = "abort_by_response"; return d }()), announced("c")}, "3 f - -, 3 0 0 3"},
		"a waiting call":                    {[]replay.Post{announced("c", "c"), announced("c")}, "2 f - -, 2 0 0 3"},
		"a waiting call that is mined":      {[]replay.Post{announced("c"), notFound, a1}, "2 t - -, 4 0 0 2"},
		"answered":                          {[]replay.Post{a1, found, post("a2", "a1", "3a", ok), announced("c")}, "2 t f 3"},
		"a waiting call, answered":          {[]replay.Post{announced("c"), found, a1, found}, "2 f f 3"},
		"answered, then deployed":           {[]replay.Post{a1, found, post("a2", "a1", "3a", deploys), found}, "2 t f 3"},
		"not asked":                         {[]replay.Post{found, a1}, "3 t - -, 3 0 0 2"},
		"no node answers":                   {[]replay.Post{a1, down, down}, "2 t - -, 4 0 2 2"},
		"not found":                         {[]replay.Post{a1, notFound, notFound}, "2 t - -, 4 2 0 3"},
		"tried again":                       {[]replay.Post{a1, notFound, retried(t, ""), post("a2", "a1", "3a", ok)}, "2 t - -, 4 0 0 1"},
		"tried again, and answered":         {[]replay.Post{a1, notFound, retried(t, fetch.ContractInterface), found}, "2 t f 5"},
		"others are tried again":            {[]replay.Post{a1, notFound, retried(t, fetch.Document)}, "2 t - -, 3 1 0 3"},
		"a call that ran is never given up": {six(a1, notFound), "2 t - -, 9 7 0 3"},
		"a waiting call is given up":        {six(announced("c")), ""},
		"and comes again":                   {append(six(announced("c")), announced("c")), "9 f - -, 9 0 0 3"},
		"and is mined":                      {append(six(announced("c")), a1, found), "9 t f 10"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			posts := append([]replay.Post{post(body.Genesis, "", "1a")}, tc.posts...)
			for _, size := range []int{1, 2, 100} {
				replay.InTx(t, pool, func(tx pgx.Tx) {
					fold(t, tx, replay.Decode(t, posts), size)
					got := strings.Join(replay.Texts(t, tx, schemas.In(`
						SELECT concat_ws(', ',
							concat_ws(' ', u.source_seq, CASE WHEN u.proven THEN 't' ELSE 'f' END, coalesce(substring(interface from '"name":"([^"]*)"'), '-'), coalesce(interface_seq::text, '-')),
							(SELECT concat_ws(' ', w.source_seq, w.attempts, w.waits, w.priority) FROM {chain}.want w WHERE w.key_hash = u.key_hash))
						FROM {chain}.undeployed u`)), "; ")
					if got != tc.want {
						t.Errorf("batches of %d: got %q, want %q", size, got, tc.want)
					}
					if left := replay.Texts(t, tx, schemas.In(`SELECT w.want FROM {chain}.want w LEFT JOIN {chain}.undeployed u USING (key_hash) WHERE u.interface_seq IS NOT NULL OR u.contract_id IS NULL`)); len(left) > 0 {
						t.Errorf("batches of %d: wants that nobody has: %q", size, left)
					}
				})
			}
		})
	}
}

// However many contracts waiting transactions name, only so many are wanted at a time. A call that ran, and an answer, make room.
func TestUndeployedIsBounded(t *testing.T) {
	t.Parallel()
	const most = 1000
	names := make([]string, most+5)
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	posts := []replay.Post{
		post(body.Genesis, "", "1a"), announced(names...), post("a1", body.Genesis, "2a", called("c0", "", "0x0703")),
		answered(t, "c1", fetch.Exchange{Status: 200, Body: fetch.Body(oneFunction("f"))}), announced("d1", "d2", "d3"),
		post("a2", "a1", "3a", called("d3", "", "0x0703")),
	}
	replay.InTx(t, databases.New(t), func(tx pgx.Tx) {
		fold(t, tx, replay.Decode(t, posts), 4)
		got := replay.Texts(t, tx, schemas.In(`
			SELECT count(*)::text FROM {chain}.undeployed WHERE NOT proven AND interface_seq IS NULL
			UNION ALL SELECT count(*)::text FROM {chain}.want
			UNION ALL SELECT string_agg(split_part(contract_id, '.', 2), ' ' ORDER BY contract_id) FROM {chain}.undeployed WHERE source_seq > 2`))
		if want := []string{"1000", "1002", "d1 d2 d3"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
