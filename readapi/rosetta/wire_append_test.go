package rosetta_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"strata/internal/testkit/must"
	"strata/readapi/rosetta/internal/wire"
)

// reflected returns a value as encoding/json writes it without escapes for HTML.
func reflected(t *rapid.T, value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	must.Do(t, encoder.Encode(value))
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// some draws a value, or nil.
func some[T any](t *rapid.T, of *rapid.Generator[T]) *T {
	return rapid.Ptr(of, true).Draw(t, "pointer")
}

// TestAppend checks that any answer is appended as encoding/json writes it.
func TestAppend(t *testing.T) {
	texts := rapid.OneOf(
		rapid.String(), rapid.StringMatching(`[a-z_]{0,6}`), rapid.SampledFrom([]string{"<&>", "\u2028\u2029", "\x00\x1f\x7f", "\xff\xfe", `"\`, "é"}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
	)
	members := rapid.MapOfN(texts, rapid.OneOf(
		rapid.Map(texts, func(s string) any { return s }), rapid.Map(texts, func(s string) any { return &s }),
		rapid.SampledFrom([]any{nil, (*string)(nil), true, false, int64(math.MinInt64), 7, 1.5, []string{"<"}, map[string]any(nil), map[string]any{"b": "<", "a": nil}}),
	), 0, 12)
	metadata := func(t *rapid.T) map[string]any {
		return rapid.OneOf(members, rapid.Just(map[string]any(nil))).Draw(t, "metadata")
	}
	text := func(t *rapid.T) string { return texts.Draw(t, "text") }
	number := rapid.Int64()
	identifier := func(t *rapid.T) wire.OperationIdentifier {
		return wire.OperationIdentifier{Index: number.Draw(t, "index"), NetworkIndex: some(t, number)}
	}
	operations := rapid.Custom(func(t *rapid.T) wire.Operation {
		o := wire.Operation{OperationIdentifier: identifier(t), Type: text(t), Status: some(t, texts), Metadata: metadata(t)}
		for range rapid.IntRange(0, 2).Draw(t, "related") {
			o.RelatedOperations = append(o.RelatedOperations, identifier(t))
		}
		if rapid.Bool().Draw(t, "account") {
			o.Account = &wire.AccountIdentifier{Address: text(t), Metadata: metadata(t)}
			if rapid.Bool().Draw(t, "sub-account") {
				o.Account.SubAccount = &wire.SubAccount{Address: text(t), Metadata: metadata(t)}
			}
		}
		if rapid.Bool().Draw(t, "amount") {
			o.Amount = &wire.Amount{Value: text(t), Currency: wire.Currency{Symbol: text(t), Decimals: rapid.Int32().Draw(t, "decimals")}, Metadata: metadata(t)}
			if rapid.Bool().Draw(t, "currency") {
				o.Amount.Currency.Metadata = &wire.CurrencyMetadata{TokenType: text(t), AssetIdentifier: text(t), Value: text(t)}
			}
		}
		if rapid.Bool().Draw(t, "coin") {
			o.CoinChange = &wire.CoinChange{CoinIdentifier: wire.CoinIdentifier{Identifier: text(t)}, CoinAction: text(t)}
		}
		return o
	})
	transactions := rapid.Custom(func(t *rapid.T) wire.Transaction {
		tx := wire.Transaction{TransactionIdentifier: wire.TransactionIdentifier{Hash: text(t)}}
		if n := rapid.IntRange(-1, 2).Draw(t, "operations"); n >= 0 {
			tx.Operations = []wire.Operation{}
			for range n {
				tx.Operations = append(tx.Operations, operations.Draw(t, "operation"))
			}
		}
		if m := metadata(t); m != nil {
			tx.Metadata = m
		}
		return tx
	})
	rapid.Check(t, func(t *rapid.T) {
		id := func() wire.BlockIdentifier {
			return wire.BlockIdentifier{Index: number.Draw(t, "index"), Hash: text(t)}
		}
		answer := wire.BlockAnswer{Block: wire.Block{
			BlockIdentifier: id(), ParentBlockIdentifier: id(), Timestamp: number.Draw(t, "time"), Metadata: metadata(t), Transactions: []wire.Transaction{},
		}}
		few := rapid.SliceOfN(transactions, 0, 3).Draw(t, "transactions")
		for i := range rapid.SampledFrom([]int{0, 1, 2, 60}).Draw(t, "number of transactions") {
			if len(few) > 0 {
				answer.Block.Transactions = append(answer.Block.Transactions, few[i%len(few)])
			}
		}
		for _, hash := range rapid.SliceOfN(texts, 0, 2).Draw(t, "others") {
			answer.Others = append(answer.Others, wire.TransactionIdentifier{Hash: hash})
		}
		want := reflected(t, answer)
		all := answer.Block.Transactions
		answer.Block.Transactions = nil
		got, err := answer.AppendJSON([]byte("before"), len(all), func(i int) *wire.Transaction { return &all[i] })
		if err != nil || string(got) != "before"+want {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	})
}

// TestAppendUnwritable checks that a value that JSON has no form for is an error.
func TestAppendUnwritable(t *testing.T) {
	for _, metadata := range []map[string]any{{"a": math.Inf(1)}, {"a": map[string]any{"b": make(chan int)}}} {
		o := wire.Operation{Metadata: metadata}
		if got, err := o.AppendJSON(nil); err == nil {
			t.Errorf("%v: got %s, want an error", metadata, got)
		}
	}
}
