package synthordinals

import (
	"strata/domain/hash"
	"strata/internal/synth/draw"
	"strata/internal/synth/simulate"
)

// Post is one HTTP request of an indexer. Its path is always /payload.
type Post = simulate.Post

// path of all posts.
const path = "/payload"

// Feed is an endless stream of posts and the truth about them. It is not safe for concurrent use.
type Feed struct {
	cfg       Config
	random    draw.Source
	addresses []string
	fresh     *fresh
	world     *world
	uuid      string

	root    *block   // the last block that is final; nil for none
	branch  []*block // that can be taken back, oldest first
	floor   uint64   // the next block is not below, because Bitcoin is there already
	made    int      // blocks, those of branches that lost included
	mempool []*plan  // of a branch that lost

	canonical []*block // applied, by height
	queue     []*delivery
	later     []*delivery
	posts     uint64 // handed out
}

// New makes a feed. It cannot fail: see Config for what it does with what can't be.
func New(cfg Config) *Feed {
	cfg = cfg.normalized()
	f := &Feed{
		cfg: cfg, random: draw.New(cfg.Seed, 0x5374726174610002), addresses: newAddresses(cfg), world: newWorld(),
	}
	f.fresh = newFresh(cfg.StartHeight, f.random)
	f.uuid = f.newUUID()
	return f
}

// Config is the configuration with defaults filled in.
func (f *Feed) Config() Config { return f.cfg }

// Next is the next post of the stream, which never ends.
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

// tip is the last block of the branch; nil at the very beginning.
func (f *Feed) tip() *block {
	if len(f.branch) == 0 {
		return f.root
	}
	return f.branch[len(f.branch)-1]
}

// value is a number of sats in a range.
func (f *Feed) value(least, most uint64) uint64 { return least + f.random.Uint64N(most-least+1) }

func (f *Feed) address() string { return f.addresses[f.random.IntN(len(f.addresses))] }

// blockHash looks as if there were work behind it.
func (f *Feed) blockHash() (h hash.Hash32) {
	f.random.Fill(h[9:])
	return h
}

// newUUID is the id of a registration, which is a random one (RFC 9562, version 4).
func (f *Feed) newUUID() string {
	h := f.random.Hash32()
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	d := h.String()[2:]
	return d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:32]
}
