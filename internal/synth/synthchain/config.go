package synthchain

// Range is a number of things, both ends included.
type Range struct{ Min, Max int }

// Config describes a chain. The same Config gives the same bytes. Fields left zero take the defaults named here, and
// values that contradict each other are brought in line by New; Chain.Config tells what came out. Probabilities are
// between 0 and 1, and 0 means never.
type Config struct {
	Seed            uint64
	Network         Network
	Accounts        int    // default 64, at least 8
	StartBurnHeight uint64 // burn block of the genesis block; default 666050 on mainnet, 100 on testnet
	TxPerBlock      Range  // besides coinbase and tenure change; default 1 to 8
	Mix             Mix
	Generation      Generation // default Newest

	Nakamoto           bool   // tenures of many blocks; raises Generation to V30
	NakamotoFromHeight uint64 // first such block, when Nakamoto is set; default 1
	BlocksPerTenure    int    // at most; default 5
	Maturity           int    // tenures (before Nakamoto: blocks) until a reward is paid; default 100
	Microblocks        bool   // streams between blocks, before Nakamoto
	MergedGenesis      bool   // boot receipts in block 1 and no block 0, as nodes before 2.1 have it; lowers Generation to V205, drops Nakamoto
	EmptyGenesisEvery  int    // announce block 0 again, empty, after so many posts (at least 2); default never
	SponsoredShare     float64
	RewardCycle        uint64  // burn blocks; default 20, so that locks end within tests
	EmptyBurnShare     float64 // burn blocks that elect no Stacks block; default 0
	BitcoinOpShare     float64 // blocks with operations that were made on Bitcoin
	VestingShare       float64 // blocks that mint STX

	ForkProbability         float64 // per block, that a fork begins
	MaxForkDepth            int     // Stacks blocks; default 3
	ReturnProbability       float64 // of a fork that won, that the abandoned branch wins in turn
	BitcoinReorgProbability float64 // per block
	MaxBitcoinReorgDepth    int     // burn blocks; default 3
	DuplicateProbability    float64 // per post: the same bytes again, or the same content in another order
	LateParentProbability   float64 // per block: its child comes first
	MempoolProbability      float64 // per transaction: announced before it is mined
	ReplaceProbability      float64 // per announced transaction: it replaces one with a lower fee
	DropProbability         float64 // per block: some transactions are dropped
	AttachmentProbability   float64 // per block: /attachments/new
	StackerDBProbability    float64 // per block: /stackerdb_chunks
	ProposalProbability     float64 // per block: /proposal_response

	// SigningSample signs one in so many transactions; the others get signatures that decode but don't verify.
	// Signing is what takes the time. Default 1: all of them are real.
	SigningSample int
	// ForgetHistory drops posts and identities of final blocks. CanonicalPosts and State.Blocks then reach back to the
	// last final block only.
	ForgetHistory bool
}

// Everything is a configuration with all that can happen, on a chain of the given generation.
func Everything(seed uint64, g Generation) Config {
	return Config{
		Seed: seed, Generation: g, Nakamoto: g == Newest || g >= V30, NakamotoFromHeight: 40, Maturity: 12,
		Microblocks: true, EmptyGenesisEvery: 97, SponsoredShare: 0.1, EmptyBurnShare: 0.2, BitcoinOpShare: 0.1,
		VestingShare: 0.05, ForkProbability: 0.1, ReturnProbability: 0.4, BitcoinReorgProbability: 0.03,
		DuplicateProbability: 0.05, LateParentProbability: 0.03, MempoolProbability: 0.3, ReplaceProbability: 0.2,
		DropProbability: 0.1, AttachmentProbability: 0.05, StackerDBProbability: 0.05, ProposalProbability: 0.05,
	}
}

// normalized fills defaults in and resolves contradictions.
func (c Config) normalized() Config {
	setDefault(&c.Accounts, 64)
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
	c.Mix = c.Mix.normalized()
	if c.Generation == Newest || c.Generation > V40 {
		c.Generation = V40
	}
	if c.MergedGenesis {
		c.Generation, c.Nakamoto = V205, false
	}
	if c.Nakamoto {
		c.Generation = max(c.Generation, V30)
		setDefault(&c.NakamotoFromHeight, 1)
	}
	setDefault(&c.BlocksPerTenure, 5)
	setDefault(&c.Maturity, 100)
	setDefault(&c.RewardCycle, 20)
	c.RewardCycle = max(c.RewardCycle, 5)
	setDefault(&c.MaxForkDepth, 3)
	setDefault(&c.MaxBitcoinReorgDepth, 3)
	setDefault(&c.SigningSample, 1)
	if c.EmptyGenesisEvery > 0 {
		c.EmptyGenesisEvery = max(c.EmptyGenesisEvery, 2)
	}
	return c
}

func setDefault[N int | uint64](field *N, value N) {
	if *field <= 0 {
		*field = value
	}
}
