package apitest

import (
	"strata/projections"
	"strata/projections/chain"
)

// ChainTables makes the empty tables of chain and of a projection that folds it, both of which are at a height.
func (s *Site) ChainTables(spec projections.Spec, height, burnHeight int) {
	s.T.Helper()
	for _, spec := range []projections.Spec{chain.Spec(), spec} {
		s.Exec(spec.DDL())
		s.Exec(`INSERT INTO strata.projection (name, version, input, state, block_height, index_block_hash, block_hash, burn_block_height)
			VALUES ($1, $2, CASE WHEN $1 = 'chain' THEN 'log' ELSE $3 END, 'live', $4, $5, $5, $6)`, spec.Name, spec.Version, chain.Spec().String(), height, ID(1, 1), burnHeight)
		s.Exec(`INSERT INTO strata.active (name, version) VALUES ($1, $2)`, spec.Name, spec.Version)
	}
}
