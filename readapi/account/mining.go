package account

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
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
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"First reward of the page: its number among the account's rewards."`
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
	Coinbase   schema.Amount    `json:"coinbase" doc:"µSTX, as all amounts."`
	Fees       schema.Amount    `json:"fees" doc:"Of the transactions of the block or tenure, and of microblocks."`
	Total      schema.Amount    `json:"total"`
	Block      view.BlockPlace  `json:"block" doc:"The block that credits the reward: 100 blocks or tenures after the one that earned it."`
	MinedBlock *view.BlockPlace `json:"mined_block" doc:"The block that earned the reward; null when it is not known."`
}

// TransformSchema implements huma.SchemaTransformer.
func (*miningReward) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "mined_block")
}

func (a *api) registerMining() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-mining", Path: "/extended/v3/principals/{principal}/mining", Tag: "Accounts", Summary: "What an account has earned as a miner",
		Description: "Matured rewards only.", Statuses: []int{http.StatusBadRequest},
	}, getMining)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mining-rewards", Path: "/extended/v3/principals/{principal}/mining/rewards", Tag: "Accounts", Summary: "Matured rewards of a miner, newest first",
		Statuses: []int{http.StatusBadRequest},
	}, listMiningRewards)
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
	n              int64
	coinbase, fees string
	block, mined   struct {
		height, time, burnHeight, burnTime *int64
		id, index                          *hash.Hash32
	}
}

func rewardColumns(r *rewardRow) []any {
	columns := []any{&r.n, &r.coinbase, &r.fees}
	for _, b := range []*struct {
		height, time, burnHeight, burnTime *int64
		id, index                          *hash.Hash32
	}{&r.block, &r.mined} {
		columns = append(columns, &b.height, &b.id, &b.index, &b.time, &b.burnHeight, &b.burnTime)
	}
	return columns
}

func (r *rewardRow) shape() miningReward {
	body := miningReward{Coinbase: schema.Amount(r.coinbase), Fees: schema.Amount(r.fees), Total: schema.AddAmounts(r.coinbase, r.fees)}
	if b := r.block; b.height != nil {
		body.Block = view.NewBlockPlace(*b.height, *b.id, *b.index, *b.time, *b.burnHeight, *b.burnTime)
	}
	if b := r.mined; b.height != nil {
		place := view.NewBlockPlace(*b.height, *b.id, *b.index, *b.time, *b.burnHeight, *b.burnTime)
		body.MinedBlock = &place
	}
	return body
}

// blockPlaceSQL returns the select list for a block of rewardColumns; b is its alias.
func blockPlaceSQL(b string) string {
	return b + `.height, ` + b + `.block_hash, ` + b + `.index_block_hash, coalesce(nullif(` + b + `.block_time, 0), ` + b + `.burn_block_time), ` + b + `.burn_block_height, ` + b + `.burn_block_time`
}

func listMiningRewards(ctx context.Context, s *engine.Snapshot, in *miningRewardsInput) (*page.KeysetPage[miningReward], error) {
	list := &page.KeysetPage[miningReward]{Limit: in.Limit, Results: []miningReward{}}
	if !engine.Ready(s, "accounts", "chain") {
		return list, nil
	}
	b := s.Batch()
	sum := queueRewardSum(b, string(in.Principal))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	last, _ := sum.First()
	start := last.n
	if n, err := strconv.ParseInt(in.Cursor, 10, 64); err == nil { // the pattern has been checked
		start = min(n, last.n)
	}
	limit := int64(in.Limit)
	low := max(start-limit+1, 1)
	list.Total = last.n
	text := func(n int64) *string {
		t := strconv.FormatInt(n, 10)
		return &t
	}
	if start < last.n {
		list.Cursor.Previous = text(min(start+limit, last.n))
	}
	if start <= 0 {
		return list, nil
	}
	list.Cursor.Current = text(start)
	if low > 1 {
		list.Cursor.Next = text(low - 1)
	}
	b = s.Batch()
	rows := engine.Query(b, rewardColumns, `
		SELECT {accounts.miner_reward r}, r.n::bigint, r.coinbase::text, r.fees::text, `+blockPlaceSQL("b")+`, `+blockPlaceSQL("m")+`
		FROM (SELECT * FROM {accounts}.miner_reward r WHERE `+rewardsOf+` AND r.n >= $2::int AND r.n <= $3::int ORDER BY r.n DESC) r
		LEFT JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = r.source_seq LIMIT 1) b ON true
		LEFT JOIN LATERAL (SELECT * FROM {chain}.block m WHERE m.index_block_hash = r.earned_in LIMIT 1) m ON true
		ORDER BY r.n DESC`, string(in.Principal), low, start)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i := range rows.Rows {
		list.Results = append(list.Results, rows.Rows[i].shape())
	}
	return list, nil
}
