package contracts

import (
	"fmt"
	"slices"
	"strings"

	"strata/internal/synth/synthchain/internal/node"
)

// types are the types in the interfaces of the templates, as JSON.
var types = map[string]string{
	"uint":      `"uint128"`,
	"principal": `"principal"`,
	"bool":      `"bool"`,
	"none":      `"none"`,
	"memo":      `{"optional":{"buffer":{"length":34}}}`,
	"key":       `{"buffer":{"length":33}}`,
	"text":      `{"string-ascii":{"length":32}}`,
	"uri":       `{"optional":{"string-utf8":{"length":256}}}`,
	"owner":     `{"optional":"principal"}`,
	"name":      `{"tuple":[{"name":"name","type":{"buffer":{"length":48}}},{"name":"namespace","type":{"buffer":{"length":20}}}]}`,
}

// newInterface returns the interface of a contract as JSON, without the opening brace and the members that newer
// nodes put first. interfaceAt adds these. A function is written as its access, its name, its arguments with their types,
// and the type of its ok response; an item as its name and the type of its id.
func newInterface(functions []string, token, item string) string {
	slices.Sort(functions)
	var entries []string
	for _, f := range functions {
		f, output, _ := strings.Cut(f, " = ")
		words := strings.Fields(f)
		entries = append(entries, fmt.Sprintf(`{"access":%q,"args":[%s],"name":%q,"outputs":{"type":{"response":{"error":"uint128","ok":%s}}}}`,
			words[0], typed(words[2:]), words[1], types[output]))
	}
	if token != "" {
		token = fmt.Sprintf(`{"name":%q}`, token)
	}
	return fmt.Sprintf(`"functions":[%s],"fungible_tokens":[%s],"maps":[],"non_fungible_tokens":[%s],"variables":[]}`,
		strings.Join(entries, ","), token, typed(strings.Fields(item)))
}

func typed(words []string) string {
	var entries []string
	for _, word := range words {
		name, kind, _ := strings.Cut(word, ":")
		entries = append(entries, fmt.Sprintf(`{"name":%q,"type":%s}`, name, types[kind]))
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
