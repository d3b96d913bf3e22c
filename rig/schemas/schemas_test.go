package schemas_test

import (
	"fmt"
	"testing"

	"strata/projections/chain"
	"strata/rig/schemas"
)

// Names of projections in braces become schemas and numbers, and everything else stays.
func TestIn(t *testing.T) {
	t.Parallel()
	got := schemas.In(`{chain}.block {chain+1}.x {chain#} {chain#+2} {chain {nobody} ${chain#} {schema}`)
	v := chain.Version
	if want := fmt.Sprintf(`chain_v%d.block chain_v%d.x %d %d {chain {nobody} $%d {schema}`, v, v+1, v, v+2, v); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What In has put into names of tables, Out takes away, and nothing else.
func TestOut(t *testing.T) {
	t.Parallel()
	const text = `{chain}.block {ft}.token`
	if got := schemas.Out(schemas.In(text)); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
	if other := fmt.Sprintf("chain_v%d.block bns_v2 x_v1.y", chain.Version+1); schemas.Out(other) != other {
		t.Errorf("got %s, want %s", schemas.Out(other), other)
	}
}
