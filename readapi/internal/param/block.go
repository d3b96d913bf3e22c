package param

import (
	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

type BlockInput struct {
	Block HeightOrHash `path:"height_or_hash"`
}

// dependencies of a block are the block alone, unless it is the latest.
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
