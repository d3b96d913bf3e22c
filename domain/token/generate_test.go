package token_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	unicode "unicode/utf8"

	"strata/domain/clarity"
	"strata/domain/token"
	"strata/internal/synth/value"

	"pgregory.net/rapid"
)

// storable reports whether Postgres can hold a text.
func storable(s string) bool { return unicode.ValidString(s) && !strings.Contains(s, "\x00") }

var uints = rapid.Custom(func(t *rapid.T) *big.Int {
	high, low := rapid.Uint64().Draw(t, "high"), rapid.Uint64().Draw(t, "low")
	n := new(big.Int).SetUint64(high)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(low))
})

// words are words of prints, and some other words.
var words = rapid.SampledFrom([]string{
	"token-metadata-update", "ft", "nft", "sft", "standard", "frozen", "dynamic", "sometimes", "", deed, notifier, owner,
	"sft_mint", "sft_burn", "sft_transfer",
})

// spelling draws one of the forms in which contracts write a word.
func spelling(t *rapid.T, word string) clarity.Value {
	return rapid.SampledFrom([]clarity.Value{value.Text(word), utf8(word), value.Buffer(word)}).Draw(t, "spelling")
}

var leaves = rapid.Custom(func(t *rapid.T) clarity.Value {
	switch rapid.IntRange(0, 5).Draw(t, "leaf") {
	case 0:
		return value.Must(clarity.NewUint(uints.Draw(t, "uint")))
	case 1:
		return clarity.NewInt64(rapid.Int64().Draw(t, "int"))
	case 2:
		return value.Principal(rapid.SampledFrom([]string{deed, notifier, owner}).Draw(t, "principal")).Clarity()
	case 3:
		return clarity.NewNone()
	case 4:
		return clarity.NewBool(rapid.Bool().Draw(t, "bool"))
	}
	return spelling(t, words.Draw(t, "word"))
})

// values generates values of any type, often tuples that resemble prints.
func values(levels int) *rapid.Generator[clarity.Value] {
	if levels == 0 {
		return leaves
	}
	inner := rapid.OneOf(leaves, rapid.Deferred(func() *rapid.Generator[clarity.Value] { return values(levels - 1) }))
	names := []string{
		"notification", "payload", "token-class", "contract-id", "token-ids", "update-mode", "ttl", "type", "token-id", "amount", "other",
	}
	return rapid.Custom(func(t *rapid.T) clarity.Value {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return inner.Draw(t, "leaf")
		case 1:
			return clarity.NewSome(inner.Draw(t, "some"))
		case 2:
			return clarity.NewErr(inner.Draw(t, "err"))
		case 3:
			one := inner.Draw(t, "element")
			return list(one, one)
		}
		var parts []any
		for _, name := range names {
			if rapid.Bool().Draw(t, name) {
				parts = append(parts, name, inner.Draw(t, name))
			}
		}
		return value.Tuple(parts...)
	})
}

// check parses a value as every kind of print, and returns an error if a result is invalid.
func check(v clarity.Value) error {
	most := decimal("340282366920938463463374607431768211455")
	inRange := func(n *big.Int) bool { return n != nil && n.Sign() >= 0 && n.Cmp(most) <= 0 }
	if p, ok := token.ParseSFTPrint(v); ok && (!inRange(p.TokenID) || !inRange(p.Amount) || !strings.HasPrefix(string(p.Event), "sft_")) {
		return fmt.Errorf("SFT print %+v", p)
	}
	n, ok := token.ParseNotification(v)
	if !ok {
		return nil
	}
	if n.Class.SIP() == "" || n.Class == token.FT && n.TokenIDs != nil || n.Class == token.SFT && len(n.TokenIDs) == 0 {
		return fmt.Errorf("class %q with %d ids", n.Class, len(n.TokenIDs))
	}
	p, err := clarity.ParsePrincipal(n.Contract)
	if err != nil || !p.IsContract() || p.String() != n.Contract {
		return fmt.Errorf("contract %q: %w", n.Contract, err)
	}
	seen := make(map[string]bool)
	for _, id := range n.TokenIDs {
		if !inRange(id) || seen[id.String()] {
			return fmt.Errorf("ids %s", n.TokenIDs)
		}
		seen[id.String()] = true
	}
	switch n.Mode {
	case token.Standard, token.Frozen, token.Dynamic:
	default:
		return fmt.Errorf("mode %q", n.Mode)
	}
	if n.TTL != nil && (*n.TTL < 0 || *n.TTL > token.TTLMax) {
		return fmt.Errorf("ttl %d", *n.TTL)
	}
	if !n.AuthorisedBy(n.Contract, "") || !n.AuthorisedBy("", p.Address.String()) || n.AuthorisedBy(p.Address.String(), n.Contract) {
		return fmt.Errorf("authority over %s", n.Contract)
	}
	return nil
}

func TestPrintsOfAnyValue(t *testing.T) {
	any3 := values(3)
	rapid.Check(t, func(rt *rapid.T) {
		v := any3.Draw(rt, "value")
		if err := check(v); err != nil {
			rt.Fatalf("%s: %v", v.Repr(), err)
		}
		if err := check(value.Tuple("notification", value.Text("token-metadata-update"), "payload", v)); err != nil {
			rt.Fatalf("payload %s: %v", v.Repr(), err)
		}
	})
}

// A notification is recognised in all forms in which contracts write it.
func TestNotificationForms(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := token.Notification{
			Class:    rapid.SampledFrom([]token.Kind{token.FT, token.SFT, token.NFT}).Draw(rt, "class"),
			Contract: rapid.SampledFrom([]string{deed, notifier}).Draw(rt, "contract"),
			Mode:     rapid.SampledFrom([]token.UpdateMode{token.Standard, token.Frozen, token.Dynamic}).Draw(rt, "mode"),
		}
		id := rapid.OneOf(rapid.Just(value.Principal(want.Contract).Clarity()), rapid.Custom(func(t *rapid.T) clarity.Value { return spelling(t, want.Contract) }))
		payload := []any{"token-class", spelling(rt, string(want.Class)), "contract-id", id.Draw(rt, "id")}
		if want.Mode != token.Standard || rapid.Bool().Draw(rt, "explicit") {
			payload = append(payload, "update-mode", spelling(rt, string(want.Mode)))
		}
		if rapid.Bool().Draw(rt, "has ttl") {
			seconds := rapid.Int64Range(0, token.TTLMax).Draw(rt, "ttl")
			want.TTL = &seconds
			payload = append(payload, "ttl", clarity.NewUint64(uint64(seconds)))
		}
		if want.Class != token.FT {
			want.TokenIDs = rapid.SliceOfNDistinct(uints, 1, 5, func(n *big.Int) string { return n.String() }).Draw(rt, "ids")
			var elements []clarity.Value
			for _, n := range want.TokenIDs {
				elements = append(elements, value.Must(clarity.NewUint(n)))
			}
			payload = append(payload, "token-ids", list(elements...))
		}
		got, ok := token.ParseNotification(notice(payload...))
		if !ok || summary(got) != summary(want) {
			rt.Fatalf("got %s, %v, want %s", summary(got), ok, summary(want))
		}
	})
}
