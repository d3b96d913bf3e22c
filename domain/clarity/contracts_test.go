package clarity_test

import (
	"slices"
	"testing"

	"strata/domain/clarity"
	"strata/internal/testkit/must"
)

func TestContracts(t *testing.T) {
	t.Parallel()
	const a, b, address = "SP000000000000000000002Q6VF78.a", "SP000000000000000000002Q6VF78.b", "SP000000000000000000002Q6VF78"
	principal := func(text string) clarity.Value {
		p := must.Get(clarity.ParsePrincipal(text))(t)
		return must.Get(clarity.NewPrincipal(p))(t)
	}
	nested := must.Get(clarity.NewTuple(
		clarity.Field{Name: "x", Value: principal(a)}, clarity.Field{Name: "y", Value: principal(address)}, clarity.Field{Name: "z", Value: principal(b)}))(t)
	var all []string
	for p := range nested.Contracts() {
		all = append(all, p.String())
	}
	if !slices.Equal(all, []string{a, b}) {
		t.Errorf("got %v, want %s and %s", all, a, b)
	}
	for p := range nested.Contracts() {
		if p.String() != a {
			t.Errorf("got %s after the loop had ended", p)
		}
		break
	}
}
