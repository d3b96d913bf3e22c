package clarity_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/lossy"
	"strata/internal/testkit/vector"

	"pgregory.net/rapid"
)

// rebuild constructs a copy of v from the results of its accessors.
func rebuild(tb interface {
	Helper()
	Fatalf(string, ...any)
}, v clarity.Value) clarity.Value {
	tb.Helper()
	must := func(built clarity.Value, err error) clarity.Value {
		tb.Helper()
		if err != nil {
			tb.Fatalf("rebuild %s: %v", v.Repr(), err)
		}
		return built
	}
	switch v.Type() {
	case clarity.TypeInt:
		n, _ := v.Int()
		return must(clarity.NewInt(n))
	case clarity.TypeUint:
		n, _ := v.Int()
		return must(clarity.NewUint(n))
	case clarity.TypeBuffer:
		b, _ := v.Buffer()
		return must(clarity.NewBuffer(b))
	case clarity.TypeTrue, clarity.TypeFalse:
		b, _ := v.Bool()
		return clarity.NewBool(b)
	case clarity.TypePrincipal, clarity.TypeContractPrincipal:
		p, _ := v.Principal()
		return must(clarity.NewPrincipal(p))
	case clarity.TypeOk:
		inner, _ := v.Inner()
		return clarity.NewOk(rebuild(tb, inner))
	case clarity.TypeErr:
		inner, _ := v.Inner()
		return clarity.NewErr(rebuild(tb, inner))
	case clarity.TypeSome:
		inner, _ := v.Inner()
		return clarity.NewSome(rebuild(tb, inner))
	case clarity.TypeNone:
		return clarity.NewNone()
	case clarity.TypeList:
		var elements []clarity.Value
		for _, element := range v.Elements() {
			elements = append(elements, rebuild(tb, element))
		}
		return must(clarity.NewList(elements...))
	case clarity.TypeTuple:
		var fields []clarity.Field
		for _, f := range v.Fields() {
			fields = append(fields, clarity.Field{Name: f.Name, Value: rebuild(tb, f.Value)})
		}
		return must(clarity.NewTuple(fields...))
	case clarity.TypeASCII:
		s, _ := v.Text()
		return must(clarity.NewASCII(s))
	case clarity.TypeUTF8:
		s, _ := v.Text()
		return must(clarity.NewUTF8(s))
	}
	tb.Fatalf("rebuild: unknown type %s", v.Type())
	return clarity.Value{}
}

func twoTo(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }

func TestConstructors(t *testing.T) {
	address := c32.Address{Version: c32.MainnetSingle, Hash160: [20]byte(vector.Bytes(t, address160))}
	one := clarity.NewUint64(1)
	for _, tc := range []struct {
		name string
		make func() (clarity.Value, error)
		hex  string
		err  error
	}{
		{"int", func() (clarity.Value, error) { return clarity.NewInt(big.NewInt(-5)) }, "00fffffffffffffffffffffffffffffffb", nil},
		{"int64", func() (clarity.Value, error) { return clarity.NewInt64(-5), nil }, "00fffffffffffffffffffffffffffffffb", nil},
		{"positive int64", func() (clarity.Value, error) { return clarity.NewInt64(5), nil }, "0000000000000000000000000000000005", nil},
		{"least int", func() (clarity.Value, error) { return clarity.NewInt(new(big.Int).Neg(twoTo(127))) }, "0080000000000000000000000000000000", nil},
		{"int too great", func() (clarity.Value, error) { return clarity.NewInt(twoTo(127)) }, "", clarity.ErrRange},
		{"uint too great", func() (clarity.Value, error) { return clarity.NewUint(twoTo(128)) }, "", clarity.ErrRange},
		{"uint below zero", func() (clarity.Value, error) { return clarity.NewUint(big.NewInt(-1)) }, "", clarity.ErrRange},
		{"buffer", func() (clarity.Value, error) { return clarity.NewBuffer([]byte{0xaa}) }, "0200000001aa", nil},
		{"buffer too long", func() (clarity.Value, error) { return clarity.NewBuffer(make([]byte, clarity.MaxLength+1)) }, "", clarity.ErrTooLong},
		{"ascii", func() (clarity.Value, error) { return clarity.NewASCII("a\n") }, "0d00000002610a", nil},
		{"ascii with é", func() (clarity.Value, error) { return clarity.NewASCII("é") }, "", clarity.ErrText},
		{"utf8", func() (clarity.Value, error) { return clarity.NewUTF8("é") }, "0e00000002c3a9", nil},
		{"ill-formed utf8", func() (clarity.Value, error) { return clarity.NewUTF8("\xc3(") }, "", clarity.ErrText},
		{"principal", func() (clarity.Value, error) { return clarity.NewPrincipal(clarity.Principal{Address: address}) }, "0516" + address160, nil},
		{"contract", func() (clarity.Value, error) {
			return clarity.NewPrincipal(clarity.Principal{Address: address, Contract: "abc"})
		}, "0616" + address160 + "03616263", nil},
		{"illegal contract name", func() (clarity.Value, error) {
			return clarity.NewPrincipal(clarity.Principal{Address: address, Contract: "a.b"})
		}, "", clarity.ErrName},
		{"illegal address version", func() (clarity.Value, error) {
			return clarity.NewPrincipal(clarity.Principal{Address: c32.Address{Version: 99}})
		}, "", clarity.ErrVersion},
		{"wrapped", func() (clarity.Value, error) {
			return clarity.NewOk(clarity.NewSome(clarity.NewErr(clarity.NewNone()))), nil
		}, "070a0809", nil},
		{"list", func() (clarity.Value, error) { return clarity.NewList(clarity.NewBool(true), clarity.NewBool(false)) }, "0b000000020304", nil},
		{"mixed list", func() (clarity.Value, error) { return clarity.NewList(clarity.NewBool(true), one) }, "", clarity.ErrListType},
		{"list of a zero Value", func() (clarity.Value, error) { return clarity.NewList(clarity.NewSome(clarity.Value{})) }, "", clarity.ErrNoValue},
		{"tuple", func() (clarity.Value, error) {
			return clarity.NewTuple(clarity.Field{Name: "b", Value: clarity.NewBool(false)}, clarity.Field{Name: "a", Value: clarity.NewBool(true)})
		}, "0c00000002016103016204", nil},
		{"duplicate tuple key", func() (clarity.Value, error) {
			return clarity.NewTuple(clarity.Field{Name: "a", Value: one}, clarity.Field{Name: "a", Value: one})
		}, "", clarity.ErrDuplicateKey},
		{"illegal tuple key", func() (clarity.Value, error) { return clarity.NewTuple(clarity.Field{Name: "", Value: one}) }, "", clarity.ErrName},
		{"tuple of a zero Value", func() (clarity.Value, error) { return clarity.NewTuple(clarity.Field{Name: "a"}) }, "", clarity.ErrNoValue},
		{"name key", func() (clarity.Value, error) {
			name, err := clarity.NewBuffer([]byte("bob"))
			if err != nil {
				return name, err
			}
			namespace, err := clarity.NewBuffer([]byte("btc"))
			if err != nil {
				return namespace, err
			}
			return clarity.NewTuple(clarity.Field{Name: "namespace", Value: namespace}, clarity.Field{Name: "name", Value: name})
		}, "0c00000002046e616d650200000003626f62096e616d6573706163650200000003627463", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := tc.make()
			if !errors.Is(err, tc.err) {
				t.Fatalf("err = %v, want %v", err, tc.err)
			}
			if err != nil {
				return
			}
			if got := v.Hex(); got != "0x"+tc.hex {
				t.Errorf("Hex = %s, want 0x%s", got, tc.hex)
			}
		})
	}
}

// anyValue draws a value that a node accepts, with at most depth levels below it.
func anyValue(t *rapid.T, depth int) clarity.Value {
	must := func(v clarity.Value, err error) clarity.Value {
		if err != nil {
			t.Fatalf("construct value: %v", err)
		}
		return v
	}
	types := 11
	if depth == 0 {
		types = 6
	}
	switch rapid.IntRange(0, types).Draw(t, "type") {
	case 0:
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "uint"))
		return must(clarity.NewUint(n))
	case 1:
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "int"))
		return must(clarity.NewInt(n.Sub(n, twoTo(127))))
	case 2:
		return must(clarity.NewBuffer(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "buffer")))
	case 3:
		return clarity.NewBool(rapid.Bool().Draw(t, "bool"))
	case 4:
		p := clarity.Principal{Address: c32.Address{Version: rapid.ByteRange(0, 31).Draw(t, "version")}}
		copy(p.Address.Hash160[:], rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "hash160"))
		p.Contract = rapid.StringMatching(`([a-zA-Z][a-zA-Z0-9_-]{0,127})?`).Draw(t, "contract")
		return must(clarity.NewPrincipal(p))
	case 5:
		return must(clarity.NewASCII(rapid.StringMatching(`[ -~\t\n\f\r]*`).Draw(t, "ascii")))
	case 6:
		return must(clarity.NewUTF8(rapid.String().Draw(t, "utf8")))
	case 7:
		return clarity.NewNone()
	case 8:
		wrap := rapid.SampledFrom([]func(clarity.Value) clarity.Value{clarity.NewOk, clarity.NewErr, clarity.NewSome}).Draw(t, "wrapper")
		return wrap(anyValue(t, depth-1))
	case 9: // copies of one element certainly have a common type
		element := anyValue(t, depth-1)
		elements := make([]clarity.Value, rapid.IntRange(0, 4).Draw(t, "length"))
		for i := range elements {
			elements[i] = element
		}
		return must(clarity.NewList(elements...))
	default:
		var fields []clarity.Field
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,20}`), 0, 5, rapid.ID).Draw(t, "keys") {
			fields = append(fields, clarity.Field{Name: name, Value: anyValue(t, depth-1)})
		}
		return must(clarity.NewTuple(fields...))
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(t, 4)
		got, err := clarity.DecodeAll(v.Raw(), clarity.Strict())
		if err != nil || !got.Equal(v) {
			t.Fatalf("%s reads back as %s, %v", v.Hex(), got.Hex(), err)
		}
		if again := v.Canonical(); !bytes.Equal(again, v.Encode()) {
			t.Fatalf("Canonical of %s = %x", v.Hex(), again)
		}
		if again := rebuild(t, v); !again.Equal(v) {
			t.Fatalf("%s rebuilt as %s", v.Hex(), again.Hex())
		}
		if want := plainRepr(v); v.Repr() != want {
			t.Fatalf("Repr = %s, want %s", v.Repr(), want)
		}
		if js, err := v.MarshalJSON(); err != nil || !json.Valid(js) {
			t.Fatalf("JSON %s, %v", js, err)
		}
	})
}

// plainRepr is a slow reference implementation of Repr on top of the accessors.
func plainRepr(v clarity.Value) string {
	escape := func(c byte) string {
		if i := strings.IndexByte("\t\n\r'\"\\", c); i >= 0 {
			return `\` + string(`tnr'"\`[i])
		}
		if c < 0x20 || c > 0x7e {
			return fmt.Sprintf(`\x%02x`, c)
		}
		return string(rune(c))
	}
	inner, _ := v.Inner()
	switch v.Type() {
	case clarity.TypeInt:
		n, _ := v.Int()
		return n.String()
	case clarity.TypeUint:
		n, _ := v.Int()
		return "u" + n.String()
	case clarity.TypeBuffer:
		b, _ := v.Buffer()
		return fmt.Sprintf("0x%x", b)
	case clarity.TypeTrue, clarity.TypeFalse:
		b, _ := v.Bool()
		return fmt.Sprint(b)
	case clarity.TypePrincipal, clarity.TypeContractPrincipal:
		p, _ := v.Principal()
		return "'" + p.String()
	case clarity.TypeOk:
		return "(ok " + plainRepr(inner) + ")"
	case clarity.TypeErr:
		return "(err " + plainRepr(inner) + ")"
	case clarity.TypeSome:
		return "(some " + plainRepr(inner) + ")"
	case clarity.TypeNone:
		return "none"
	case clarity.TypeList:
		text := "(list"
		for _, element := range v.Elements() {
			text += " " + plainRepr(element)
		}
		return text + ")"
	case clarity.TypeTuple:
		text := "(tuple"
		for _, f := range v.SortedFields() {
			text += " (" + f.Name + " " + plainRepr(f.Value) + ")"
		}
		return text + ")"
	case clarity.TypeASCII:
		text := `"`
		for _, c := range v.Raw()[5:] {
			text += escape(c)
		}
		return text + `"`
	default:
		text := `u"`
		for _, r := range lossy.String(v.Raw()[5:]) {
			if r < utf8.RuneSelf {
				text += escape(byte(r))
			} else {
				text += fmt.Sprintf(`\u{%x}`, string(r))
			}
		}
		return text + `"`
	}
}

// TestDeepUnsortedTuples nests unsorted tuples to the greatest depth. If rendering doubled its work at each level, it
// would not end.
func TestDeepUnsortedTuples(t *testing.T) {
	value, want := "03", "true"
	for range clarity.DefaultDepth - 1 {
		value = "0c00000002" + "0162" + value + "016109"
		want = "(tuple (a none) (b " + want + "))"
	}
	v := decode(t, value)
	if got := v.Repr(); got != want {
		t.Errorf("Repr = %s, want %s", got, want)
	}
	if _, err := clarity.DecodeAll(v.Canonical(), clarity.Strict()); err != nil {
		t.Errorf("canonical form: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, h := range []string{
		"00fffffffffffffffffffffffffffffffb", "01ffffffffffffffffffffffffffffffff", "0200000003aabbcc", "0703",
		"0516" + address160, "0616" + address160 + "03616263", "0b000000020304", "0c00000003016203016104016209",
		"0d00000008090a0d27225c7fff", "0e00000004f0288cbc", "0a0b000000010c00000001016109",
	} {
		f.Add(vector.Bytes(f, h))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n, err := clarity.Decode(b)
		if err != nil {
			if _, _, err := clarity.Decode(b, clarity.Strict()); err == nil {
				t.Errorf("%x: strict decoding accepts what lenient decoding refuses", b)
			}
			return
		}
		if !bytes.Equal(v.Raw(), b[:n]) {
			t.Errorf("Raw = %x, want %x", v.Raw(), b[:n])
		}
		if want := plainRepr(v); v.Repr() != want {
			t.Errorf("Repr = %s, want %s", v.Repr(), want)
		}
		_ = v.TypeText()
		if js, err := v.MarshalJSON(); err != nil || !json.Valid(js) {
			t.Errorf("JSON %s, %v", js, err)
		}
		canonical := v.Canonical()
		again, err := clarity.DecodeAll(canonical)
		if err != nil || again.Repr() != v.Repr() || !bytes.Equal(again.Canonical(), canonical) {
			t.Errorf("%x has the canonical form %x: %s, %v", b[:n], canonical, again.Repr(), err)
		}
		if strict, _, err := clarity.Decode(b, clarity.Strict()); err == nil {
			if again := rebuild(t, strict); !bytes.Equal(again.Raw(), canonical) {
				t.Errorf("%x rebuilt as %x", b[:n], again.Raw())
			}
		}
	})
}

// swapPrint is a typical print event of a swap: a tuple of text, numbers, principals and an optional.
const swapPrint = "0c00000006" + "06616374696f6e" + "0d00000004" + "73776170" +
	"09616d6f756e742d696e" + "0100000000000000000000000005f5e100" +
	"0a616d6f756e742d6f7574" + "0100000000000000000000000000bc614e" +
	"046d656d6f" + "0a0200000010" + "00112233445566778899aabbccddeeff" +
	"04706f6f6c" + "0616" + address160 + "09" + "706f6f6c2d312d3276" +
	"0673656e646572" + "0516" + address160

func BenchmarkDecodeRepr(b *testing.B) {
	raw := vector.Bytes(b, swapPrint)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		v, _, err := clarity.Decode(raw)
		if err != nil {
			b.Fatal(err)
		}
		_ = v.Repr()
	}
}

func BenchmarkDecode(b *testing.B) {
	raw := vector.Bytes(b, swapPrint)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, _, err := clarity.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkField(b *testing.B) {
	v := decode(b, swapPrint)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := v.Field("pool"); !ok {
			b.Fatal("no field pool")
		}
	}
}

func BenchmarkTypeText(b *testing.B) {
	v := decode(b, swapPrint)
	b.ReportAllocs()
	for b.Loop() {
		_ = v.TypeText()
	}
}
