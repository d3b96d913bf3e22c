package search_test

import (
	"fmt"
	"slices"
	"testing"

	"strata/domain/bns"
	"strata/internal/synth/synthchain"
	"strata/projections/balances"
	registry "strata/projections/bns"
	"strata/projections/names"
	"strata/projections/search"
	"strata/rig"
	"strata/rig/foldtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// The names are those that other projections know: deployed contracts, and assets with a supply.
func TestNames(t *testing.T) {
	t.Parallel()
	config := synthchain.Everything(3, synthchain.V40)
	config.SigningSample, config.ForkProbability, config.Mix = 1000, 0.1, synthchain.DefaultMix()
	config.Mix.Naming = 30
	log := replay.NewLogApart(t)
	replay.Append(t, log, replay.Take(300, synthchain.New(config).Next)...)
	replay.Run(t, log, rig.Chain(t), balances.New(nil), names.New(), registry.New(bns.KnownContracts()), search.New(bns.KnownContracts()))
	texts := func(sql string) []string { return replay.Texts(t, log.Pool(), schemas.In(sql)) }
	got := texts(`SELECT class || ' ' || fungible || ' ' || name FROM search_v1.name ORDER BY name`)
	want := texts(`
		SELECT class || ' ' || fungible || ' ' || name FROM (
			SELECT DISTINCT 0 AS class, false AS fungible, d.contract_id COLLATE "C" AS name FROM {chain}.contract d JOIN {chain}.canonical c ON c.block_seq = d.source_seq
			UNION SELECT DISTINCT 1, kind = 'ft', asset COLLATE "C" FROM {balances}.asset WHERE kind <> 'stx'
			UNION SELECT 2, false, name FROM {names}.custody
			UNION SELECT 2, false, full_name FROM {bns}.name
		) known ORDER BY name`)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", fmt.Sprint(got), fmt.Sprint(want))
	}
	foldtest.Check(t, log.Pool(), search.New(bns.KnownContracts()))
}
