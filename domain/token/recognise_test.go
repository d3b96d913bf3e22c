package token_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"strata/domain/contract"
	"strata/domain/token"
	"strata/internal/testkit/must"
)

// Types as nodes write them.
const (
	number       = `"uint128"`
	account      = `"principal"`
	memo         = `{"buffer":{"length":34}}`
	optionalMemo = `{"optional":{"buffer":{"length":34}}}`
)

// functions maps the name of a function to the types of its arguments.
type functions map[string][]string

var (
	sip009 = functions{
		"get-last-token-id": nil,
		"get-token-uri":     {number},
		"get-owner":         {number},
		"transfer":          {number, account, account},
	}
	sip010 = functions{
		"transfer":         {number, account, account, optionalMemo},
		"get-name":         nil,
		"get-symbol":       nil,
		"get-decimals":     nil,
		"get-balance":      {account},
		"get-total-supply": nil,
		"get-token-uri":    nil,
	}
	sip013 = functions{
		"get-balance":         {number, account},
		"get-overall-balance": {account},
		"get-total-supply":    {number},
		"get-overall-supply":  nil,
		"get-decimals":        {number},
		"get-token-uri":       {number},
		"transfer":            {number, number, account, account},
		"transfer-memo":       {number, number, account, account, memo},
	}
)

// standards has the requirements for a contract of each kind: its functions, and the assets that it must define.
var standards = map[token.Kind]struct {
	functions                  functions
	needsFungible, needsUnique bool
}{
	token.NFT: {sip009, false, true},
	token.FT:  {sip010, true, false},
	token.SFT: {sip013, false, false},
}

// with returns a copy with other arguments of one function.
func (f functions) with(name string, arguments ...string) functions {
	f = maps.Clone(f)
	f[name] = arguments
	return f
}

func (f functions) without(name string) functions {
	f = maps.Clone(f)
	delete(f, name)
	return f
}

// draft is an interface before it is written in the node's JSON form.
type draft struct {
	functions        functions
	access           map[string]string // public unless given
	fungible, unique []string
}

func (d draft) parse(tb testing.TB) *contract.Interface {
	tb.Helper()
	type object = map[string]any
	list := []object{}
	for _, name := range slices.Sorted(maps.Keys(d.functions)) {
		args := []object{}
		for i, typ := range d.functions[name] {
			args = append(args, object{"name": string(rune('a' + i)), "type": json.RawMessage(typ)})
		}
		access := "public"
		if other, ok := d.access[name]; ok {
			access = other
		}
		list = append(list, object{"name": name, "access": access, "args": args, "outputs": object{"type": "bool"}})
	}
	var fungible, unique []object
	for _, name := range d.fungible {
		fungible = append(fungible, object{"name": name})
	}
	for _, name := range d.unique {
		unique = append(unique, object{"name": name, "type": "uint128"})
	}
	body := must.Get(json.Marshal(object{"functions": list, "fungible_tokens": fungible, "non_fungible_tokens": unique}))(tb)
	return must.Get(contract.Parse(body))(tb)
}

func TestRecognise(t *testing.T) {
	for kind, standard := range standards {
		got, ok := token.Recognise(draft{functions: standard.functions, fungible: []string{"gold", "tin"}, unique: []string{"deed", "key"}}.parse(t))
		if want := (token.Recognised{Kind: kind, FungibleToken: "gold", NonFungibleToken: "deed"}); !ok || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", kind, got, ok, want)
		}
		if _, ok := token.Recognise(draft{functions: standard.functions, unique: []string{"deed"}}.parse(t)); ok == standard.needsFungible {
			t.Errorf("%s without a fungible token: got %v", kind, ok)
		}
		if _, ok := token.Recognise(draft{functions: standard.functions, fungible: []string{"gold"}}.parse(t)); ok == standard.needsUnique {
			t.Errorf("%s without a non-fungible token: got %v", kind, ok)
		}
	}
	for name, i := range map[string]*contract.Interface{"nil": nil, "empty": {}} {
		if got, ok := token.Recognise(i); ok || got != (token.Recognised{}) {
			t.Errorf("%s: got %+v, want no token", name, got)
		}
	}
}

// A contract is no token if any function is missing or different.
func TestRecogniseNeedsEveryFunction(t *testing.T) {
	for kind, standard := range standards {
		recognised := func(f functions, access map[string]string) bool {
			_, ok := token.Recognise(draft{functions: f, access: access, fungible: []string{"gold"}, unique: []string{"deed"}}.parse(t))
			return ok
		}
		for name, arguments := range standard.functions {
			if recognised(standard.functions.without(name), nil) {
				t.Errorf("%s without %s is a token", kind, name)
			}
			if recognised(standard.functions.with(name, append(slices.Clone(arguments), number)...), nil) {
				t.Errorf("%s with one more argument of %s is a token", kind, name)
			}
			if recognised(standard.functions, map[string]string{name: "private"}) {
				t.Errorf("%s with a private %s is a token", kind, name)
			}
			if !recognised(standard.functions, map[string]string{name: "read_only"}) {
				t.Errorf("%s with a read-only %s is no token", kind, name)
			}
			for i := range arguments {
				if recognised(standard.functions.with(name, slices.Delete(slices.Clone(arguments), i, i+1)...), nil) {
					t.Errorf("%s without argument %d of %s is a token", kind, i, name)
				}
				// "uint" and "principals" are not Clarity types.
				for _, typ := range []string{`"int128"`, `"uint"`, `"principals"`, `{"optional":"uint128"}`, `{"optional":"principal"}`} {
					other := slices.Clone(arguments)
					other[i] = typ
					if recognised(standard.functions.with(name, other...), nil) {
						t.Errorf("%s with a %s as argument %d of %s is a token", kind, typ, i, name)
					}
				}
			}
		}
		if !recognised(standard.functions.with("more", number), nil) {
			t.Errorf("%s with one more function is no token", kind)
		}
	}
}

// Types that have parts are compared part by part.
func TestRecogniseMemo(t *testing.T) {
	for typ, want := range map[string]bool{
		optionalMemo: true,
		`{ "optional": {"buffer":{"length":34}}}`: true,
		memo:                                    false,
		`{"optional":{"buffer":{"length":33}}}`: false,
		`{"optional":{"string-ascii":{"length":34}}}`:                   false,
		`{"optional":{"optional":{"buffer":{"length":34}}}}`:            false,
		`{"list":{"type":"uint128","length":34}}`:                       false,
		`{"list":{"type":{"buffer":{"length":34}},"length":34}}`:        false,
		`{"response":{"ok":{"buffer":{"length":34}},"error":"none"}}`:   false,
		`{"tuple":[{"name":"memo","type":{"buffer":{"length":34}}}]}`:   false,
		`{"optional":{"tuple":[{"name":"memo","type":{"buffer":{}}}]}}`: false,
		`{"optional":{"callable":{"buffer":{"length":34}}}}`:            false,
	} {
		d := draft{functions: sip010.with("transfer", number, account, account, typ), fungible: []string{"gold"}}
		if _, ok := token.Recognise(d.parse(t)); ok != want {
			t.Errorf("memo %s: got %v, want %v", typ, ok, want)
		}
	}
}

// A contract may follow several standards, unless their functions contradict each other.
func TestRecogniseOrder(t *testing.T) {
	both := maps.Clone(sip013)
	for name, arguments := range sip009 {
		if _, taken := both[name]; !taken {
			both[name] = arguments
		}
	}
	i := draft{functions: both, fungible: []string{"gold"}, unique: []string{"deed"}}.parse(t)
	// In Clarity, function names are unique; the list in an interface can repeat a name.
	i.Functions = append(i.Functions, draft{functions: functions{"transfer": sip009["transfer"]}}.parse(t).Functions...)
	if got, ok := token.Recognise(i); !ok || got.Kind != token.SFT {
		t.Errorf("SIP-013 and SIP-009: got %+v, %v, want sft", got, ok)
	}

	both = maps.Clone(sip010)
	maps.Copy(both, functions{"get-last-token-id": nil, "get-owner": {number}})
	i = draft{functions: both, fungible: []string{"gold"}, unique: []string{"deed"}}.parse(t)
	i.Functions = append(i.Functions, draft{functions: sip009}.parse(t).Functions...)
	if got, ok := token.Recognise(i); !ok || got.Kind != token.NFT {
		t.Errorf("SIP-009 and SIP-010: got %+v, %v, want nft", got, ok)
	}
	i.NonFungibleTokens = nil
	if got, ok := token.Recognise(i); !ok || got.Kind != token.FT {
		t.Errorf("SIP-009 and SIP-010 without a non-fungible token: got %+v, %v, want ft", got, ok)
	}
}

func TestSIP(t *testing.T) {
	for kind, want := range map[token.Kind]string{token.FT: "sip-010", token.SFT: "sip-013", token.NFT: "sip-009", "stx": ""} {
		if got := kind.SIP(); got != want {
			t.Errorf("%q: got %q, want %q", kind, got, want)
		}
	}
}
