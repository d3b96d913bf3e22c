package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
)

// atHeight is the canonical block at a height.
const AtHeight = `SELECT block_seq AS source_seq FROM {chain}.canonical WHERE height = $1`

// blockChoice chooses a block by an argument, the first one of its query.
type BlockChoice struct {
	// sql is a query for at most one row: the key of the block.
	Sql string
	Arg any
}

// canonicalBlock chooses the canonical block that is named; ok is false when there can't be one.
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

// anyBlock chooses the block with a hash: the canonical one, else the highest, and of several the one that came last.
func AnyBlock(id hash.Hash32) BlockChoice {
	return BlockChoice{`SELECT b.source_seq FROM {chain}.block b LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq
		WHERE b.index_block_hash = $1 OR b.block_hash = $1
		ORDER BY c.height IS NOT NULL DESC, b.height DESC, b.source_seq DESC LIMIT 1`, id}
}
