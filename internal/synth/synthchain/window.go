package synthchain

// history has the final blocks.
type history struct {
	posts  []Post // canonical posts, in an order in which they can be replayed
	blocks []BlockRef
	burned uint64 // posts has the burn blocks up to this height
}

// window returns the number of blocks below the tip that forks may reach.
func (c *Chain) window() uint64 {
	perBurn := 1
	if c.cfg.Nakamoto {
		perBurn = c.cfg.BlocksPerTenure
	}
	return uint64(4*c.cfg.MaxForkDepth + 4*c.cfg.MaxBitcoinReorgDepth*perBurn + 16)
}

// finalize makes blocks far below the tip final, once there are enough of them to be worth the work.
func (c *Chain) finalize() {
	best := c.best()
	window := c.window()
	if len(c.forks) > 0 || best.height < c.root.height+2*window {
		return
	}
	c.model.moveTo(best)
	path := c.path(best)
	for path[len(path)-1].height > best.height-window {
		path = path[:len(path)-1]
	}
	root := path[len(path)-1]
	if c.cfg.ForgetHistory {
		c.history.posts, c.history.blocks = nil, nil
	} else {
		c.history.posts = c.linear(c.history.posts, path, root.burn)
		for _, b := range path {
			c.history.blocks = append(c.history.blocks, b.ref())
		}
	}
	c.history.burned = root.burn.height
	remaining := make([]*block, 0, len(c.blocks))
	keep := map[*block]bool{root: true}
	for _, b := range c.blocks {
		switch {
		case b == root || keep[b.parent]:
			keep[b] = true
			remaining = append(remaining, b)
		case b.height > root.height:
			c.finalHeight = max(c.finalHeight, b.height)
		}
	}
	c.finalHeight = max(c.finalHeight, root.height)
	root.parent, root.changes, root.operations, root.post = nil, nil, nil, Post{}
	c.root, c.blocks = root, remaining
	c.forgetBurnBlocks(root.burn)
}

// forgetBurnBlocks drops the burn blocks that do not build on the last final one.
func (c *Chain) forgetBurnBlocks(last *burnBlock) {
	remaining := make([]*burnBlock, 0, len(c.burns))
	for _, b := range c.burns {
		if b.descendsFrom(last) {
			remaining = append(remaining, b)
		}
	}
	last.parent = nil
	c.burns = remaining
}

// path returns the blocks from above root up to b.
func (c *Chain) path(b *block) []*block {
	path := make([]*block, b.height-c.root.height)
	for ; b != c.root; b = b.parent {
		path[b.height-c.root.height-1] = b
	}
	return path
}

// linear appends the posts of the blocks of a path, each after the burn blocks that it depends on, and then the burn
// blocks up to last.
func (c *Chain) linear(posts []Post, path []*block, last *burnBlock) []Post {
	var burns []*burnBlock
	for b := last; b != nil && b.height > c.history.burned; b = b.parent {
		if b.post.Body != nil {
			burns = append(burns, b)
		}
	}
	take := func(height uint64) {
		for len(burns) > 0 && burns[len(burns)-1].height <= height {
			posts = append(posts, burns[len(burns)-1].post)
			burns = burns[:len(burns)-1]
		}
	}
	for _, b := range path {
		take(b.burn.height)
		posts = append(posts, b.post)
	}
	take(last.height)
	return posts
}
