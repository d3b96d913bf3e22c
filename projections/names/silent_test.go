package names_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/fetch"
	domain "strata/domain/names"
	"strata/domain/transaction"
	"strata/internal/synth/value"
	"strata/internal/testkit/short"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// Sources of contracts that call the registry.
const (
	renews = `(define-public (act) (contract-call? '` + contract + ` name-renewal 0x6964 0x626f62 u1 none none))`
	prices = `(define-public (act) (contract-call? '` + contract + ` namespace-update-function-price 0x6964 u1))`
	routes = `(define-public (act) (contract-call? .vault act))`
	calls  = `(define-public (act (of <registry>)) (contract-call? of name-renewal 0x6964 0x626f62 u1 none none))`
	idles  = `(define-public (act) (ok true))`
)

// deployer has the contracts.
const deployer body.Account = "deployer"

// deployed is the deployment of a contract.
func deployed(name, source string) body.Transaction {
	return body.Transaction{Raw: deployer.Sign(0, 0, &transaction.SmartContract{ContractName: name, Code: []byte(source)})}
}

// acted is a call of a contract, in which the burners burn STX.
func acted(sender body.Account, name string, arguments []clarity.Value, burners ...string) body.Transaction {
	list, err := transaction.NewArguments(arguments...)
	if err != nil {
		panic(err)
	}
	of := deployer.Principal()
	of.Contract = name
	tx := body.Transaction{Raw: sender.Sign(1, 0, &transaction.ContractCall{Contract: of, Function: "act", Arguments: list})}
	for _, burner := range burners {
		tx.Events = append(tx.Events, body.Event{Type: "stx_burn_event", Data: map[string]any{"sender": burner, "amount": "20"}})
	}
	return tx
}

// said is the report of what the registry answers about a subject at a block.
func said(subject, block string, answer clarity.Value) replay.Post {
	return saidAs(subject, block, fetch.Exchange{Status: 200, Body: fetch.Body(fmt.Sprintf(`{"okay":true,"result":%q}`, answer.Hex()))})
}

func saidAs(subject, block string, e fetch.Exchange) replay.Post {
	s, err := domain.ParseSubject(subject)
	if err != nil {
		panic(err)
	}
	want, err := s.Want(contract)
	if err != nil {
		panic(err)
	}
	e.Method, e.URL, e.StartedAt = "POST", "http://node/", asked
	r := fetch.Report{
		Want: want, Attempt: 1, Tip: &fetch.Tip{Height: body.Height(block), IndexBlockHash: body.ID(block)}, StartedAt: asked, FinishedAt: asked,
		Exchanges: []fetch.Exchange{e},
	}
	text, err := r.Encode()
	if err != nil {
		panic(err)
	}
	return replay.Post{Path: fetch.PathReport, Body: text}
}

// leased is what name-resolve answers of a lease that began at a height.
func leased(started uint64) clarity.Value {
	return clarity.NewOk(value.Tuple(
		"zonefile-hash", value.Buffer(""), "owner", value.Must(clarity.NewPrincipal(owner.Principal())), "lease-started-at", clarity.NewUint64(started),
		"lease-ending-at", clarity.NewSome(clarity.NewUint64(started+7)),
	))
}

// pricedAt is what get-namespace-properties answers.
func pricedAt(base uint64, canUpdate bool) clarity.Value {
	buckets := make([]clarity.Value, domain.BucketCount)
	for i := range buckets {
		buckets[i] = clarity.NewUint64(1)
	}
	return clarity.NewOk(value.Tuple("namespace", value.Buffer("id"), "properties", value.Tuple(
		"namespace-import", value.Must(clarity.NewPrincipal(owner.Principal())), "revealed-at", clarity.NewUint64(0), "launched-at", clarity.NewSome(clarity.NewUint64(1)),
		"lifetime", clarity.NewUint64(7), "can-update-price-function", clarity.NewBool(canUpdate),
		"price-function", value.Tuple("buckets", value.Must(clarity.NewList(buckets...)), "base", clarity.NewUint64(base), "coeff", clarity.NewUint64(3),
			"nonalpha-discount", clarity.NewUint64(1), "no-vowel-discount", clarity.NewUint64(1)),
	)))
}

// TestSilentCalls has contracts call the registry in ways that print nothing, and a node tell what came of it.
func TestSilentCalls(t *testing.T) {
	t.Parallel()
	ground := func(deployments ...body.Transaction) []replay.Post {
		return []replay.Post{
			block(body.Genesis, ""), block("a1", body.Genesis, owner.Did(launched())),
			block("a2", "a1", append(deployments, owner.Did(given(owner.Address()), printed(domain.Register, owner, first)))...), attached("a2", first, nil),
		}
	}
	vault := ground(deployed("vault", renews))
	renewed := acted(owner, "vault", nil, owner.Address())
	tariff := ground(deployed("vault", prices))
	repriced := acted(owner, "vault", nil)
	registry := value.Must(clarity.NewPrincipal(clarity.Principal{Address: c32.Address{Version: c32.TestnetSingle}, Contract: domain.ContractName}))
	aborted := renewed
	aborted.Status = "abort_by_response"
	open := func(height int) string { return fmt.Sprintf("bob.id %d 0 0", height) }
	expired := clarity.NewErr(clarity.NewInt64(2008))
	// An operation is number, height, operation, clock of the lease, transaction, whether it is the one of the act, exchange.
	const registered = "1 2 1 2 1 - -"
	// Prices are number, height, base, whether they may change, exchange.
	const began = "1 1 2 true -"
	for name, tc := range map[string]struct {
		ground, above                       []replay.Post
		operations, prices, wants, readings []string
	}{
		"a contract may have renewed":  {vault, []replay.Post{block("a3", "a2", renewed)}, nil, nil, []string{open(3)}, nil},
		"it has":                       {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", leased(3))}, []string{"2 3 5 3 0 true 0"}, nil, nil, []string{"bob.id 3 3"}},
		"it has not":                   {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", leased(2))}, nil, nil, nil, []string{"bob.id 3 2"}},
		"the name has expired":         {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", expired)}, nil, nil, nil, []string{"bob.id 3 -"}},
		"told later":                   {vault, []replay.Post{block("a3", "a2", owner.Did(), renewed), block("a4", "a3"), said("bob.id", "a4", leased(3))}, []string{"2 4 5 3 1 true 0"}, nil, nil, []string{"bob.id 4 3"}},
		"told twice":                   {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", leased(3)), said("bob.id", "a3", leased(3))}, []string{"2 3 5 3 0 true 0"}, nil, nil, []string{"bob.id 3 3"}},
		"told of another lease":        {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", leased(1))}, nil, nil, nil, []string{"bob.id 3 1"}},
		"told without need":            {vault, []replay.Post{said("bob.id", "a2", leased(2))}, nil, nil, nil, nil},
		"told of a name of nobody":     {vault, []replay.Post{said("alice.id", "a2", leased(2))}, nil, nil, nil, nil},
		"told of a block of a fork":    {vault, []replay.Post{block("a3", "a2", renewed), block("b3", "a2"), said("bob.id", "b3", leased(3))}, nil, nil, []string{"bob.id 3 0 1"}, nil},
		"told too late":                {vault, []replay.Post{block("a3", "a2", renewed), block("a4", "a3", renewed), said("bob.id", "a3", leased(3))}, nil, nil, []string{open(4)}, nil},
		"told too late, and again":     {vault, []replay.Post{block("a3", "a2", renewed), block("a4", "a3", renewed), said("bob.id", "a3", leased(3)), said("bob.id", "a4", leased(4))}, []string{"2 4 5 4 0 true 0"}, nil, nil, []string{"bob.id 4 4"}},
		"renewed twice":                {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", leased(3)), block("a4", "a3", renewed), said("bob.id", "a4", leased(4))}, []string{"2 3 5 3 0 true 0", "3 4 5 4 0 true 0"}, nil, nil, []string{"bob.id 3 3", "bob.id 4 4"}},
		"updated since":                {vault, []replay.Post{block("a3", "a2", renewed), block("a4", "a3", owner.Did(printed(domain.Update, owner, first))), said("bob.id", "a3", leased(3)), said("bob.id", "a4", leased(3))}, []string{"2 4 3 2 0 - -", "3 4 5 3 0 true 0"}, nil, nil, []string{"bob.id 4 3"}},
		"revoked since":                {vault, []replay.Post{block("a3", "a2", renewed), block("a4", "a3", owner.Did(printed(domain.Revoke, owner, "")))}, []string{"2 4 6 2 0 - -"}, nil, nil, nil},
		"given away since":             {vault, []replay.Post{block("a3", "a2", renewed), block("a4", "a3", owner.Did(given(buyer.Address()), printed(domain.Transfer, owner, ""))), said("bob.id", "a4", leased(3))}, []string{"2 4 4 2 0 - -", "3 4 5 3 0 true 0"}, nil, nil, []string{"bob.id 4 3"}},
		"both reverted":                {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", leased(3)), block("b3", "a2"), block("b4", "b3")}, nil, nil, nil, nil},
		"the reading reverted":         {vault, []replay.Post{block("a3", "a2", renewed), block("a4", "a3"), said("bob.id", "a4", leased(3)), block("b4", "a3"), block("b5", "b4")}, nil, nil, []string{open(3)}, nil},
		"the deployment reverted":      {vault, []replay.Post{block("b2", "a1", owner.Did(given(owner.Address()), printed(domain.Register, owner, first))), block("b3", "b2"), block("b4", "b3", renewed)}, []string{"1 2 1 2 0 - -"}, nil, nil, nil},
		"renewed in the same block":    {vault, []replay.Post{block("a3", "a2", renewed, called("name-renewal", value.Buffer("id"), value.Buffer("bob"), clarity.NewUint64(1), clarity.NewNone(), clarity.NewNone()))}, []string{"2 3 5 3 1 - -"}, nil, nil, nil},
		"nothing is burnt":             {vault, []replay.Post{block("a3", "a2", acted(owner, "vault", nil))}, nil, nil, nil, nil},
		"somebody else's is":           {vault, []replay.Post{block("a3", "a2", acted(buyer, "vault", nil, buyer.Address()))}, nil, nil, nil, nil},
		"it fails":                     {vault, []replay.Post{block("a3", "a2", aborted)}, nil, nil, nil, nil},
		"another contract":             {ground(deployed("vault", idles)), []replay.Post{block("a3", "a2", renewed)}, nil, nil, nil, nil},
		"a contract that sets prices":  {tariff, []replay.Post{block("a3", "a2", acted(buyer, "vault", nil, owner.Address()))}, nil, nil, nil, nil},
		"through another contract":     {ground(deployed("vault", renews), deployed("router", routes)), []replay.Post{block("a3", "a2", acted(owner, "router", nil, owner.Address()))}, []string{"1 2 1 2 2 - -"}, nil, []string{open(3)}, nil},
		"the registry is an argument":  {ground(deployed("caller", calls)), []replay.Post{block("a3", "a2", acted(owner, "caller", []clarity.Value{clarity.NewSome(registry)}, owner.Address()))}, nil, nil, []string{open(3)}, nil},
		"it is none":                   {ground(deployed("caller", calls)), []replay.Post{block("a3", "a2", acted(owner, "caller", nil, owner.Address()))}, nil, nil, nil, nil},
		"the node is away":             {vault, []replay.Post{block("a3", "a2", renewed), saidAs("bob.id", "a3", fetch.Exchange{Failure: fetch.FailureConnection, Error: "refused"})}, nil, nil, []string{"bob.id 3 0 1"}, nil},
		"the node answers nonsense":    {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", clarity.NewUint64(1))}, nil, nil, []string{"bob.id 3 1 0"}, nil},
		"nonsense, and then a renewal": {vault, []replay.Post{block("a3", "a2", renewed), said("bob.id", "a3", clarity.NewUint64(1)), said("bob.id", "a3", leased(3))}, []string{"2 3 5 3 0 true 0"}, nil, nil, []string{"bob.id 3 3"}},
		"prices may have changed":      {tariff, []replay.Post{block("a3", "a2", repriced)}, nil, nil, []string{"id 3 0 0"}, nil},
		"they have":                    {tariff, []replay.Post{block("a3", "a2", repriced), said("id", "a3", pricedAt(5, true))}, nil, []string{"2 3 5 true 0"}, nil, []string{"id 3 -"}},
		"they are frozen":              {tariff, []replay.Post{block("a3", "a2", repriced), said("id", "a3", pricedAt(2, false)), block("a4", "a3", repriced)}, nil, []string{"2 3 2 false 0"}, nil, []string{"id 3 -"}},
		"they have not":                {tariff, []replay.Post{block("a3", "a2", repriced), said("id", "a3", pricedAt(2, true))}, nil, nil, nil, []string{"id 3 -"}},
		"prices reverted":              {tariff, []replay.Post{block("a3", "a2", repriced), said("id", "a3", pricedAt(5, true)), block("b3", "a2"), block("b4", "b3")}, nil, nil, nil, nil},
		"prices of others":             {tariff, []replay.Post{block("a3", "a2", acted(buyer, "vault", nil))}, nil, nil, nil, nil},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			operations := tc.operations
			if len(operations) == 0 || !strings.HasPrefix(operations[0], "1 ") {
				operations = append([]string{registered}, operations...)
			}
			posts := append(tc.ground[:len(tc.ground):len(tc.ground)], tc.above...)
			rig.InBatches(t, posts, []int{1, 3, 100}, func(tx pgx.Tx, size int) {
				for _, rows := range []struct {
					of, query string
					want      []string
				}{
					{"operations", `SELECT concat_ws(' ', n, height, operation, registered_at, tx_index,
						coalesce((SELECT a.txid = o.txid FROM {schema}.act a WHERE a.subject = o.name AND a.clock = o.registered_at AND o.exchange IS NOT NULL)::text, '-'), coalesce(exchange::text, '-'))
						FROM {schema}.operation o ORDER BY n`, operations},
					{"prices", `SELECT concat_ws(' ', n, height, price_base, can_update_price::text, coalesce(exchange::text, '-')) FROM {schema}.namespace ORDER BY n`, append([]string{began}, tc.prices...)},
					{"wants", `SELECT concat_ws(' ', subject, min_height, attempts, waits) FROM {schema}.want ORDER BY 1`, tc.wants},
					{"readings", `SELECT concat_ws(' ', subject, height, coalesce(started_at::text, '-')) FROM {schema}.reading ORDER BY 1`, tc.readings},
				} {
					if got := rig.Texts(t, tx, rows.query); !slices.Equal(got, rows.want) {
						t.Errorf("batches of %d: got %s %q, want %q", size, rows.of, got, rows.want)
					}
				}
			})
		})
	}
}

// silentState is what the registry has in a block: when the lease of bob.id began, and the base of the prices.
type silentState struct {
	parent, name        string
	height, lease, base uint64
}

// TestSilentHistories folds random histories with forks in which contracts renew a name and change prices, while a node
// tells of it now and then. The rows are the same in batches of any size, and in the end they say what the registry says.
func TestSilentHistories(t *testing.T) {
	t.Parallel()
	const lifetime = 7
	for seed := range short.Form[uint64](2, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 5))
			tip := silentState{"a1", "a2", 2, 2, 2}
			states := map[string]silentState{"a2": tip}
			posts := []replay.Post{
				block(body.Genesis, ""), block("a1", body.Genesis, owner.Did(launched())),
				block("a2", "a1", deployed("vault", renews), deployed("tariff", prices), owner.Did(given(owner.Address()), printed(domain.Register, owner, first))),
			}
			tell := func() {
				lease := leased(tip.lease)
				if tip.height > tip.lease+lifetime {
					lease = clarity.NewErr(clarity.NewUint64(2009))
				}
				posts = append(posts, said("bob.id", tip.name, lease), said("id", tip.name, pricedAt(tip.base, true)))
			}
			for i := range 60 {
				parent := tip
				for random.IntN(4) == 0 && parent.height > 3 {
					parent = states[parent.parent]
				}
				next := parent
				next.parent, next.height = parent.name, parent.height+1
				next.name = fmt.Sprintf("%c%c%d", 'a'+i/26, 'a'+i%26, next.height)
				transactions := []body.Transaction{owner.Did()}
				if random.IntN(3) == 0 {
					transactions = append(transactions, acted(owner, "vault", nil, owner.Address()))
					if random.IntN(2) == 0 {
						next.lease = next.height
					}
				}
				if random.IntN(4) == 0 {
					transactions = append(transactions, acted(owner, "tariff", nil))
					next.base += uint64(random.IntN(2))
				}
				switch random.IntN(8) {
				case 0:
					transactions = append(transactions, owner.Did(printed(domain.Update, owner, first)))
				case 1:
					next.lease = next.height
					transactions = append(transactions, called("name-renewal", value.Buffer("id"), value.Buffer("bob"), clarity.NewUint64(1), clarity.NewNone(), clarity.NewNone()))
				}
				posts = append(posts, block(next.name, next.parent, transactions...))
				states[next.name] = next
				if next.height > tip.height {
					tip = next
				}
				if random.IntN(3) == 0 {
					tell()
				}
			}
			tell()
			var want []string
			rig.InBatches(t, posts, []int{1, 5, len(posts)}, func(tx pgx.Tx, size int) {
				got := append(rig.DumpOf(t, tx, "caller", "act", "reading"), rig.Dump(t, tx)...)
				if want == nil {
					want = got
				}
				foldtest.Same(t, fmt.Sprintf("batches of %d", size), got, want)
				if size == len(posts) {
					said := rig.Texts(t, tx, `
						SELECT concat_ws(' ', (SELECT height FROM {schema}.block ORDER BY height DESC LIMIT 1),
							(SELECT CASE WHEN registered_at + $1 < $2 THEN 'expired' ELSE registered_at::text END FROM {schema}.operation ORDER BY n DESC LIMIT 1),
							(SELECT price_base FROM {schema}.namespace ORDER BY n DESC LIMIT 1), (SELECT count(*) FROM {schema}.want WHERE subject IS NOT NULL))`, lifetime, int64(tip.height))
					lease := fmt.Sprint(tip.lease)
					if tip.height > tip.lease+lifetime {
						lease = "expired"
					}
					if truth := fmt.Sprint(tip.height, " ", lease, " ", tip.base, " 0"); said[0] != truth {
						t.Errorf("got %s, want %s", said[0], truth)
					}
					if n := rig.Texts(t, tx, `SELECT count(*)::text FROM {schema}.operation WHERE exchange IS NOT NULL`); n[0] == "0" {
						t.Error("no renewal was read")
					}
				}
			})
		})
	}
}
