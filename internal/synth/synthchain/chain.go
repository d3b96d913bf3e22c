package synthchain

import (
	"math/rand/v2"
)

// Post is one HTTP request that a node makes to its observer.
type Post struct {
	Path string // such as /new_block
	Body []byte // must not be changed
}

// Chain is an endless stream of posts and the truth about them. It is not safe for concurrent use.
type Chain struct {
	cfg      Config
	random   *rand.Rand
	weight   int // sum of the mix
	signed   uint64
	roll     *roll
	accounts []*account
	model    *model

	root    *block   // the last final one; before all others genesis
	blocks  []*block // root and what is not final, parents first
	burns   []*burnBlock
	burnTip *burnBlock // of those handed out

	queue    []delivery
	delayed  []repetition
	next     int // in queue
	posts    uint64
	arrivals int
	forks    []planned

	finalHeight uint64 // greatest height of a block that was dropped as a rival of final ones
	history     history
	genesis     []byte // body of the empty announcement of block 0
	pool        pool
	payees      []string // Bitcoin addresses that are paid more than once
	buffer      []byte   // for bodies in the making
}

// delivery is a post in waiting, and what is to be noted when it is handed out.
type delivery struct {
	post Post
	see  func()
}

// repetition is a post that comes again after some others.
type repetition struct {
	post Post
	left int
}

// miners is the number of accounts that mine: the first ones.
const miners = 4

// New makes a chain. It cannot fail: see Config for what it does with what can't be.
func New(cfg Config) *Chain {
	cfg = cfg.normalized()
	c := &Chain{cfg: cfg, random: rand.New(rand.NewPCG(cfg.Seed, 0x5374726174610001)), roll: newRoll(), model: newModel()}
	for _, w := range cfg.Mix.weights() {
		c.weight += w
	}
	for i := range cfg.Accounts {
		c.accounts = append(c.accounts, newAccount(cfg, c.roll, i))
	}
	c.begin()
	return c
}

// Config is the configuration with defaults filled in.
func (c *Chain) Config() Config { return c.cfg }

// Next is the next post of the stream, which never ends.
func (c *Chain) Next() Post {
	c.posts++
	if every := uint64(c.cfg.EmptyGenesisEvery); every > 0 && c.posts%every == 0 && c.genesis != nil {
		return Post{Path: "/new_block", Body: c.genesis}
	}
	for i := range c.delayed {
		if c.delayed[i].left--; c.delayed[i].left <= 0 {
			p := c.delayed[i].post
			c.delayed = append(c.delayed[:i], c.delayed[i+1:]...)
			return p
		}
	}
	for c.next == len(c.queue) {
		clear(c.queue)
		c.queue, c.next = c.queue[:0], 0
		c.step()
	}
	d := c.queue[c.next]
	c.next++
	if d.see != nil {
		d.see()
	}
	return d.post
}

// deliver queues a post, and sometimes its repetition: at once, or after some others.
func (c *Chain) deliver(d delivery, again []byte) {
	c.queue = append(c.queue, d)
	if !c.chance(c.cfg.DuplicateProbability) {
		return
	}
	p := d.post
	if again != nil && c.random.IntN(2) == 0 {
		p.Body = again
	}
	c.delayed = append(c.delayed, repetition{post: p, left: len(c.queue) - c.next + 1 + c.random.IntN(8)})
}

// step adds to the queue: usually one block with what goes with it.
func (c *Chain) step() {
	c.finalize()
	if c.chance(c.cfg.BitcoinReorgProbability) && c.reorganizeBitcoin() {
		return
	}
	parent, fresh := c.choose()
	b := c.grow(parent, fresh)
	c.advance(parent, b)
	if len(c.forks) == 0 && c.chance(c.cfg.LateParentProbability) {
		child := c.grow(b, false)
		c.deliverBlock(child)
		c.deliverBlock(b)
		return
	}
	c.deliverBlock(b)
	c.surround(b)
}

func (c *Chain) deliverBlock(b *block) {
	c.deliver(delivery{post: b.post, see: func() { c.seeBlock(b) }}, b.again)
	b.again = nil
}
