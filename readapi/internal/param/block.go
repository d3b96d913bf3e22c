package param

import (
	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

// BlockInput names a Stacks block.
type BlockInput struct {
	Block HeightOrHash `path:"height_or_hash"`
}

// Dependencies returns the block alone, or the tip of the chain for the latest block.
func (in *BlockInput) Dependencies() engine.Dependencies {
	switch latest, height, id := in.Block.Parse(); {
	case latest:
		return engine.OnTip("chain")
	case height != nil:
		return engine.On("chain", shard.Height(*height))
	case id != nil:
		return engine.On("chain", shard.Block(*id))
	}
	return engine.Dependencies{}
}

// BurnBlockInput names a Bitcoin block.
type BurnBlockInput struct {
	Block HeightOrHash `path:"height_or_hash" doc:"latest, or the height or the hash of a Bitcoin block."`
}
