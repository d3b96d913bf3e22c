package account

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/packed"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

type miningInput struct {
	param.PrincipalInput
}

// Dependencies returns the lists of the account.
func (in *miningInput) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Principal))
}

type miningRewardsInput struct {
	param.PrincipalInput
	Limit  int    `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9]+:[0-9]+$" doc:"Where the page begins: height of the block that credits the reward, and index of the reward among all that it credits, separated by a colon."`
}

// Dependencies returns the lists of the account.
func (in *miningRewardsInput) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Principal))
}

// mining is what an account has earned as a miner.
type mining struct {
	Rewards miningTotal `json:"rewards"`
}

// miningTotal sums up the matured rewards of an account.
type miningTotal struct {
	Count    int64         `json:"count" doc:"Number of matured rewards."`
	Coinbase schema.Amount `json:"coinbase" doc:"µSTX, as all amounts."`
	Fees     schema.Amount `json:"fees"`
	Total    schema.Amount `json:"total"`
}

// miningReward is a matured reward.
type miningReward struct {
	ID          string           `json:"id" doc:"<index hash of block>:<index of the reward among all that the block credits>"`
	Recipient   string           `json:"recipient" doc:"The account."`
	Miner       string           `json:"miner" doc:"Address of the miner: the recipient where the node named none."`
	Block       view.BlockPlace  `json:"block" doc:"The block that credits the reward: 100 blocks or tenures after the one that earned it."`
	SourceBlock *view.BlockPlace `json:"source_block" doc:"The block that earned the reward; null where the node did not say which."`
	Coinbase    schema.Amount    `json:"coinbase" doc:"µSTX, as all amounts."`
	Fees        schema.Amount    `json:"fees" doc:"Of the transactions of the block or tenure, and of microblocks."`
	Total       schema.Amount    `json:"total"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*miningReward) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "source_block")
}

func (a *api) registerMining() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-mining", Path: "/extended/v3/principals/{principal}/mining", Tag: "Accounts", Summary: "What an account has earned as a miner",
		Description: "Matured rewards only.", Statuses: []int{http.StatusBadRequest},
	}, getMining)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mining-rewards", Path: "/extended/v3/principals/{principal}/mining/rewards", Tag: "Accounts", Summary: "Matured rewards of a miner, newest first",
		Statuses: []int{http.StatusBadRequest},
	}, a.listMiningRewards)
}

// rewardSum is the last reward of an account, with the sums of all.
type rewardSum struct {
	n              int64
	coinbase, fees string
}

// rewardsOf is the SQL condition that selects the rewards r of the account $1.
const rewardsOf = `r.account = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1)`

// queueRewardSum adds to a batch the query for the last reward of an account.
func queueRewardSum(b *engine.Batch, account string) *engine.Result[rewardSum] {
	return engine.Query(b, func(r *rewardSum) []any { return []any{&r.n, &r.coinbase, &r.fees} }, `
		SELECT {accounts.miner_reward r}, r.n::bigint, r.coinbase_sum::text, r.fees_sum::text
		FROM {accounts}.miner_reward r WHERE `+rewardsOf+` ORDER BY r.n DESC LIMIT 1`, account)
}

func getMining(ctx context.Context, s *engine.Snapshot, in *miningInput) (*mining, error) {
	body := &mining{miningTotal{Coinbase: "0", Fees: "0", Total: "0"}}
	if _, ok := s.Tip("accounts"); !ok {
		return body, nil
	}
	b := s.Batch()
	found := queueRewardSum(b, string(in.Principal))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	last, ok := found.First()
	if ok {
		body.Rewards = miningTotal{last.n, schema.Amount(last.coinbase), schema.Amount(last.fees), schema.AddAmounts(last.coinbase, last.fees)}
	}
	return body, nil
}

// rewardRow is a reward with the blocks that credit and earned it.
type rewardRow struct {
	n, height      int64
	position       int // in the block's list of rewards
	coinbase, fees string
	block, source  rewardBlock
	seq            int64
	body           rewardBody
	miner          string
}

type rewardBlock struct {
	height, time, burnHeight, burnTime *int64
	id, index                          *hash.Hash32
}

// rewardBody is the body in the log of the block that credits a reward.
type rewardBody struct {
	seq, size *int64 // of the event that holds the body; nil if the log lacks it
}

func rewardColumns(r *rewardRow) []any {
	columns := []any{&r.n, &r.height, &r.position, &r.coinbase, &r.fees, &r.seq, &r.body.seq, &r.body.size}
	for _, b := range []*rewardBlock{&r.block, &r.source} {
		columns = append(columns, &b.height, &b.id, &b.index, &b.time, &b.burnHeight, &b.burnTime)
	}
	return columns
}

func (r *rewardRow) number() int64 { return r.n }

func (r *rewardRow) cursor() string {
	return strconv.FormatInt(r.height, 10) + ":" + strconv.Itoa(r.position)
}

func (b *rewardBlock) shape() *view.BlockPlace {
	if b.height == nil {
		return nil
	}
	place := view.NewBlockPlace(*b.height, *b.id, *b.index, *b.time, *b.burnHeight, *b.burnTime)
	return &place
}

// blockPlaceSQL returns the select list for a block of rewardColumns; b is its alias.
func blockPlaceSQL(b string) string {
	return b + `.height, ` + b + `.block_hash, ` + b + `.index_block_hash, coalesce(nullif(` + b + `.block_time, 0), ` + b + `.burn_block_time), ` + b + `.burn_block_height, ` + b + `.burn_block_time`
}

// rewardBoundsSQL selects the number of the account's rewards, and how many of them are at or before index $3 of height $2.
var rewardBoundsSQL = `
		SELECT {}, list.length, ` + page.Bisection{
	Low: `0::bigint`, High: `list.length`,
	Probe: `SELECT r.n::bigint AS n, (r.height, r.position) <= ($2::bigint, $3::bigint) AS holds FROM {accounts}.miner_reward r WHERE ` + rewardsOf + ` AND r.n = {middle} LIMIT 1`,
}.Last() + `
		FROM (SELECT coalesce((SELECT r.n FROM {accounts}.miner_reward r WHERE ` + rewardsOf + ` ORDER BY r.n DESC LIMIT 1), 0)::bigint AS length OFFSET 0) list`

func (a *api) listMiningRewards(ctx context.Context, s *engine.Snapshot, in *miningRewardsInput) (*page.KeysetPage[miningReward], error) {
	if err := page.CheckCursor(in.Cursor, math.MaxInt32, math.MaxInt16); err != nil {
		return nil, err
	}
	at := page.Descent{Limit: in.Limit}
	answer := func(rows []rewardRow) (*page.KeysetPage[miningReward], error) {
		return page.DescendingPage(at, rows, (*rewardRow).number, (*rewardRow).cursor, func(r *rewardRow) miningReward { return r.shape(string(in.Principal)) }), nil
	}
	if !engine.Ready(s, "accounts", "chain") {
		return answer(nil)
	}
	height, position := int64(math.MaxInt64), int64(math.MaxInt32)
	if h, p, ok := strings.Cut(in.Cursor, ":"); ok {
		height, _ = strconv.ParseInt(h, 10, 64) // both have been checked
		position, _ = strconv.ParseInt(p, 10, 64)
	}
	b := s.Batch()
	found := engine.Query(b, func(d *page.Descent) []any { return []any{&d.Length, &d.Start} }, rewardBoundsSQL, string(in.Principal), height, position)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	bounds, _ := found.First()
	at.Start, at.Length = bounds.Start, bounds.Length
	numbers := at.Numbers()
	if len(numbers) == 0 {
		return answer(nil)
	}
	b = s.Batch()
	rows := engine.QueryPart(b, func(r *rewardRow) bool { return at.Shows(r.n) }, rewardColumns, `
		SELECT {accounts.miner_reward r}, r.n::bigint, r.height, r.position, r.coinbase::text, r.fees::text, r.source_seq, coalesce(e.body_seq, e.seq), e.size, `+blockPlaceSQL("b")+`, `+blockPlaceSQL("m")+`
		FROM unnest($2::bigint[]) AS wanted (n)
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.miner_reward r WHERE `+rewardsOf+` AND r.n = wanted.n::int LIMIT 1) r
		LEFT JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = r.source_seq LIMIT 1) b ON true
		LEFT JOIN LATERAL (SELECT * FROM {chain}.block m WHERE m.index_block_hash = r.earned_in LIMIT 1) m ON true
		LEFT JOIN LATERAL (SELECT e.seq, e.body_seq, e.size FROM log.event e WHERE e.seq = r.source_seq LIMIT 1) e ON true
		ORDER BY r.n DESC`, string(in.Principal), numbers)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if err := a.readMiners(ctx, s, string(in.Principal), at, rows.Rows); err != nil {
		return nil, err
	}
	return answer(rows.Rows)
}

// readMiners reads from the log which miners earned the rewards on a page: the tables have the recipients only. It reads each
// block once, up to its rewards.
func (a *api) readMiners(ctx context.Context, s *engine.Snapshot, recipient string, at page.Descent, rows []rewardRow) error {
	var rewards []nodeevent.MinerReward
	for i := range rows {
		r := &rows[i]
		switch {
		case !at.Shows(r.n):
			continue
		case r.body.seq == nil:
			return fmt.Errorf("event %d, which names the miner of reward %s of %s, is not in the log of this database", r.seq, r.cursor(), recipient)
		}
		if i == 0 || !at.Shows(rows[i-1].n) || rows[i-1].height != r.height {
			var err error
			if rewards, err = a.creditedRewards(ctx, s, *r.body.seq, *r.body.size); err != nil {
				return err
			}
		}
		if r.position >= len(rewards) || rewards[r.position].Recipient != recipient {
			return fmt.Errorf("reward %s of %s is not in event %d", r.cursor(), recipient, r.seq)
		}
		r.miner = cmp.Or(rewards[r.position].MinerAddress, recipient)
	}
	return nil
}

// creditedRewards reads the rewards that a block credits from its body in the log, in pieces from the memory for bodies.
func (a *api) creditedRewards(ctx context.Context, s *engine.Snapshot, seq, size int64) ([]nodeevent.MinerReward, error) {
	body := a.Pieces.NewReader(ctx, size, func(ctx context.Context, offset, n int64) ([]byte, error) {
		b := s.Batch()
		found := engine.Query(b, (*packed.Piece).Columns, `SELECT {}, `+packed.PieceSQL("h", "$2::int", "$3::int")+` FROM log.event h WHERE h.seq = $1`, seq, offset+1, n)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		first, _ := found.First()
		piece := first.Unpack(offset, n)
		if len(piece) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		return piece, nil
	})
	defer func() { _ = body.Close() }()
	rewards, err := nodeevent.ReadMinerRewards(body)
	if err != nil {
		return nil, fmt.Errorf("rewards in event %d: %w", seq, err)
	}
	return rewards, nil
}

func (r *rewardRow) shape(recipient string) miningReward {
	body := miningReward{
		Recipient: recipient, Miner: r.miner, SourceBlock: r.source.shape(),
		Coinbase: schema.Amount(r.coinbase), Fees: schema.Amount(r.fees), Total: schema.AddAmounts(r.coinbase, r.fees),
	}
	if block := r.block.shape(); block != nil {
		body.ID, body.Block = block.IndexHash.String()+":"+strconv.Itoa(r.position), *block
	}
	return body
}
