package synthordinals

import (
	"slices"

	"strata/domain/ordinals"
	"strata/internal/synth/draw"
)

// Range is a number of things; both ends are included.
type Range = draw.Range

// Config describes a feed. The same Config gives the same bytes. Fields left zero take the defaults named here, and
// values that contradict each other are brought in line by New; Feed.Config tells what came out. Shares and
// probabilities are between 0 and 1, and 0 means never.
type Config struct {
	Seed        uint64
	Network     ordinals.Network // default mainnet
	StartHeight uint64           // of the first block; default 767430 on mainnet, otherwise 60; at least 20
	BlockTime   uint32           // seconds between blocks, on average; default 600
	Accounts    int              // addresses; default 64, at least 4
	Live        int              // outputs that may still be spent; default 2000, at least 16

	// In each block that is sent. Where all three are zero: 1 to 6 reveals and 0 to 4 transfers.
	Reveals   Range // inscriptions, apart from those of Tokens
	Transfers Range // transactions that move sats, apart from those of Tokens
	Tokens    Range // transactions about BRC-20; none before BRC-20 began on the network

	ContentBytes Range // of contents that nothing else decides; default 0 to 400

	// Of reveals.
	ReinscriptionShare float64 // on a sat that is inscribed
	SeveralShare       float64 // further ones in the transaction
	CursedShare        float64 // flawed envelopes; there are curses without, for other reasons
	RareSatShare       float64 // on sats that collectors look for
	UnboundShare       float64 // on no sat at all
	RevealFeesShare    float64
	RevealBurntShare   float64
	DelegateShare      float64
	ParentShare        float64
	RecursionShare     float64
	MetadataShare      float64

	// Of transfers.
	SharedOutputShare  float64 // of several sats into one output, also of reveals
	TransferFeesShare  float64
	TransferBurntShare float64
	SelfSendShare      float64 // of BRC-20 amounts that are sent: to the sender

	EmptyHeightShare float64 // heights without a block that is sent

	Shapes           []Shape // one is drawn for each block; default the newest
	BlocksPerPayload Range   // default 1
	ReplayBlocks     int     // blocks sent as a replay of old ones, before those at the tip

	RollbackProbability        float64 // per payload
	MaxRollbackDepth           int     // blocks; default 6
	ReturnProbability          float64 // of a branch that lost, that it wins in turn
	RemineShare                float64 // transactions of the branch that lost that the other one has too, where it can
	UnknownRollbackProbability float64 // per payload: takes back a block that was never applied
	DuplicateProbability       float64 // per payload: the same bytes again, or the same blocks in other words
	OutOfOrderProbability      float64 // per payload: the next one comes first
	GapProbability             float64 // per payload: it is lost, and comes with a replay much later

	// ForgetHistory drops old blocks. Expected and CanonicalPosts then know the last ones only, as though the feed had
	// begun with them.
	ForgetHistory bool
}

// Everything is a configuration with all that can happen. On Regtest the feed soon passes the jubilee, and every kind of
// BRC-20 token is there from the start.
func Everything(seed uint64, network ordinals.Network) Config {
	return Config{
		Seed: seed, Network: network, Reveals: Range{Min: 0, Max: 6}, Transfers: Range{Min: 0, Max: 5}, Tokens: Range{Min: 0, Max: 4},
		ReinscriptionShare: 0.15, SeveralShare: 0.25, CursedShare: 0.15, RareSatShare: 0.15, UnboundShare: 0.04,
		RevealFeesShare: 0.05, RevealBurntShare: 0.05, DelegateShare: 0.08, ParentShare: 0.15, RecursionShare: 0.2,
		MetadataShare: 0.2, SharedOutputShare: 0.3, TransferFeesShare: 0.08, TransferBurntShare: 0.05, SelfSendShare: 0.2,
		EmptyHeightShare: 0.25, Shapes: Shapes(), BlocksPerPayload: Range{Min: 1, Max: 3}, ReplayBlocks: 20,
		RollbackProbability: 0.08, ReturnProbability: 0.3, RemineShare: 0.7, UnknownRollbackProbability: 0.03,
		DuplicateProbability: 0.08, OutOfOrderProbability: 0.05, GapProbability: 0.04,
	}
}

// normalized fills defaults in and resolves contradictions.
func (c Config) normalized() Config {
	if c.Network == "" {
		c.Network = ordinals.Mainnet
	}
	if c.StartHeight == 0 {
		c.StartHeight = 60
		if c.Network == ordinals.Mainnet {
			c.StartHeight = 767_430
		}
	}
	const firstHeight, lastHeight = 20, 3_000_000 // enough sats below, enough of a subsidy above
	c.StartHeight = min(max(c.StartHeight, firstHeight), lastHeight)
	draw.Default(&c.BlockTime, 600)
	c.BlockTime = min(c.BlockTime, 900)
	draw.Default(&c.Accounts, 64)
	c.Accounts = max(c.Accounts, 4)
	draw.Default(&c.Live, 2000)
	c.Live = max(c.Live, 16)
	if c.Reveals == (Range{}) && c.Transfers == (Range{}) && c.Tokens == (Range{}) {
		c.Reveals, c.Transfers = Range{Min: 1, Max: 6}, Range{Min: 0, Max: 4}
	}
	if c.ContentBytes == (Range{}) {
		c.ContentBytes = Range{Min: 0, Max: 400}
	}
	if c.BlocksPerPayload.Max <= 0 {
		c.BlocksPerPayload = Range{Min: 1, Max: 1}
	}
	c.BlocksPerPayload.Min = max(c.BlocksPerPayload.Min, 1)
	for _, r := range []*Range{&c.Reveals, &c.Transfers, &c.Tokens, &c.ContentBytes, &c.BlocksPerPayload} {
		r.Min = max(r.Min, 0)
		r.Max = max(r.Max, r.Min)
	}
	if len(c.Shapes) == 0 {
		c.Shapes = []Shape{NewestShape()}
	}
	c.Shapes = slices.Clone(c.Shapes)
	draw.Default(&c.MaxRollbackDepth, 6)
	return c
}
