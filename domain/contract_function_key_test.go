package domain_test

import (
	"testing"

	"strata/domain/contract"
	"strata/internal/testkit/must"
)

func TestFunctionKeys(t *testing.T) {
	parse := func(text string) contract.Function {
		t.Helper()
		i := must.Get(contract.Parse([]byte(`{"functions":[` + text + `]}`)))(t)
		return i.Functions[0]
	}
	const transfer = `{"name":"transfer","access":"public","args":[{"name":"amount","type":"uint128"},{"name":"to","type":"principal"}],"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}`
	named, whole := parse(transfer).Keys()
	for _, tc := range []struct {
		what, text          string
		sameName, sameWhole bool
	}{
		{"same function in other JSON", ` {"outputs":{"type":{"response":{"error":"uint128","ok":"bool"}}}, "name":"transfer","access":"public","args":[{"name":"n","type":"uint128"},{"type":"principal"}]}`, true, true},
		{"arguments in another order", `{"name":"transfer","access":"public","args":[{"type":"principal"},{"type":"uint128"}],"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}`, true, false},
		{"additional argument", `{"name":"transfer","access":"public","args":[{"type":"uint128"},{"type":"principal"},{"type":"bool"}],"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}`, true, false},
		{"different output", `{"name":"transfer","access":"public","args":[{"type":"uint128"},{"type":"principal"}],"outputs":{"type":{"response":{"ok":"bool","error":"bool"}}}}`, true, false},
		{"different access", `{"name":"transfer","access":"read_only","args":[{"type":"uint128"},{"type":"principal"}],"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}`, true, false},
		{"different name", `{"name":"transfers","access":"public","args":[{"type":"uint128"},{"type":"principal"}],"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}`, false, false},
	} {
		otherName, otherWhole := parse(tc.text).Keys()
		if (named == otherName) != tc.sameName || (whole == otherWhole) != tc.sameWhole || otherName == otherWhole {
			t.Errorf("%s: same name key %t, same function key %t", tc.what, named == otherName, whole == otherWhole)
		}
	}
}
