package bns_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"testing"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// printed is the JSON form in which the vectors show a print.
func printed(p bns.Print) map[string]any {
	data := map[string]any{}
	if p.Name.Label != "" {
		data["name"] = p.Name.Label
	}
	if p.Name.Namespace != "" {
		data["namespace"] = p.Name.Namespace
	}
	if p.ID != nil {
		data["id"] = p.ID.String()
	}
	if p.Owner != nil {
		data["owner"] = p.Owner.String()
	}
	switch p.Topic {
	case bns.BurnName:
		data["owner"] = ""
	case bns.NewAirdrop:
		data["registered_at"] = p.RegisteredAt.String()
	case bns.List:
		data["price"], data["commission"] = p.Price.String(), p.Commission.String()
	case bns.UpdateZonefile:
		data["new_zonefile"] = bytesOrNil(p.Zonefile)
	case bns.RevokeName:
		data["zonefile"] = "0x"
	}
	if p.Properties != nil {
		data["properties"] = propertiesJSON(p.Properties)
	}
	if p.Namespace != nil {
		data["properties"] = namespaceJSON(p.Namespace)
	}
	return map[string]any{"name": p.Topic, "data": data}
}

func propertiesJSON(p *bns.Properties) map[string]any {
	return map[string]any{
		"registered_at": numberOrNil(p.RegisteredAt), "imported_at": numberOrNil(p.ImportedAt), "renewal_height": p.RenewalHeight.String(),
		"hashed_salted_fqn_preorder": bytesOrNil(p.Preorder), "preordered_by": principalOrNil(p.PreorderedBy), "stx_burn": p.Burned.String(),
		"owner": p.Owner.String(),
	}
}

func namespaceJSON(n *bns.Namespace) map[string]any {
	buckets := []any{}
	for _, b := range n.Price.Buckets {
		buckets = append(buckets, b.String())
	}
	return map[string]any{
		"namespace_manager": principalOrNil(n.Manager), "manager_transferable": n.ManagerTransferable, "manager_frozen": n.ManagerFrozen,
		"namespace_import": n.Import.String(), "revealed_at": n.RevealedAt.String(), "launched_at": numberOrNil(n.LaunchedAt),
		"lifetime": n.Lifetime.String(), "can_update_price_function": n.CanUpdatePrice,
		"price_function": map[string]any{
			"base": n.Price.Base.String(), "coeff": n.Price.Coefficient.String(), "buckets": buckets,
			"nonalpha_discount": n.Price.NonAlphaDiscount.String(), "no_vowel_discount": n.Price.NoVowelDiscount.String(),
		},
	}
}

func numberOrNil(n *big.Int) any {
	if n == nil {
		return nil
	}
	return n.String()
}

func bytesOrNil(b []byte) any {
	if b == nil {
		return nil
	}
	return "0x" + hex.EncodeToString(b)
}

func principalOrNil(p *clarity.Principal) any {
	if p == nil {
		return nil
	}
	return p.String()
}

// TestPrints decodes every print of the vectors.
func TestPrints(t *testing.T) {
	contracts := bns.KnownContracts()
	vector.Each(t, "bns_v2_events.jsonl", func(t *testing.T, row json.RawMessage) {
		v := vector.Decode[struct {
			Hex     string
			Event   map[string]any
			Context struct{ Contract string }
		}](t, row)
		value := must.Get(clarity.DecodeAll(vector.Bytes(t, v.Hex)))(t)
		decode := bns.DecodePrint
		if contracts.IsZonefiles(v.Context.Contract) {
			decode = bns.DecodeZonefilePrint
		} else if !contracts.IsNames(v.Context.Contract) {
			t.Fatalf("contract %s is not known", v.Context.Contract)
		}
		p, err := decode(value)
		if err != nil || !p.Known {
			t.Fatalf("got %+v, %v", p, err)
		}
		if got := printed(p); !reflect.DeepEqual(got, v.Event) {
			t.Errorf("got %v, want %v", got, v.Event)
		}
	})
}

// traced is a call of the trace.
type traced struct {
	Tx         int
	Function   string
	Args       []string
	Success    bool
	BurnHeight int64 `json:"burn_height"`
	Final      struct {
		Namespaces map[string]json.RawMessage
	} `json:"final_state"`
}

// TestCalls decodes the silent calls of the trace: the hash of a reveal is that of its preorder, and the revealed
// properties are those that the launch prints.
func TestCalls(t *testing.T) {
	preorders, revealed, silent := map[string]bool{}, 0, map[string]int{}
	for _, row := range vector.Rows(t, "bns_v2_trace.jsonl") {
		call := vector.Decode[traced](t, row)
		var arguments []clarity.Value
		for _, text := range call.Args {
			value := must.Get(clarity.DecodeAll(vector.Bytes(t, text)))(t)
			arguments = append(arguments, value)
		}
		c, ok, err := bns.DecodeCall(call.Function, arguments)
		if err != nil {
			t.Errorf("call %d: %v", call.Tx, err)
		}
		if !ok {
			continue
		}
		silent[c.Function]++
		switch c.Function {
		case bns.NamespacePreorder:
			preorders[hex.EncodeToString(c.Hash)] = true
		case bns.NamespaceReveal:
			if !preorders[hex.EncodeToString(c.Hash)] {
				t.Errorf("call %d: no preorder %x", call.Tx, c.Hash)
			}
			revealed++
			if want := map[string]int64{"orchid": 1200, "vault": 0}[c.Name.Namespace]; c.Namespace.Lifetime.Int64() != want {
				t.Errorf("%s: lifetime %s, want %d", c.Name.Namespace, c.Namespace.Lifetime, want)
			}
			if c.Namespace.Managed() != (c.Name.Namespace == "vault") {
				t.Errorf("%s: manager %v", c.Name.Namespace, c.Namespace.Manager)
			}
		}
	}
	if revealed != 2 || silent[bns.SetPrimaryName] == 0 || silent[bns.NameRenewal] == 0 || silent[bns.ClaimPreorder] == 0 {
		t.Errorf("got %d reveals and %v", revealed, silent)
	}
}

func uints(n ...int64) (all []*big.Int) {
	for _, i := range n {
		all = append(all, big.NewInt(i))
	}
	return all
}

func TestPrice(t *testing.T) {
	flat := uints(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	steep := uints(6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	huge := new(big.Int).Lsh(big.NewInt(1), 127)
	function := func(base, coeff *big.Int, nonalpha, vowel int64, buckets []*big.Int) bns.PriceFunction {
		return bns.PriceFunction{
			Base: base, Coefficient: coeff, NonAlphaDiscount: big.NewInt(nonalpha), NoVowelDiscount: big.NewInt(vowel),
			Buckets: [bns.BucketCount]*big.Int(buckets),
		}
	}
	btc := function(big.NewInt(1000), big.NewInt(200), 1, 1, flat)
	orchid := function(big.NewInt(4), big.NewInt(250), 4, 4, steep)
	for _, tc := range []struct {
		function    bns.PriceFunction
		label, want string
	}{
		{btc, "muneeb", "2000000"},
		{orchid, "alice", "40000"}, // 250 × 4^2 × 10
		{orchid, "bob", "640000"},
		{orchid, "dave-7", "2500"},  // 250 × 4 / 4 × 10
		{orchid, "rhythm", "10000"}, // y is a vowel
		{orchid, "bcd", "160000"},   // no vowel
		{orchid, "a", "10240000"},   // 250 × 4^6 × 10
		{orchid, "aaaaaaaaaaaaaaaaaaaaaaaa", "10000"},
		{function(big.NewInt(0), big.NewInt(200), 1, 1, flat), "a", "0"},
		{function(big.NewInt(7), big.NewInt(1), 0, 9, flat), "a1", "70"}, // the discount of 1 for a vowel exceeds 0
		{function(huge, big.NewInt(1), 1, 1, flat), "a", "none"},         // × 10 exceeds 128 bits
		{function(huge, big.NewInt(2), 100, 1, flat), "a1", "none"},
		{function(big.NewInt(2), big.NewInt(1), 1, 1, uints(200, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)), "a", "none"},
		{orchid, "", "none"},
	} {
		got := "none"
		if price, err := tc.function.NamePrice(tc.label); err == nil {
			got = price.String()
		}
		if got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.label, got, tc.want)
		}
	}
	for namespace, want := range map[string]string{
		"a": "640000000000", "ab": "64000000000", "btc": "64000000000", "abcd": "6400000000", "abcdefg": "6400000000", "abcdefgh": "640000000",
		"": "none", "Btc": "none", "abcdefghijabcdefghijk": "none", "a.b": "none", "a_b-9": "6400000000",
	} {
		got := "none"
		if price, ok := bns.NamespacePrice(namespace); ok {
			got = price.String()
		}
		if got != want {
			t.Errorf("namespace %q: got %s, want %s", namespace, got, want)
		}
	}
}

func TestExpiry(t *testing.T) {
	launched := &bns.Namespace{LaunchedAt: big.NewInt(100), Lifetime: big.NewInt(1000)}
	for _, tc := range []struct {
		what      string
		renewal   *big.Int
		namespace *bns.Namespace
		want      int64
	}{
		{"renewed", big.NewInt(700), launched, 700},
		{"imported, never renewed", big.NewInt(0), launched, 1100},
		{"imported before the launch", big.NewInt(0), &bns.Namespace{Lifetime: big.NewInt(1000)}, bns.NeverExpires},
		{"no lifetime", big.NewInt(700), &bns.Namespace{LaunchedAt: big.NewInt(100), Lifetime: big.NewInt(0)}, bns.NeverExpires},
		{"unknown namespace", big.NewInt(0), nil, bns.NeverExpires},
		{"beyond any height", new(big.Int).Lsh(big.NewInt(1), 127), launched, bns.NeverExpires},
	} {
		if got := bns.Expiry(tc.renewal, tc.namespace); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.what, got, tc.want)
		}
	}
	for height, want := range map[int64]bns.Phase{1: bns.Active, 700: bns.Active, 701: bns.InGrace, 5699: bns.InGrace, 5700: bns.Lapsed} {
		if got := bns.PhaseAt(height, 700); got != want {
			t.Errorf("height %d: got phase %d, want %d", height, got, want)
		}
	}
	if got := bns.PhaseAt(1<<40, bns.NeverExpires); got != bns.Active {
		t.Errorf("no expiry: got phase %d", got)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]bns.Name{"alice.btc": {Label: "alice", Namespace: "btc"}, "a.b.c": {Label: "a.b", Namespace: "c"}} {
		if got, ok := bns.ParseName(text); !ok || got != want || got.String() != text {
			t.Errorf("%q: got %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", ".", "alice", ".btc", "alice."} {
		if got, ok := bns.ParseName(text); ok {
			t.Errorf("%q: got %+v", text, got)
		}
	}
	if got := bns.Label([]byte("a\x00")); got != "0x6100" {
		t.Errorf("got %q", got)
	}
}

func TestContracts(t *testing.T) {
	c, err := bns.ContractsOf("ST000000000000000000002AMW42H", bns.MainnetDeployer, bns.MainnetDeployer)
	if err != nil || len(c.Names) != 2 || len(c.Zonefiles) != 2 {
		t.Fatalf("got %+v, %v", c, err)
	}
	if !c.IsAsset("ST000000000000000000002AMW42H.BNS-V2::BNS-V2") || c.IsAsset("SP2JMM3PH9AGMASBD11SHG4HWDS6CTY9MGN6CW48G.BNS-V2::BNS-V2") || c.IsAsset("::BNS-V2") {
		t.Error("wrong assets")
	}
	for _, text := range []string{"x", bns.MainnetDeployer + ".BNS-V2"} {
		if _, err := bns.ContractsOf(text); err == nil {
			t.Errorf("%q is a deployer", text)
		}
	}
}

// TestOtherPrints decodes prints that the contracts do not have.
func TestOtherPrints(t *testing.T) {
	for _, v := range []clarity.Value{
		value.Tuple("topic", "renamed"), value.Tuple("a", "auction"), value.Tuple("status", "gone"), value.Tuple("x", 1), clarity.NewNone(), clarity.NewUint64(1),
		value.Tuple("topic", 5),
	} {
		if p, err := bns.DecodePrint(v); err != nil || p.Known {
			t.Errorf("%s: got %+v, %v", v.Repr(), p, err)
		}
		if p, err := bns.DecodeZonefilePrint(v); err != nil || p.Known {
			t.Errorf("%s: got %+v, %v", v.Repr(), p, err)
		}
	}
	name := value.Tuple("name", []byte("alice"), "namespace", []byte("btc"))
	for _, v := range []clarity.Value{
		value.Tuple("topic", "new-name"), value.Tuple("topic", "burn-name", "name", name, "id", "1"), value.Tuple("a", "list-in-ustx", "id", 1, "price", 2),
		value.Tuple("topic", "new-airdrop", "name", name, "id", 1, "owner", 1, "registered-at", 1), value.Tuple("status", "launch", "namespace", []byte("btc")),
		value.Tuple("topic", "burn-name", "name", value.Tuple("name", 1), "id", 1),
	} {
		if p, err := bns.DecodePrint(v); !errors.Is(err, bns.ErrPrint) {
			t.Errorf("%s: got %+v, %v", v.Repr(), p, err)
		}
	}
	if p, err := bns.DecodeZonefilePrint(value.Tuple("topic", "revoke-name", "name", name)); !errors.Is(err, bns.ErrPrint) {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, _, err := bns.DecodeCall(bns.NameRenewal, nil); !errors.Is(err, bns.ErrCall) {
		t.Errorf("got %v", err)
	}
	if _, ok, err := bns.DecodeCall("transfer", nil); ok || err != nil {
		t.Errorf("got %t, %v", ok, err)
	}
}
