package names_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"strata/domain/clarity"
	domain "strata/domain/names"
	"strata/domain/transaction"
	"strata/internal/synth/value"
	"strata/rig/body"
	"strata/rig/replay"
)

// contract is the contract of testnet, whose addresses package body makes.
const contract = "ST000000000000000000002AMW42H.bns"

const (
	owner body.Account = "owner"
	buyer body.Account = "buyer"
)

// printed is the event of an operation on bob.id.
func printed(operation domain.Operation, sender body.Account, zonefile string) body.Event {
	hash := ""
	if zonefile != "" {
		h := domain.ZonefileHash([]byte(zonefile))
		hash = string(h[:])
	}
	return body.Print(contract, value.Tuple("attachment", value.Tuple(
		"hash", value.Buffer(hash), "attachment-index", clarity.NewUint64(0),
		"metadata", value.Tuple("name", value.Buffer("bob"), "namespace", value.Buffer("id"), "tx-sender", value.Must(clarity.NewPrincipal(sender.Principal())), "op", value.Text(operation.String())),
	)))
}

// given is the event of bob.id's token given to an account.
func given(to string) body.Event {
	return body.Event{Type: "nft_transfer_event", Data: map[string]any{
		"asset_identifier": contract + "::names", "sender": owner.Address(), "recipient": to,
		"raw_value": value.Tuple("name", value.Buffer("bob"), "namespace", value.Buffer("id")).Hex(),
	}}
}

// launched is the event of the launch of the namespace id.
func launched() body.Event {
	buckets := make([]clarity.Value, domain.BucketCount)
	for i := range buckets {
		buckets[i] = clarity.NewUint64(1)
	}
	return body.Print(contract, value.Tuple("namespace", value.Buffer("id"), "status", value.Text("ready"), "properties", value.Tuple(
		"namespace-import", value.Must(clarity.NewPrincipal(owner.Principal())), "revealed-at", clarity.NewUint64(0), "launched-at", clarity.NewSome(clarity.NewUint64(1)),
		"lifetime", clarity.NewUint64(7), "can-update-price-function", clarity.NewBool(true),
		"price-function", value.Tuple("buckets", value.Must(clarity.NewList(buckets...)), "base", clarity.NewUint64(2), "coeff", clarity.NewUint64(3),
			"nonalpha-discount", clarity.NewUint64(1), "no-vowel-discount", clarity.NewUint64(1)),
	)))
}

// numbers are the arguments of a change of prices, all the same.
func numbers(n uint64) (all []clarity.Value) {
	for range 2 + domain.BucketCount + 2 {
		all = append(all, clarity.NewUint64(n))
	}
	return all
}

// called is a call of the contract by the owner, without events.
func called(function string, arguments ...clarity.Value) body.Transaction {
	list, err := transaction.NewArguments(arguments...)
	if err != nil {
		panic(err)
	}
	principal, err := clarity.ParsePrincipal(contract)
	if err != nil {
		panic(err)
	}
	return body.Transaction{Raw: owner.Sign(0, 0, &transaction.ContractCall{Contract: principal, Function: function, Arguments: list})}
}

func block(name, parent string, transactions ...body.Transaction) replay.Post {
	if len(transactions) == 0 {
		transactions = []body.Transaction{owner.Did()}
	}
	return body.Block{Name: name, Parent: parent, Burn: "100a", Transactions: transactions}.Post()
}

// attached is the post of a zonefile for a block.
func attached(block, content string, change func(map[string]any)) replay.Post {
	h := domain.ZonefileHash([]byte(content))
	entry := map[string]any{
		"attachment_index": 0, "index_block_hash": body.ID(block), "block_height": body.Height(block), "contract_id": contract, "tx_id": body.TxID(block, 0),
		"content_hash": h, "content": fmt.Sprintf("0x%x", content), "metadata": "0x09",
	}
	if change != nil {
		change(entry)
	}
	text, err := json.Marshal([]any{entry})
	if err != nil {
		panic(err)
	}
	return replay.Post{Path: "/attachments/new", Body: text}
}

const (
	first  = "sub TXT \"owner=first\" \"seqn=0\"\n"
	second = "sub TXT \"owner=second\" \"seqn=1\"\n_resolver URI 10 1 \"https://r.example\"\n"
)

// TestReorganisations reverts a registration, a renewal, a transfer, an update, a revocation and a change of prices, each
// by a longer branch without it.
func TestReorganisations(t *testing.T) {
	t.Parallel()
	register := owner.Did(given(owner.Address()), printed(domain.Register, owner, first))
	none := clarity.NewNone()
	renewal := called("name-renewal", value.Buffer("id"), value.Buffer("bob"), clarity.NewUint64(1), none, none)
	launch := owner.Did(launched())
	base := []replay.Post{block(body.Genesis, ""), block("a1", body.Genesis, launch), block("a2", "a1", register)}
	priced := called("namespace-update-function-price", append([]clarity.Value{value.Buffer("id")}, numbers(5)...)...)
	registered := "bob.id 1 " + owner.Address() + " 2 - true; price 2; subdomains -"
	for name, tc := range map[string]struct {
		above       []replay.Post // block a3, and zonefiles
		with, after string
	}{
		"registration":       {nil, registered, registered},
		"silent renewal":     {[]replay.Post{block("a3", "a2", renewal)}, "bob.id 5 " + owner.Address() + " 3 - true; price 2; subdomains -", registered},
		"renewal that fails": {[]replay.Post{block("a3", "a2", func() body.Transaction { r := renewal; r.Status = "abort_by_response"; return r }())}, registered, registered},
		"transfer": {
			[]replay.Post{block("a3", "a2", owner.Did(given(buyer.Address()+".safe"), printed(domain.Transfer, owner, "")))},
			"bob.id 4 " + buyer.Address() + ".safe 2 - true; price 2; subdomains -", registered,
		},
		"token after the print": {
			[]replay.Post{block("a3", "a2", owner.Did(printed(domain.Transfer, owner, ""), given(buyer.Address())))},
			"bob.id 4 " + buyer.Address() + " 2 - true; price 2; subdomains -", registered,
		},
		"update": {
			[]replay.Post{block("a3", "a2", owner.Did(printed(domain.Update, owner, second))), attached("a3", second, nil)},
			"bob.id 3 " + owner.Address() + " 2 - true; price 2; subdomains sub second 1", registered,
		},
		"update whose zonefile came before": {
			[]replay.Post{attached("a3", second, nil), block("a3", "a2", owner.Did(printed(domain.Update, owner, second)))},
			"bob.id 3 " + owner.Address() + " 2 - true; price 2; subdomains sub second 1", registered,
		},
		"replay of an older sequence": {
			[]replay.Post{
				block("a3", "a2", owner.Did(printed(domain.Update, owner, second)), owner.Did(printed(domain.Update, owner, first))), attached("a3", first, nil), attached("a3", second, nil),
			},
			"bob.id 3 " + owner.Address() + " 2 - true; price 2; subdomains sub second 1", registered,
		},
		"zonefiles of others": {
			[]replay.Post{
				attached("a2", second, func(entry map[string]any) { entry["contract_id"] = "ST000000000000000000002AMW42H.other" }),
				attached("a2", second, func(entry map[string]any) { entry["content"] = "0x00" }), // has another hash
				attached("a2", second, func(entry map[string]any) { delete(entry, "content") }),
				{Path: "/attachments/new", Body: bytes.Join([][]byte{ // one of another network, beside one without content
					bytes.TrimSuffix(attached("a2", second, func(entry map[string]any) { entry["contract_id"] = domain.MainnetContract }).Body, []byte("]")),
					bytes.TrimPrefix(attached("a2", second, func(entry map[string]any) { delete(entry, "content") }).Body, []byte("[")),
				}, []byte(","))},
				block("a3", "a2", owner.Did(printed(domain.Update, owner, second))),
			},
			"bob.id 3 " + owner.Address() + " 2 - true; price 2; subdomains -", registered,
		},
		"revocation": {
			[]replay.Post{block("a3", "a2", owner.Did(printed(domain.Revoke, owner, "")))},
			"bob.id 6 " + owner.Address() + " 2 - false; price 2; subdomains -", registered,
		},
		"prices": {[]replay.Post{block("a3", "a2", priced)}, "bob.id 1 " + owner.Address() + " 2 - true; price 5; subdomains -", registered},
		"import": {
			[]replay.Post{block("a3", "a2", owner.Did(given(buyer.Address()), printed(domain.Import, owner, "")))},
			"bob.id 2 " + buyer.Address() + " - 3 true; price 2; subdomains -", registered,
		},
		"what nobody can read": {
			[]replay.Post{block("a3", "a2", owner.Did(body.Print(contract, clarity.NewUint64(1)), body.Print(contract, value.Tuple("attachment", value.Tuple("hash", value.Buffer("x"))))))},
			registered, registered,
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			state := func(posts []replay.Post, size int) string {
				tx := rig.Begin(t)
				defer replay.End(t, tx)
				rig.FoldPosts(t, tx, posts, size)
				parts := rig.Texts(t, tx, `
					SELECT concat_ws('; ',
						coalesce((SELECT string_agg(concat_ws(' ', o.name, o.operation, o.owner, coalesce(o.registered_at::text, '-'), coalesce(o.imported_at::text, '-'), w.listed::text), ', ')
							FROM (SELECT * FROM {schema}.operation ORDER BY n DESC LIMIT 1) o JOIN {schema}.name w USING (name)), '-'),
						'price ' || (SELECT price_base FROM {schema}.namespace ORDER BY n DESC LIMIT 1),
						'subdomains ' || coalesce((SELECT concat_ws(' ', label, owner, sequence) FROM {schema}.subdomain ORDER BY sequence DESC, n DESC, place DESC LIMIT 1), '-'))`)
				return strings.Join(parts, " ")
			}
			posts := append(base[:len(base):len(base)], tc.above...)
			longer := append(posts[:len(posts):len(posts)], block("b3", "a2"), block("b4", "b3"))
			for _, size := range []int{1, 100} {
				if got := state(posts, size); got != tc.with {
					t.Errorf("batches of %d: got %s, want %s", size, got, tc.with)
				}
				if got := state(longer, size); got != tc.after {
					t.Errorf("reverted in batches of %d: got %s, want %s", size, got, tc.after)
				}
			}
			unregistered := append(posts[:len(posts):len(posts)], block("c2", "a1"), block("c3", "c2"), block("c4", "c3"), block("c5", "c4"))
			if got, want := state(unregistered, 1), "-; price 2; subdomains -"; got != want {
				t.Errorf("registration reverted: got %s, want %s", got, want)
			}
		})
	}
}

// TestClock counts tenures from Nakamoto on, also where a node does not tell their heights.
func TestClock(t *testing.T) {
	t.Parallel()
	change := func(cause transaction.TenureCause) body.Transaction {
		return body.Transaction{Raw: owner.Sign(0, 0, &transaction.TenureChange{Cause: cause})}
	}
	at := func(name, parent string, members map[string]any, transactions ...body.Transaction) replay.Post {
		return body.Block{Name: name, Parent: parent, Burn: "100a", Transactions: append(transactions, owner.Did()), Members: members}.Post()
	}
	nakamoto := map[string]any{"block_time": 1_700_000_000}
	tx := rig.Begin(t)
	rig.Fold(t, tx, rig.Steps(t, tx, []replay.Post{
		block(body.Genesis, ""), at("a1", body.Genesis, nil), at("a2", "a1", map[string]any{"tenure_height": 2}), // before Nakamoto they are equal
		at("a3", "a2", map[string]any{"block_time": 1_700_000_000, "tenure_height": 3}),
		at("a4", "a3", map[string]any{"block_time": 1_700_000_000, "tenure_height": 3}),
		at("a5", "a4", nakamoto, change(transaction.TenureExtended)), at("a6", "a5", nakamoto, change(transaction.TenureBlockFound)), at("a7", "a6", nakamoto),
	}), func() int { return 2 })
	if got, want := strings.Join(rig.Texts(t, tx, `SELECT clock::text FROM {schema}.block ORDER BY height`), " "), "0 1 2 3 3 3 4 4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
