package token

import (
	"math/big"
	"testing"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

func FuzzParseRefresh(f *testing.F) {
	for _, seed := range []string{
		`{"contract_id":"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world","token_id":"12"}`,
		`{"contract_id":"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"}`,
		`{"contract_id":null}`, `[]`, `null`, ``, `{} {}`, "{\"contract_id\":\"\\u0000\"}",
	} {
		f.Add([]byte(seed))
	}
	largest := new(big.Int).Lsh(big.NewInt(1), 128)
	f.Fuzz(func(t *testing.T, body []byte) {
		ref, err := parseRefresh(body)
		if err != nil {
			if !engine.IsAnswer(err) {
				t.Fatalf("%q: got %v, which is not an error for the client", body, err)
			}
			return
		}
		if !isContract.MatchString(ref.contract) {
			t.Fatalf("%q: got contract %q", body, ref.contract)
		}
		if ref.id != nil && (ref.id.Sign() < 0 || ref.id.Cmp(largest) >= 0) {
			t.Fatalf("%q: got token %s", body, ref.id)
		}
	})
}

// An item that passes the schema of search names a contract and a number, and nothing else.
func FuzzSearchItem(f *testing.F) {
	const contract = "SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"
	for _, seed := range []string{contract, contract + ":1", contract + ":340282366920938463463374607431768211456", contract + ":", contract + ":1:2", ":", ""} {
		f.Add(seed)
	}
	check := schema.Check(searchItems{}.Schema(nil))
	f.Fuzz(func(t *testing.T, item string) {
		if check([]string{item}) != nil {
			return
		}
		ref := searchItems{item}.named()[0]
		if !isContract.MatchString(ref.contract) {
			t.Fatalf("%q: got contract %q", item, ref.contract)
		}
		if item == ref.contract && (ref.id == nil || ref.id.Cmp(big.NewInt(1)) != 0) {
			t.Fatalf("%q: got token %v, want 1", item, ref.id)
		}
	})
}
