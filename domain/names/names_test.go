package names_test

import (
	"encoding/hex"
	"errors"
	"math/big"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/names"
	"strata/internal/testkit/must"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"bob.btc": true, "a-_9.id": true, strings.Repeat("a", 48) + "." + strings.Repeat("b", 20): true,
		"": false, "bob": false, ".btc": false, "bob.": false, "Bob.btc": false, "a.b.c": false, "é.btc": false,
		strings.Repeat("a", 49) + ".btc": false, "a." + strings.Repeat("b", 21): false, "bo b.btc": false,
	} {
		n, err := names.Parse(text)
		if (err == nil) != want || want && n.String() != text || !want && !errors.Is(err, names.ErrName) {
			t.Errorf("%q: got %v, %v", text, n, err)
		}
	}
}

// The token's id of bob.btc, from the reference of the codec.
func TestKey(t *testing.T) {
	t.Parallel()
	const raw = "0c00000002046e616d650200000003626f62096e616d6573706163650200000003627463"
	b := must.Get(hex.DecodeString(raw))(t)
	v := must.Get(clarity.DecodeAll(b))(t)
	n, ok := names.ReadKey(v)
	if !ok || n.String() != "bob.btc" {
		t.Errorf("got %v, %t", n, ok)
	}
	again, err := n.Key()
	if err != nil || !again.Equal(v) {
		t.Errorf("got %s, %v, want 0x%s", again.Hex(), err, raw)
	}
	for _, other := range []clarity.Value{clarity.NewNone(), clarity.NewUint64(1), {}} {
		if n, ok := names.ReadKey(other); ok {
			t.Errorf("%s is the key of %v", other.Repr(), n)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"SP000000000000000000002Q6VF78.bns": true, "ST000000000000000000002AMW42H.bns": true,
		"SP000000000000000000002Q6VF78.bns2": false, "SP000000000000000000002Q6VF78": false, "x.bns": false,
		"SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF.bns": false,
	} {
		if got := names.IsContractText(text); got != want {
			t.Errorf("%s: got %t", text, got)
		}
		if got := names.IsAsset(text + "::names"); got != want {
			t.Errorf("%s::names: got %t", text, got)
		}
	}
	if names.IsAsset("SP000000000000000000002Q6VF78.bns::other") {
		t.Error("another asset of the contract is taken for names")
	}
}

// id is the price function of the namespace id as it was launched in genesis.
func id() *names.PriceFunction {
	p := &names.PriceFunction{
		Base: big.NewInt(4), Coefficient: big.NewInt(250), NonAlphaDiscount: big.NewInt(10), NoVowelDiscount: big.NewInt(20),
	}
	for i, e := range []int64{6, 5, 4, 3, 2, 1} {
		p.Buckets[i] = big.NewInt(e)
	}
	for i := 6; i < names.BucketCount; i++ {
		p.Buckets[i] = new(big.Int)
	}
	return p
}

func TestNamePrice(t *testing.T) {
	t.Parallel()
	huge := id()
	huge.Base, huge.Buckets[0] = big.NewInt(2), big.NewInt(127)
	huge.Coefficient = big.NewInt(2)
	tens := id()
	tens.Base, tens.Buckets[0], tens.Coefficient = big.NewInt(2), big.NewInt(125), big.NewInt(1)
	free := id()
	free.NonAlphaDiscount, free.NoVowelDiscount = new(big.Int), new(big.Int)
	for _, tc := range []struct {
		p           *names.PriceFunction
		label, want string
	}{
		{id(), "a", "10240000"},   // 250 · 4^6 · 10
		{id(), "ab", "2560000"},   // a vowel
		{id(), "bc", "128000"},    // none: a twentieth
		{id(), "a1", "256000"},    // a digit: a tenth
		{id(), "b1", "128000"},    // the larger of both discounts
		{id(), "-", "512000"},     //
		{id(), "abcdefg", "2500"}, // exponent 0
		{id(), strings.Repeat("a", 48), "2500"},
		{id(), "É", "128000"}, // two bytes, none of them a vowel
		{id(), "", ""}, {id(), strings.Repeat("a", 49), ""},
		{huge, "a", ""}, // 2^128
		{tens, "a", ""}, // 10 · 2^125
		{free, "a", "10240000"},
		{free, "1", ""},            // a division by zero
		{free, "bcdfghjk", "2500"}, // the greater one of 0 and 1
	} {
		got, err := tc.p.NamePrice(tc.label)
		if tc.want == "" {
			if !errors.Is(err, names.ErrPrice) {
				t.Errorf("%q: got %v, %v, want ErrPrice", tc.label, got, err)
			}
		} else if err != nil || got.String() != tc.want {
			t.Errorf("%q: got %v, %v, want %s", tc.label, got, err, tc.want)
		}
	}
}

func TestNamespacePrice(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]string{
		1: "640000000000", 2: "64000000000", 3: "64000000000", 4: "6400000000", 7: "6400000000", 8: "640000000", 20: "640000000",
	} {
		if got, err := names.NamespacePrice(strings.Repeat("x", length)); err != nil || got.String() != want {
			t.Errorf("length %d: got %v, %v, want %s", length, got, err, want)
		}
	}
	for _, length := range []int{0, 21} {
		if got, err := names.NamespacePrice(strings.Repeat("x", length)); !errors.Is(err, names.ErrPrice) {
			t.Errorf("length %d: got %v, %v", length, got, err)
		}
	}
}

func TestLease(t *testing.T) {
	t.Parallel()
	at := func(n int64) *int64 { return &n }
	term := func(lifetime int64) *names.Term {
		return &names.Term{RevealedAt: big.NewInt(100), LaunchedAt: big.NewInt(200), Lifetime: big.NewInt(lifetime)}
	}
	for name, tc := range map[string]struct {
		lease names.Lease
		term  *names.Term
		want  string
	}{
		"registered":              {names.Lease{RegisteredAt: at(300)}, term(1000), "1300"},
		"never expires":           {names.Lease{RegisteredAt: at(300)}, term(0), "<nil>"},
		"imported before launch":  {names.Lease{ImportedAt: at(150)}, term(1000), "1200"},
		"imported at reveal":      {names.Lease{ImportedAt: at(100)}, term(1000), "1200"},
		"imported at launch":      {names.Lease{ImportedAt: at(200)}, term(1000), "1200"},
		"imported before reveal":  {names.Lease{ImportedAt: at(99)}, term(1000), "1000"},
		"imported, not launched":  {names.Lease{ImportedAt: at(150)}, &names.Term{RevealedAt: big.NewInt(100), Lifetime: big.NewInt(9)}, "<nil>"},
		"nothing known of it":     {names.Lease{}, term(1000), "<nil>"},
		"namespace is not known":  {names.Lease{RegisteredAt: at(300)}, nil, "<nil>"},
		"imported in genesis":     {names.Lease{ImportedAt: at(0)}, &names.Term{RevealedAt: new(big.Int), LaunchedAt: new(big.Int), Lifetime: big.NewInt(7)}, "7"},
		"renewed after an import": {names.Lease{RegisteredAt: at(900), ImportedAt: nil}, term(10), "910"},
	} {
		if got := tc.lease.Expires(tc.term); got.String() != tc.want {
			t.Errorf("%s: got %v, want %s", name, got, tc.want)
		}
	}
	expires := big.NewInt(1300)
	for height, want := range map[int64]names.Phase{0: names.Alive, 1300: names.Alive, 1301: names.InGrace, 6300: names.InGrace, 6301: names.Free} {
		if got := names.PhaseAt(height, expires); got != want {
			t.Errorf("at %d: got %v, want %v", height, got, want)
		}
	}
	if got := names.PhaseAt(1<<62, nil); got != names.Alive {
		t.Errorf("without an end: got %v", got)
	}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	for op := names.Register; op <= names.Revoke; op++ {
		if again, ok := names.ParseOperation(op.String()); !ok || again != op {
			t.Errorf("%d: got %v of %q", op, again, op)
		}
	}
	if op, ok := names.ParseOperation("name-preorder"); ok {
		t.Errorf("got %v", op)
	}
}
