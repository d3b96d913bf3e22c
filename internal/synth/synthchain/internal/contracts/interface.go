package contracts

import (
	"fmt"
	"slices"
	"strings"

	"strata/internal/synth/synthchain/internal/node"
)

// signature is a function in a contract's interface. Types are JSON.
type signature struct {
	name, access string
	arguments    []argument
	output       string
}

type argument struct{ name, kind string }

// The types in the interfaces of the templates.
const (
	typeUint      = `"uint128"`
	typePrincipal = `"principal"`
	typeBool      = `"bool"`
	typeMemo      = `{"optional":{"buffer":{"length":34}}}`
	typeKey       = `{"buffer":{"length":33}}`
	typeText      = `{"string-ascii":{"length":32}}`
	typeURI       = `{"optional":{"string-utf8":{"length":256}}}`
	typeOwner     = `{"optional":"principal"}`
	typeName      = `{"tuple":[{"name":"name","type":{"buffer":{"length":48}}},{"name":"namespace","type":{"buffer":{"length":20}}}]}`
)

func response(ok string) string { return `{"response":{"error":"uint128","ok":` + ok + `}}` }

// newInterface returns the interface of a contract as JSON, without the opening brace and the members that newer
// nodes put first. interfaceAt adds these.
func newInterface(functions []signature, tokens, items []argument) string {
	order := []string{"private", "public", "read_only"}
	slices.SortStableFunc(functions, func(a, b signature) int {
		if d := slices.Index(order, a.access) - slices.Index(order, b.access); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	var entries []string
	for _, f := range functions {
		entries = append(entries, fmt.Sprintf(`{"access":%q,"args":[%s],"name":%q,"outputs":{"type":%s}}`,
			f.access, joinArguments(f.arguments), f.name, f.output))
	}
	var fungible []string
	for _, t := range tokens {
		fungible = append(fungible, fmt.Sprintf(`{"name":%q}`, t.name))
	}
	return fmt.Sprintf(`"functions":[%s],"fungible_tokens":[%s],"maps":[],"non_fungible_tokens":[%s],"variables":[]}`,
		strings.Join(entries, ","), strings.Join(fungible, ","), joinArguments(items))
}

func joinArguments(arguments []argument) string {
	var entries []string
	for _, a := range arguments {
		entries = append(entries, fmt.Sprintf(`{"name":%q,"type":%s}`, a.name, a.kind))
	}
	return strings.Join(entries, ",")
}

// Interface returns the interface of the contract as nodes of a generation write it.
func (t *Template) Interface(g node.Generation, e node.Epoch, clarityVersion uint8) string {
	return interfaceAt(t.members, g, e, clarityVersion)
}

func interfaceAt(members string, g node.Generation, e node.Epoch, clarityVersion uint8) string {
	if g < node.V21 {
		return "{" + members
	}
	return fmt.Sprintf(`{"clarity_version":"Clarity%d","epoch":%q,%s`, clarityVersion, e, members)
}
