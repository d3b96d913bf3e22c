// Package balances keeps what every account has: STX, fungible tokens, non-fungible tokens, locks and nonces.
//
// Its core is one ledger. Each change of a balance is an entry with the balance after it, so the balance at the
// tip, the balance at any earlier block, the history of an account and the audit trail are all reads of that table.
//
// # What moves STX (the node's rules; no event exists for fees and coinbases)
//
//   - committed stx_transfer, stx_mint and stx_burn events of successful transactions;
//   - the fee of every mined transaction, whatever its status, paid by the sponsor if there is one, else by the
//     origin; operations from Bitcoin, boot and phantom transactions pay none;
//   - matured miner rewards, credited in the block that reports them, 100 blocks (2.x) or tenures (3.x) after they
//     were earned, never in the block of the coinbase.
//
// A lock moves nothing: it makes a part of the balance unavailable until a Bitcoin height.
//
// # Order
//
// Rows follow the order of execution: transactions of microblocks before anchored ones; in each transaction, its
// events and then its fee; miner rewards at the end of the block.
package balances

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"strata/projections"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "balances"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: supply and number of holders of each asset; mints are numbered, and an owner's tokens are in order of receipt.
//   - 3: a lock that a print ends early lasts until the Bitcoin height that the print names.
//   - 4: entries of the ledger name holdings, causes and places by numbers; the view ledger shows what the table of that name had.
//   - 5: nonces name accounts by numbers, too; the view nonce shows what the table of that name had.
const Version = 5

// Balances is the projection. It is not safe for concurrent use: one follower owns it.
type Balances struct {
	spec     projections.Spec
	logger   *slog.Logger
	negative prometheus.Counter
	state    *state // nil until read from the tables
}

// New returns the projection. A nil logger discards its lines.
func New(logger *slog.Logger) *Balances {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	p := &Balances{spec: Spec(), logger: logger}
	p.Instrument(prometheus.NewRegistry())
	return p
}

// Instrument registers the projection's metrics. Call it before the projection runs.
func (p *Balances) Instrument(registry prometheus.Registerer) {
	p.negative = promauto.With(registry).NewCounter(prometheus.CounterOpts{
		Namespace: "strata", Subsystem: "balances", Name: "negative_total",
		Help: "Balances that became negative, which no chain allows. List them at /audit/v1/negative-balances.",
	})
}

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version},
		Tables: tables,
		API:    views,
		Views:  []string{"ledger", "holding", "nft_event", "nft_custody", "asset", "stx_lock", "nonce", "negative_balance"},
	}
}

// Spec implements projections.Projection.
func (p *Balances) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Balances) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return &Balances{spec: spec, logger: p.logger, negative: p.negative}
}

// Forget implements projections.Projection.
func (p *Balances) Forget() { p.state = nil }

// state is what the projection keeps in memory between batches. It may be dropped at any time and read again.
type state struct {
	position int64 // number of the last step folded
	tip      *projections.Tip
	last     int32 // id of the last holding; read with the tip
	signer   int32 // id of the last signer; read with the tip
	holdings map[holdingKey]*holding
	tokens   map[tokenKey]*token
	nonces   map[string]*nonce
	assets   map[string]*asset
}

// Fold implements projections.Projection.
func (p *Balances) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	if p.state == nil || p.state.position != after {
		p.state = &state{holdings: map[holdingKey]*holding{}, tokens: map[tokenKey]*token{}, nonces: map[string]*nonce{}, assets: map[string]*asset{}}
	}
	b := &batch{spec: p.spec, tx: tx, state: p.state}
	var touched *projections.Touched // nil for a batch of several steps, which may touch anything
	single, end := len(steps) == 1, steps[len(steps)-1]
	if single && end.Kind == projections.TakeRecord { // the chain does not change
		touched = projections.NewTouched()
	}
	steps = projections.Lasting(steps)
	for len(steps) > 0 {
		if steps[0].Kind == projections.Revert {
			if single {
				read := &pgx.Batch{}
				found := b.queueReverted(read, steps[0])
				if err := tx.SendBatch(ctx, read).Close(); err != nil {
					return projections.Outcome{}, fmt.Errorf("read what block %s at height %d touched: %w", steps[0].IndexBlockHash, steps[0].Height, err)
				}
				touched = found.Touched
			}
			if err := b.revert(ctx, steps[0]); err != nil {
				return projections.Outcome{}, fmt.Errorf("revert block %s at height %d: %w", steps[0].IndexBlockHash, steps[0].Height, err)
			}
			steps = steps[1:]
			continue
		}
		// Fold a run of applies together: read all their rows at once, and write them at once.
		run := 1
		for run < len(steps) && steps[run].Kind == projections.Apply {
			run++
		}
		found, read := &touchedShards{}, &pgx.Batch{}
		if single {
			found = b.queueEnded(read, steps[0])
		}
		if err := b.apply(ctx, steps[:run], read, found); err != nil {
			return projections.Outcome{}, fmt.Errorf("apply blocks at heights %d to %d: %w", steps[0].Height, steps[run-1].Height, err)
		}
		touched = found.Touched
		steps = steps[run:]
	}
	p.state.trim()
	tip, err := b.tip(ctx)
	if err != nil {
		return projections.Outcome{}, err
	}
	p.state.position = end.Number
	return projections.Outcome{Tip: tip, Touched: touched, Observe: p.observe(ctx, b.negative)}, nil
}

// observe returns the function that counts and logs balances that have become negative, once the batch has committed.
// It returns nil if there are none.
func (p *Balances) observe(ctx context.Context, all []negative) func() {
	if len(all) == 0 {
		return nil
	}
	return func() {
		n := all[0]
		p.negative.Add(float64(len(all)))
		p.logger.LogAttrs(ctx, slog.LevelWarn, "balances became negative; the log lacks events or begins above genesis",
			slog.Int("balances", len(all)), slog.String("first_account", n.account), slog.String("asset", n.asset),
			slog.String("balance", n.balance.String()), slog.Int64("height", n.height), slog.Int64("seq", n.seq),
			slog.String("cause", n.cause), slog.String("pointer", n.pointer))
	}
}

// cacheMax is the maximum size of each map of the state between batches.
const cacheMax = 1 << 16

func (s *state) trim() {
	if len(s.holdings) > cacheMax {
		clear(s.holdings)
	}
	if len(s.tokens) > cacheMax {
		clear(s.tokens)
	}
	if len(s.nonces) > cacheMax {
		clear(s.nonces)
	}
	if len(s.assets) > cacheMax {
		clear(s.assets)
	}
}

// tip returns the newest block that the rows reflect, or nil if there is none.
func (b *batch) tip(ctx context.Context) (*projections.Tip, error) {
	if b.state.tip != nil {
		return b.state.tip, nil
	}
	b.state.last, b.state.signer = 0, 0
	var err error
	b.state.tip, err = b.spec.ReadTipWith(ctx, b.tx, ", holdings, signers", &b.state.last, &b.state.signer)
	return b.state.tip, err
}

// blockRow returns the values of blockColumns. holdings and signers are their numbers up to the block.
func blockRow(step projections.Step, holdings, signers int32) []any {
	c := step.Block
	return []any{
		step.Height, step.BlockSeq, int64(c.BurnBlockHeight), holdings, signers,
		height(c.PoxV1UnlockHeight), height(c.PoxV2UnlockHeight), height(c.PoxV3UnlockHeight), height(c.PoxV4UnlockHeight),
		step.IndexBlockHash[:], c.BlockHash[:],
	}
}

var blockColumns = []string{
	"height", "source_seq", "burn_block_height", "holdings", "signers",
	"pox_v1_unlock_height", "pox_v2_unlock_height", "pox_v3_unlock_height", "pox_v4_unlock_height",
	"index_block_hash", "block_hash",
}

// height returns the value of a height's column: null for nil. chain has refused blocks with numbers beyond 2^63.
func height(u *uint64) any {
	if u == nil {
		return nil
	}
	return int64(*u)
}
