package synthordinals

import (
	"strata/domain/hash"
	"strata/internal/synth/draw"
	"strata/internal/synth/simulate"
)

// Post is one HTTP request of an indexer. Its path is always /payload.
type Post = simulate.Post

// path is the path of all posts.
const path = "/payload"

// Feed is an endless stream of posts, with the state that they lead to. It is not safe for concurrent use.
type Feed struct {
	cfg       Config
	random    draw.Source
	addresses []string
	fresh     *freshSats
	world     *world
	uuid      string

	root    *block   // the last final block; nil for none
	branch  []*block // blocks that can be rolled back, oldest first
	floor   uint64   // minimum height of the next block: Bitcoin has reached it by blocks that were not sent
	grown   int      // number of blocks, including those of abandoned branches
	mempool []*plan  // transactions of an abandoned branch

	canonical []*block // applied blocks, by height
	queue     []*delivery
	later     []*delivery
	posts     uint64 // number of posts that were handed out
}

// New returns a new feed. It never fails: Config says how it resolves contradictions.
func New(cfg Config) *Feed {
	cfg = cfg.normalized()
	f := &Feed{
		cfg: cfg, random: draw.New(cfg.Seed, 0x5374726174610002), addresses: newAddresses(cfg), world: newWorld(),
	}
	f.world.tokens.secondDeploys = cfg.SecondDeploys
	f.fresh = newFreshSats(cfg.StartHeight, f.random)
	f.uuid = f.newUUID()
	return f
}

// Config returns the configuration with all defaults filled in.
func (f *Feed) Config() Config { return f.cfg }

// Next returns the next post of the stream, which never ends.
func (f *Feed) Next() Post {
	for {
		d := f.due()
		if d == nil {
			f.step()
			continue
		}
		if f.hand(d) {
			return Post{Path: path, Body: f.encode(d)}
		}
	}
}

// tip returns the last block of the branch; nil before the first block.
func (f *Feed) tip() *block {
	if len(f.branch) == 0 {
		return f.root
	}
	return f.branch[len(f.branch)-1]
}

// value returns a number of sats in a range.
func (f *Feed) value(least, most uint64) uint64 { return least + f.random.Uint64N(most-least+1) }

func (f *Feed) address() string { return f.addresses[f.random.IntN(len(f.addresses))] }

// blockHash returns a hash with leading zeros, like that of a block with proof of work.
func (f *Feed) blockHash() (h hash.Hash32) {
	f.random.Fill(h[9:])
	return h
}

// newUUID returns a random id of a registration (RFC 9562, version 4).
func (f *Feed) newUUID() string {
	h := f.random.Hash32()
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	d := h.String()[2:]
	return d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:32]
}
