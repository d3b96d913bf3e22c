package synthchain

import (
	"strata/internal/synth/draw"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/plan"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/synthstaking"
)

// Post is one HTTP request of a node to its observer.
type Post = simulate.Post

// Chain is an endless stream of posts, with the state that they lead to. It is not safe for concurrent use.
type Chain struct {
	cfg      Config
	random   draw.Source
	encoder  nodejson.Encoder
	roll     *ledger.Roll
	accounts []*account.Account
	rules    *vm.Rules
	planner  *plan.Planner
	model    *model

	root    *block   // the last final block; at first genesis
	blocks  []*block // root and all blocks that are not final, parents first
	burns   []*burnBlock
	burnTip *burnBlock // Bitcoin's tip according to the posts that were handed out

	queue    []delivery
	delayed  []repetition
	next     int // index in queue
	posts    uint64
	arrivals int // blocks that were handed out
	forks    []forkPlan

	finalHeight uint64 // greatest height of a final block, or of a block that was dropped as a rival of final blocks
	history     history
	genesis     []byte // body of the empty announcement of block 0
	pool        pool
	payees      []string // Bitcoin addresses that are paid more than once
}

// delivery is a queued post. see, if not nil, is called when the post is handed out.
type delivery struct {
	post Post
	see  func()
}

// repetition is a post that is handed out again after left other posts.
type repetition struct {
	post Post
	left int
}

// miners is the number of accounts that mine. They are the first ones.
const miners = 4

// New returns a new chain. It never fails: Config says how it resolves contradictions.
func New(cfg Config) *Chain {
	cfg = cfg.normalized()
	var schedule *node.Schedule
	if cfg.AllEpochs {
		schedule = node.Compressed(cfg.StartBurnHeight, cfg.RewardCycle)
	}
	random, roll := draw.New(cfg.Seed, 0x5374726174610001), ledger.NewRoll()
	c := &Chain{
		cfg: cfg, random: random, roll: roll, model: &model{Ledger: ledger.New()},
		encoder: nodejson.Encoder{Generation: cfg.Generation, StartBurnHeight: cfg.StartBurnHeight, Schedule: schedule, Random: random},
		rules: &vm.Rules{
			Generation: cfg.Generation, Network: cfg.Network, Roll: roll, StartBurnHeight: cfg.StartBurnHeight,
			RewardCycle: cfg.RewardCycle, Schedule: schedule, Zonefiles: map[string][]byte{},
		},
	}
	if cfg.WrittenBy != Newest { // it draws other numbers than the chain, as it may need more of them
		c.encoder.Generation, c.encoder.Random = cfg.WrittenBy, draw.New(cfg.Seed, 0x5374726174610002)
	}
	for i := range cfg.Accounts {
		c.accounts = append(c.accounts, account.New(cfg.Seed, cfg.Network, cfg.Generation, roll, i))
	}
	c.planner = plan.New(plan.Config{
		Mix: cfg.Mix, SigningSample: cfg.SigningSample, SponsoredShare: cfg.SponsoredShare,
		ReplaceProbability: cfg.ReplaceProbability,
	}, c.rules, random, c.accounts)
	if schedule != nil {
		c.model.Staking.Set(synthstaking.NewAt(c.rules.StakingClock()))
		c.model.Take() // there from the start
	}
	c.begin()
	return c
}

// Config returns the configuration with all defaults filled in.
func (c *Chain) Config() Config { return c.cfg }

// Next returns the next post of the stream, which never ends.
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

// deliver queues a post, and sometimes a repetition of it after some other posts. The repetition may have the body
// reordered, if that is not nil.
func (c *Chain) deliver(d delivery, reordered []byte) {
	c.queue = append(c.queue, d)
	if !c.random.Chance(c.cfg.DuplicateProbability) {
		return
	}
	p := d.post
	if reordered != nil && c.random.IntN(2) == 0 {
		p.Body = reordered
	}
	c.delayed = append(c.delayed, repetition{post: p, left: len(c.queue) - c.next + 1 + c.random.IntN(8)})
}

// step extends the queue, usually by one block and the posts that come with it.
func (c *Chain) step() {
	c.finalize()
	if c.random.Chance(c.cfg.BitcoinReorgProbability) && c.reorganizeBitcoin() {
		return
	}
	parent, fresh := c.chooseParent()
	b := c.grow(parent, fresh)
	c.advance(parent, b)
	if len(c.forks) == 0 && c.random.Chance(c.cfg.LateParentProbability) {
		child := c.grow(b, false)
		c.deliverBlock(child)
		c.deliverBlock(b)
		c.queueZonefiles(child)
		c.queueZonefiles(b)
		return
	}
	c.deliverBlock(b)
	c.queueSurroundings(b)
}

func (c *Chain) deliverBlock(b *block) {
	c.deliver(delivery{post: b.post, see: func() {
		c.arrivals++
		b.seen, b.order = true, c.arrivals
	}}, b.reordered)
	b.reordered = nil
}
