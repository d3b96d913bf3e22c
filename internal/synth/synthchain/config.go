package synthchain

import (
	"strata/internal/synth/draw"
	"strata/internal/synth/synthchain/internal/plan"
)

// Range is a number of things; both ends are included.
type Range = draw.Range

// Mix has the relative weights of the kinds of transactions. A kind that is impossible at the moment, because nobody
// owns a token yet, for example, becomes a transfer. The zero Mix stands for DefaultMix.
type Mix = plan.Mix

// DefaultMix returns a mix of all kinds.
func DefaultMix() Mix { return plan.DefaultMix() }

// Config describes a chain. The same Config gives the same bytes. Zero fields take the defaults named here, and New
// resolves contradictions between fields; Chain.Config returns the result. Shares and probabilities are between 0 and
// 1; 0 means never.
type Config struct {
	Seed            uint64
	Network         Network
	Accounts        int    // default 64, at least 8
	StartBurnHeight uint64 // burn block of the genesis block; default 666050 on mainnet, 100 on testnet
	TxPerBlock      Range  // without coinbase and tenure change; default 1 to 8
	Mix             Mix
	Generation      Generation // default Newest
	// WrittenBy is the release of the node that writes the bodies; default Generation. Chains that differ in it alone are the same.
	WrittenBy Generation

	// AllEpochs lets the chain go through all epochs, from 2.0 to 4.0, within some nine reward cycles. The posts are those
	// of the newest node throughout, as when it follows the chain from the start. It decides when Nakamoto starts.
	AllEpochs          bool
	Nakamoto           bool   // tenures of many blocks; raises Generation to V30
	NakamotoFromHeight uint64 // first Nakamoto block, if Nakamoto is set; default 1
	BlocksPerTenure    int    // maximum; default 5
	Maturity           int    // tenures (before Nakamoto: blocks) until a reward is paid; default 100
	Microblocks        bool   // streams of microblocks between blocks, before Nakamoto
	// MergedGenesis puts the boot receipts into block 1 and omits block 0, as nodes before 2.1 do. It lowers Generation
	// to V205 and switches Nakamoto off.
	MergedGenesis     bool
	EmptyGenesisEvery int     // posts between empty announcements of block 0; at least 2, default never
	SponsoredShare    float64 // of transactions
	RewardCycle       uint64  // burn blocks; default 20, so that locks end within tests
	EmptyBurnShare    float64 // of burn blocks: they elect no Stacks block
	BitcoinOpShare    float64 // of blocks: they have an operation that was made on Bitcoin
	VestingShare      float64 // of blocks: they mint vested STX

	ForkProbability         float64 // per block: a fork starts
	MaxForkDepth            int     // Stacks blocks; default 3
	ReturnProbability       float64 // per fork that wins: the abandoned branch wins in turn
	BitcoinReorgProbability float64 // per block
	MaxBitcoinReorgDepth    int     // burn blocks; default 3
	DuplicateProbability    float64 // per post: it is repeated, with the same bytes or with the same content in another order
	LateParentProbability   float64 // per block: its child comes first
	MempoolProbability      float64 // per transaction: it is announced before it is mined
	ReplaceProbability      float64 // per announced transaction: it replaces one with a lower fee
	DropProbability         float64 // per block: some transactions are dropped
	AttachmentProbability   float64 // per block: /attachments/new
	StackerDBProbability    float64 // per block: /stackerdb_chunks
	ProposalProbability     float64 // per block: /proposal_response

	// SigningSample is n to sign one of n transactions. The others get signatures that decode but do not verify.
	// Signing takes most of the time. Default 1: all signatures are genuine.
	SigningSample int
	// ForgetHistory drops the posts and identities of final blocks. CanonicalPosts and State.Blocks then reach back
	// only to the last final block.
	ForgetHistory bool
}

// Everything returns a configuration in which everything happens that a generation allows.
func Everything(seed uint64, g Generation) Config {
	return Config{
		Seed: seed, Generation: g, Nakamoto: g == Newest || g >= V30, NakamotoFromHeight: 40, Maturity: 12,
		Microblocks: true, EmptyGenesisEvery: 97, SponsoredShare: 0.1, EmptyBurnShare: 0.2, BitcoinOpShare: 0.1,
		VestingShare: 0.05, ForkProbability: 0.1, ReturnProbability: 0.4, BitcoinReorgProbability: 0.03,
		DuplicateProbability: 0.05, LateParentProbability: 0.03, MempoolProbability: 0.3, ReplaceProbability: 0.2,
		DropProbability: 0.1, AttachmentProbability: 0.05, StackerDBProbability: 0.05, ProposalProbability: 0.05,
	}
}

// AllEpochs returns a configuration in which everything happens on a test network that goes through all epochs on a
// compressed schedule. Reward cycles have ten burn blocks, so that the first bonds of pox-5 end after some 210 of them.
func AllEpochs(seed uint64) Config {
	c := Everything(seed, Newest)
	c.Network, c.AllEpochs, c.RewardCycle, c.BlocksPerTenure = Testnet, true, 10, 2
	c.Mix = DefaultMix()
	c.Mix.Staking = 90
	return c
}

// normalized returns the configuration with defaults filled in and contradictions resolved.
func (c Config) normalized() Config {
	draw.Default(&c.Accounts, 64)
	c.Accounts = max(c.Accounts, 8)
	if c.StartBurnHeight == 0 {
		c.StartBurnHeight = 100
		if c.Network == Mainnet {
			c.StartBurnHeight = 666050
		}
	}
	if c.TxPerBlock == (Range{}) {
		c.TxPerBlock = Range{Min: 1, Max: 8}
	}
	c.TxPerBlock.Min = max(c.TxPerBlock.Min, 0)
	c.TxPerBlock.Max = max(c.TxPerBlock.Max, c.TxPerBlock.Min)
	if c.Mix == (Mix{}) {
		c.Mix = DefaultMix()
	}
	c.Mix = c.Mix.Normalized()
	if c.Generation == Newest || c.Generation > V40 {
		c.Generation = V40
	}
	if c.AllEpochs {
		c.Generation, c.Nakamoto, c.MergedGenesis = V40, true, false
	}
	if c.MergedGenesis {
		c.Generation, c.Nakamoto = V205, false
	}
	if c.Nakamoto {
		c.Generation = max(c.Generation, V30)
		draw.Default(&c.NakamotoFromHeight, 1)
	}
	draw.Default(&c.BlocksPerTenure, 5)
	draw.Default(&c.Maturity, 100)
	draw.Default(&c.RewardCycle, 20)
	c.RewardCycle = max(c.RewardCycle, 5)
	draw.Default(&c.MaxForkDepth, 3)
	draw.Default(&c.MaxBitcoinReorgDepth, 3)
	draw.Default(&c.SigningSample, 1)
	if c.EmptyGenesisEvery > 0 {
		c.EmptyGenesisEvery = max(c.EmptyGenesisEvery, 2)
	}
	return c
}
