package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
)

// AtHeight selects the key of the canonical block at the height $1.
const AtHeight = `SELECT block_seq AS source_seq FROM {chain}.canonical WHERE height = $1`

// BlockChoice identifies a block by one argument, which is the first of every query that uses the choice.
type BlockChoice struct {
	// SQL selects the key of the block, in at most one row.
	SQL string
	Arg any
}

// CanonicalBlock chooses the named canonical block; ok is false when there can be no such block.
func CanonicalBlock(s *engine.Snapshot, named param.HeightOrHash) (choice BlockChoice, ok bool) {
	chain, ok := s.Tip("chain")
	if !ok {
		return choice, false
	}
	switch latest, height, id := named.Parse(); {
	case latest:
		return BlockChoice{AtHeight, *chain.Height}, true
	case height != nil:
		return BlockChoice{AtHeight, *height}, true
	case id != nil:
		return BlockChoice{`SELECT b.source_seq FROM {chain}.block b JOIN {chain}.canonical c ON c.block_seq = b.source_seq
			WHERE b.index_block_hash = $1 OR b.block_hash = $1 LIMIT 1`, *id}, true
	}
	return choice, false
}

// AnyBlock chooses the block with a hash, canonical or not. When several blocks have the hash, it prefers the canonical
// one, then the highest, then the one that arrived last.
func AnyBlock(id hash.Hash32) BlockChoice {
	return BlockChoice{`SELECT b.source_seq FROM {chain}.block b LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq
		WHERE b.index_block_hash = $1 OR b.block_hash = $1
		ORDER BY c.height IS NOT NULL DESC, b.height DESC, b.source_seq DESC LIMIT 1`, id}
}
