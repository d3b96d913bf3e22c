package synthordinals

import (
	"slices"

	"strata/domain/ordinals"
	"strata/internal/synth/draw"
)

// Range is a number of things; both ends are included.
type Range = draw.Range

// Config describes a feed. The same Config gives the same bytes. Zero fields take the defaults named here, and New
// resolves contradictions between fields; Feed.Config returns the result. Shares and probabilities are between 0 and 1;
// 0 means never.
type Config struct {
	Seed        uint64
	Network     ordinals.Network // default mainnet
	StartHeight uint64           // first block; default 767430 on mainnet, otherwise 60; at least 20
	BlockTime   uint32           // average seconds between blocks; default 600
	Accounts    int              // number of addresses; default 64, at least 4
	Live        int              // maximum number of outputs that may still be spent; default 2000, at least 16

	// Per block that is sent. If all three are zero: 1 to 6 reveals and 0 to 4 transfers.
	Reveals   Range // inscriptions, without those of Tokens
	Transfers Range // transactions that move sats, without those of Tokens
	Tokens    Range // BRC-20 transactions; none before BRC-20 started on the network

	SecondDeploys bool // the feed deploys some BRC-20 tickers again, as an indexer does that has lost its state; the first deploy counts

	ContentBytes Range // size of random contents; default 0 to 400

	// Shares of reveals.
	ReinscriptionShare float64 // on a sat that is already inscribed
	SeveralShare       float64 // followed by a further one in the same transaction
	CursedShare        float64 // with a flawed envelope; there are other reasons for curses
	RareSatShare       float64 // on a sat that collectors look for
	UnboundShare       float64 // on no sat at all
	RevealFeesShare    float64
	RevealBurntShare   float64
	DelegateShare      float64
	ParentShare        float64
	RecursionShare     float64
	MetadataShare      float64

	// Shares of transfers.
	SharedOutputShare  float64 // several sats into one output; also a share of reveals
	TransferFeesShare  float64
	TransferBurntShare float64
	SelfSendShare      float64 // of BRC-20 amounts that are sent: back to the sender

	EmptyHeightShare float64 // of heights: no block is sent

	Shapes           []Shape // one is drawn for each block; default the newest
	BlocksPerPayload Range   // default 1
	ReplayBlocks     int     // number of first blocks that are sent as a replay

	RollbackProbability        float64 // per payload
	MaxRollbackDepth           int     // blocks; default 6
	ReturnProbability          float64 // per abandoned branch: it wins in turn
	RemineShare                float64 // of transactions of an abandoned branch: the winner mines them, too, if it can
	UnknownRollbackProbability float64 // per payload: it rolls back a block that was never applied
	DuplicateProbability       float64 // per payload: it is repeated, with the same bytes or in another wording
	OutOfOrderProbability      float64 // per payload: the next one comes first
	GapProbability             float64 // per payload: it is lost, and comes with a replay much later

	// ForgetHistory drops old blocks. Expected and CanonicalPosts then cover only the last ones, as if the feed had
	// started with them.
	ForgetHistory bool
}

// Everything returns a configuration in which everything happens. On Regtest the feed soon passes the jubilee, and
// BRC-20 tokens of every kind exist from the start.
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

// normalized returns the configuration with defaults filled in and contradictions resolved.
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
	const firstHeight, lastHeight = 20, 3_000_000 // enough sats below the first, enough subsidy at the last
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
