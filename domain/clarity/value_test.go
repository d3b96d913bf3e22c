package clarity_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/internal/testkit/vector"
)

func TestAccessors(t *testing.T) {
	tuple := decode(t, "0c000000060161030162040163"+"0100000000000000000000000000000005"+"0164"+"0200000001aa"+"0165"+"0d0000000161"+"0166"+"0516"+address160)
	if v, ok := tuple.Field("a"); !ok || v.Type() != clarity.TypeTrue {
		t.Errorf("a = %v, %t", v.Repr(), ok)
	}
	if b, ok := field(t, tuple, "b").Bool(); b || !ok {
		t.Errorf("b = %t, %t", b, ok)
	}
	if n, ok := field(t, tuple, "c").Uint64(); n != 5 || !ok {
		t.Errorf("c = %d, %t", n, ok)
	}
	if n, ok := field(t, tuple, "c").Decimal(); n != "5" || !ok {
		t.Errorf("c = %s, %t", n, ok)
	}
	if b, ok := field(t, tuple, "d").Buffer(); !bytes.Equal(b, []byte{0xaa}) || !ok {
		t.Errorf("d = %x, %t", b, ok)
	}
	if s, ok := field(t, tuple, "e").Text(); s != "a" || !ok {
		t.Errorf("e = %s, %t", s, ok)
	}
	if p, ok := field(t, tuple, "f").Principal(); p.String() != "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7" || !ok {
		t.Errorf("f = %s, %t", p, ok)
	}
	if v, ok := tuple.Field("g"); ok || !v.IsZero() {
		t.Errorf("g = %v, %t, want none", v, ok)
	}
	if n := tuple.Len(); n != 6 {
		t.Errorf("Len = %d, want 6", n)
	}
}

func field(tb testing.TB, v clarity.Value, name string) clarity.Value {
	tb.Helper()
	f, ok := v.Field(name)
	if !ok {
		tb.Fatalf("%s has no field %s", v.Repr(), name)
	}
	return f
}

func TestFieldOrder(t *testing.T) {
	v := decode(t, "0c00000003016203016104016209") // b, a, b
	names := func(fields []clarity.Field) string {
		var all []string
		for _, f := range fields {
			all = append(all, f.Name+"="+f.Value.Repr())
		}
		return strings.Join(all, " ")
	}
	if got, want := names(v.Fields()), "b=true a=false b=none"; got != want {
		t.Errorf("Fields = %s, want %s", got, want)
	}
	if got, want := names(v.SortedFields()), "a=false b=none"; got != want {
		t.Errorf("SortedFields = %s, want %s", got, want)
	}
	if got := field(t, v, "b").Repr(); got != "none" {
		t.Errorf("Field(b) = %s, want none, the last one", got)
	}
	if got, want := v.Canonical(), vector.Bytes(t, "0c00000002016104016209"); !bytes.Equal(got, want) {
		t.Errorf("Canonical = %x, want %x", got, want)
	}
	if got, want := v.Encode(), v.Raw(); !bytes.Equal(got, want) {
		t.Errorf("Encode = %x, want %x", got, want)
	}
}

// TestWrongType calls every accessor on a value of every type. Only the accessor of the value's own type may succeed,
// and none may panic.
func TestWrongType(t *testing.T) {
	values := []clarity.Value{{}}
	for _, h := range []string{
		"0000000000000000000000000000000001", "0100000000000000000000000000000001", "0200000000", "03", "04",
		"0516" + address160, "0616" + address160 + "0161", "0703", "0803", "09", "0a03", "0b00000000", "0c00000000",
		"0d00000000", "0e00000000",
	} {
		values = append(values, decode(t, h))
	}
	for _, v := range values {
		successes := 0
		_, isInt := v.Int()
		_, isBool := v.Bool()
		_, isBuffer := v.Buffer()
		_, isText := v.Text()
		_, isPrincipal := v.Principal()
		_, isWrapper := v.Inner()
		for _, ok := range []bool{isInt, isBool, isBuffer, isText, isPrincipal, isWrapper, v.Elements() != nil, v.SortedFields() != nil} {
			if ok {
				successes++
			}
		}
		_, isDecimal := v.Decimal()
		_, isUint := v.Uint64()
		if isDecimal != isInt || isUint && v.Type() != clarity.TypeUint {
			t.Errorf("%s: Decimal %t, Uint64 %t, Int %t", v.Type(), isDecimal, isUint, isInt)
		}
		want := 1
		if v.IsZero() || v.Type() == clarity.TypeNone {
			want = 0
		}
		if successes != want {
			t.Errorf("%s: %d accessors succeed, want %d", v.Type(), successes, want)
		}
		_, _ = v.Repr(), v.TypeText()
	}
}

func TestIntValues(t *testing.T) {
	for _, h := range []string{
		"0000000000000000000000000000000000", "00ffffffffffffffffffffffffffffffff", "0080000000000000000000000000000000",
		"00ffffffffffffffff0000000000000000", "01ffffffffffffffffffffffffffffffff", "0100000000000000010000000000000000",
	} {
		v := decode(t, h)
		n, _ := v.Int()
		if got, _ := v.Decimal(); got != n.String() {
			t.Errorf("%s: Decimal = %s, Int = %s", h, got, n)
		}
	}
	if n, ok := decode(t, "0100000000000000010000000000000000").Uint64(); ok {
		t.Errorf("Uint64 = %d for 2^64", n)
	}
	if n, _ := decode(t, "0080000000000000000000000000000000").Int(); n.Cmp(new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 127))) != 0 {
		t.Errorf("least int = %s", n)
	}
}

func TestJSON(t *testing.T) {
	for _, tc := range []struct{ name, hex, want string }{
		{"int", "00fffffffffffffffffffffffffffffffb", `{"repr":"-5","hex":"0x00fffffffffffffffffffffffffffffffb","type_id":0,"value":"-5"}`},
		{"uint", "0100000000000000000000000000000005", `{"repr":"u5","hex":"0x0100000000000000000000000000000005","type_id":1,"value":"5"}`},
		{"buffer", "0200000002aabb", `{"repr":"0xaabb","hex":"0x0200000002aabb","type_id":2,"buffer":"0xaabb"}`},
		{"true", "03", `{"repr":"true","hex":"0x03","type_id":3,"value":true}`},
		{"false", "04", `{"repr":"false","hex":"0x04","type_id":4,"value":false}`},
		{"standard principal", "0516" + address160, `{"repr":"'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7","hex":"0x0516` + address160 + `","type_id":5,"address_version":22,"address_hash_bytes":"0x` + address160 + `","address":"SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"}`},
		{"contract principal", "0616" + address160 + "03616263", `{"repr":"'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7.abc","hex":"0x0616` + address160 + `03616263","type_id":6,"address_version":22,"address_hash_bytes":"0x` + address160 + `","address":"SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7","contract_name":"abc"}`},
		{"ok", "0703", `{"repr":"(ok true)","hex":"0x0703","type_id":7,"value":{"repr":"true","hex":"0x03","type_id":3,"value":true}}`},
		{"none", "09", `{"repr":"none","hex":"0x09","type_id":9}`},
		{"list", "0b000000020309", `{"repr":"(list true none)","hex":"0x0b000000020309","type_id":11,"list":[{"repr":"true","hex":"0x03","type_id":3,"value":true},{"repr":"none","hex":"0x09","type_id":9}]}`},
		{"tuple", "0c00000002016209013c03", `{"repr":"(tuple (< true) (b none))","hex":"0x0c00000002016209013c03","type_id":12,"data":{"<":{"repr":"true","hex":"0x03","type_id":3,"value":true},"b":{"repr":"none","hex":"0x09","type_id":9}}}`},
		{"ascii", "0d0000000461220aff", `{"repr":"\"a\\\"\\n\\xff\"","hex":"0x0d0000000461220aff","type_id":13,"data":"a\"\n�"}`},
		{"utf8", "0e00000004c3a9005c", `{"repr":"u\"\\u{c3a9}\\x00\\\\\"","hex":"0x0e00000004c3a9005c","type_id":14,"data":"é\u0000\\"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := decode(t, tc.hex).MarshalJSON()
			if err != nil || string(got) != tc.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tc.want)
			}
			if !json.Valid(got) {
				t.Errorf("not JSON: %s", got)
			}
		})
	}
	if b, err := (clarity.Value{}).MarshalJSON(); err == nil {
		t.Errorf("zero Value as %s, want an error", b)
	}
}
