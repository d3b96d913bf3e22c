package domain_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/contract"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// token is an interface in the newer shape. It also has a member and a type that do not exist yet.
const token = `{
	"functions": [
		{"name": "check", "access": "private", "args": [{"name": "who", "type": "principal"}], "outputs": {"type": "bool"}},
		{"name": "transfer", "access": "public", "args": [
			{"name": "amount", "type": "uint128"},
			{"name": "from", "type": "principal"},
			{"name": "to", "type": "principal"},
			{"name": "memo", "type": {"optional": {"buffer": {"length": 34}}}}
		], "outputs": {"type": {"response": {"ok": "bool", "error": "uint128"}}}},
		{"name": "get_config", "access": "read_only", "args": [], "outputs": {"type": {"tuple": [
			{"name": "label", "type": {"string-utf8": {"length": 5}}},
			{"name": "rates", "type": {"list": {"type": "int128", "length": 3}}}
		]}}}
	],
	"variables": [{"name": "owner", "type": "principal", "access": "variable"}],
	"maps": [{"name": "seen", "key": {"tuple": []}, "value": {"string-ascii": {"length": 7}}}],
	"fungible_tokens": [{"name": "gold"}],
	"non_fungible_tokens": [{"name": "deed", "type": {"callable": {"since": 9}}}],
	"epoch": "Epoch33",
	"clarity_version": "Clarity4",
	"weather": ["fair"]
}`

func parseContract(tb testing.TB, s string) *contract.Interface {
	tb.Helper()
	return must.Get(contract.Parse([]byte(s)))(tb)
}

func TestParseContract(t *testing.T) {
	abi := parseContract(t, token)
	if got, want := abi.Epoch+" "+abi.ClarityVersion, "Epoch33 Clarity4"; got != want {
		t.Errorf("epoch and version = %s, want %s", got, want)
	}
	for _, tc := range []struct{ name, got, want string }{
		{"function output", abi.Functions[1].Outputs.Type.String(), "(response bool uint)"},
		{"tuple", abi.Functions[2].Outputs.Type.String(), "(tuple (label (string-utf8 5)) (rates (list 3 int)))"},
		{"variable", abi.Variables[0].Type.String(), "principal"},
		{"map key", abi.Maps[0].Key.String(), "(tuple)"},
		{"map value", abi.Maps[0].Value.String(), "(string-ascii 7)"},
		{"token", abi.FungibleTokens[0].Name, "gold"},
		{"future type", abi.NonFungibleTokens[0].Type.String(), `{"callable": {"since": 9}}`},
	} {
		if tc.got != tc.want {
			t.Errorf("%s = %s, want %s", tc.name, tc.got, tc.want)
		}
	}
	for _, s := range []string{"", " null\n"} {
		if abi := parseContract(t, s); abi != nil {
			t.Errorf("Parse(%q) = %v, want nil", s, abi)
		}
	}
	for _, s := range []string{"{", "[]", `{"functions": 1}`, "1"} {
		if abi, err := contract.Parse([]byte(s)); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, abi)
		}
	}
	if abi := parseContract(t, `{"functions": null, "maps": []}`); len(abi.Functions) != 0 || abi.Epoch != "" {
		t.Errorf("older shape = %+v, want no functions and no epoch", abi)
	}
}

func TestContractTypeText(t *testing.T) {
	for js, want := range map[string]string{
		`"none"`:                                "none",
		`"int128"`:                              "int",
		`"uint128"`:                             "uint",
		`"bool"`:                                "bool",
		`"principal"`:                           "principal",
		`"trait_reference"`:                     "trait_reference",
		`{"buffer":{"length":32}}`:              "(buff 32)",
		`{"string-ascii":{"length":0}}`:         "(string-ascii 0)",
		`{"string-utf8":{"length":4294967295}}`: "(string-utf8 4294967295)",
		`{"optional":"bool"}`:                   "(optional bool)",
		`{"response":{"error":"none","ok":"bool"}}`:                               "(response bool none)",
		`{"list":{"length":2,"type":{"list":{"type":"bool","length":3}}}}`:        "(list 2 (list 3 bool))",
		`{"tuple":[{"name":"a","type":"bool"},{"name":"b","type":{"tuple":[]}}]}`: "(tuple (a bool) (b (tuple)))",
		// None of these is a known type.
		`"uint256"`:                                 "uint256",
		`{"buffer":{"length":-1}}`:                  `{"buffer":{"length":-1}}`,
		`{"buffer":{"length":4294967296}}`:          `{"buffer":{"length":4294967296}}`,
		`{"buffer":{"length":1.5}}`:                 `{"buffer":{"length":1.5}}`,
		`{"buffer":{"length":"1"}}`:                 `{"buffer":{"length":"1"}}`,
		`{"buffer":[]}`:                             `{"buffer":[]}`,
		`{"list":[]}`:                               `{"list":[]}`,
		`{"list":{"length":1}}`:                     `{"list":{"length":1}}`,
		`{"response":"bool"}`:                       `{"response":"bool"}`,
		`{"response":{"ok":"bool"}}`:                `{"response":{"ok":"bool"}}`,
		`{"tuple":{}}`:                              `{"tuple":{}}`,
		`{"tuple":[1]}`:                             `{"tuple":[1]}`,
		`{"tuple":[{"type":"bool"}]}`:               `{"tuple":[{"type":"bool"}]}`,
		`{"tuple":[{"name":"a"}]}`:                  `{"tuple":[{"name":"a"}]}`,
		`{}`:                                        `{}`,
		`{"optional":"bool","buffer":{"length":1}}`: `{"optional":"bool","buffer":{"length":1}}`,
		`7`: `7`,
	} {
		var typ contract.Type
		if err := json.Unmarshal([]byte(js), &typ); err != nil {
			t.Errorf("%s: %v", js, err)
			continue
		}
		if got := typ.String(); got != want {
			t.Errorf("%s = %s, want %s", js, got, want)
		}
		if got, err := json.Marshal(typ); err != nil || string(got) != js {
			t.Errorf("%s marshals as %s, %v", js, got, err)
		}
	}
	deep := strings.Repeat(`{"optional":`, 5000) + `"bool"` + strings.Repeat("}", 5000)
	var typ contract.Type
	if err := json.Unmarshal([]byte(deep), &typ); err != nil || typ.Kind != contract.Future {
		t.Errorf("5000 levels: kind %d, %v, want Future", typ.Kind, err)
	}
	if b, err := json.Marshal(contract.Type{Kind: contract.Bool}); err == nil {
		t.Errorf("type without JSON marshals as %s, want an error", b)
	}
}

func TestContractSignature(t *testing.T) {
	abi := parseContract(t, token)
	for name, want := range map[string]string{
		"check":      "(define-private (check (who principal)))",
		"transfer":   "(define-public (transfer (amount uint) (from principal) (to principal) (memo (optional (buff 34)))))",
		"get_config": "(define-read-only (get_config ))",
	} {
		f, ok := abi.Function(name)
		if got := f.Signature(); !ok || got != want {
			t.Errorf("got %s, %t, want %s", got, ok, want)
		}
	}
	var unknown *contract.Interface
	for _, abi := range []*contract.Interface{abi, unknown} {
		if f, ok := abi.Function("nothing"); ok {
			t.Errorf("Function(nothing) = %+v, want none", f)
		}
	}
}

func TestContractCall(t *testing.T) {
	args := []clarity.Value{clarity.NewUint64(5), clarity.NewNone()}
	const five, none = "0x0100000000000000000000000000000005", "0x09"
	derived := []contract.CallArgument{{Hex: five, Repr: "u5", Type: "uint"}, {Hex: none, Repr: "none", Type: "(optional UnknownType)"}}
	var unknown *contract.Interface
	for _, tc := range []struct {
		name      string
		abi       *contract.Interface
		function  string
		signature string
		want      []contract.CallArgument
	}{
		{"known function", parseContract(t, token), "transfer", "(define-public (transfer (amount uint) (from principal) (to principal) (memo (optional (buff 34)))))",
			[]contract.CallArgument{{Hex: five, Repr: "u5", Name: "amount", Type: "uint"}, {Hex: none, Repr: "none", Name: "from", Type: "principal"}}},
		{"too many arguments", parseContract(t, token), "check", "(define-private (check (who principal)))",
			[]contract.CallArgument{{Hex: five, Repr: "u5", Name: "who", Type: "principal"}, {Hex: none, Repr: "none", Type: "(optional UnknownType)"}}},
		{"unknown function", parseContract(t, token), "burn", "", derived},
		{"unknown interface", unknown, "transfer", "", derived},
	} {
		t.Run(tc.name, func(t *testing.T) {
			signature, got := tc.abi.Call(tc.function, args)
			same(t, "signature", signature, tc.signature)
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("arguments = %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestFunctionVectors(t *testing.T) {
	vector.Each(t, "abi_functions.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			Function  contract.Function
			Signature string
			ArgTypes  []struct{ Name, Type string } `json:"arg_types"`
			Output    string                        `json:"output_type"`
		}](t, row)
		f := want.Function
		same(t, "Signature", f.Signature(), want.Signature)
		same(t, "output", f.Outputs.Type.String(), want.Output)
		if len(f.Args) != len(want.ArgTypes) {
			t.Fatalf("%d arguments, want %d", len(f.Args), len(want.ArgTypes))
		}
		for i, arg := range f.Args {
			if w := want.ArgTypes[i]; arg.Name != w.Name || arg.Type.String() != w.Type {
				t.Errorf("argument %d = %s %s, want %s %s", i, arg.Name, arg.Type, w.Name, w.Type)
			}
		}
	})
}

func TestContractVectors(t *testing.T) {
	vector.Each(t, "abi_contracts.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct{ ABI json.RawMessage }](t, row)
		abi := parseContract(t, string(want.ABI))
		again := must.Get(json.Marshal(abi))(t)
		if got, want := tree(t, again), tree(t, want.ABI); !reflect.DeepEqual(got, want) {
			t.Errorf("marshals as %s, want %s", again, want)
		}
	})
}

func tree(tb testing.TB, b []byte) (v any) {
	tb.Helper()
	must.Do(tb, json.Unmarshal(b, &v))
	return v
}

func FuzzParseContract(f *testing.F) {
	f.Add([]byte(token))
	f.Add([]byte("null"))
	f.Add([]byte(`{"functions":[{"name":"a","access":"public","args":[{"name":"b","type":{"list":{"type":"bool","length":1}}}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		abi, err := contract.Parse(b)
		if err != nil || abi == nil {
			return
		}
		for _, function := range abi.Functions {
			_ = function.Signature()
			if again, err := json.Marshal(function); err != nil {
				t.Errorf("%q marshals as %s, %v", function.Name, again, err)
			}
			signature, args := abi.Call(function.Name, []clarity.Value{clarity.NewNone()})
			if signature == "" || len(args) != 1 {
				t.Errorf("Call(%q) = %q, %v", function.Name, signature, args)
			}
		}
	})
}

// TestHexOfArguments checks that the hex of an argument is what was signed, not a re-encoding: an unsorted tuple stays
// unsorted.
func TestHexOfArguments(t *testing.T) {
	arg := must.Get(clarity.DecodeAll(vector.Bytes(t, "0c00000002016203016104")))(t)
	var unknown *contract.Interface
	_, got := unknown.Call("f", []clarity.Value{arg})
	want := []contract.CallArgument{{Hex: "0x0c00000002016203016104", Repr: "(tuple (a false) (b true))", Type: "(tuple (a bool) (b bool))"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func BenchmarkParseContract(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		must.Get(contract.Parse([]byte(token)))(b)
	}
}
