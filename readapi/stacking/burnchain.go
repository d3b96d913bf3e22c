package stacking

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

const burnchainLimit = 96

// BurnchainPage selects a page of a list of rows of Bitcoin blocks.
type BurnchainPage struct {
	Limit  int    `query:"limit" minimum:"0" maximum:"250" default:"96" doc:"Rows of a page; 0 means the default."`
	Offset int64  `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row. With a cursor, at most 1000."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,9}$" doc:"Where the page begins: a cursor from another page."`
}

func (p BurnchainPage) request() page.KeyRequest {
	return page.KeyRequest{Limit: page.LimitOr(p.Limit, burnchainLimit), Offset: p.Offset, Cursor: p.Cursor}
}

type burnchainInput struct{ BurnchainPage }

type burnchainOfAddressInput struct {
	param.BitcoinAddressInput
	BurnchainPage
}

// slotHolder is an address that holds a reward slot of a Bitcoin block.
type slotHolder struct {
	Canonical       bool        `json:"canonical" doc:"Always true: only the Bitcoin blocks that the chain follows are listed."`
	BurnBlockHash   hash.Hash32 `json:"burn_block_hash"`
	BurnBlockHeight int64       `json:"burn_block_height"`
	Address         string      `json:"address"`
	SlotIndex       int64       `json:"slot_index"`
}

// burnReward is a reward that a Bitcoin block paid to an address.
type burnReward struct {
	Canonical       bool          `json:"canonical" doc:"Always true: only the Bitcoin blocks that the chain follows are listed."`
	BurnBlockHash   hash.Hash32   `json:"burn_block_hash"`
	BurnBlockHeight int64         `json:"burn_block_height"`
	BurnAmount      schema.Amount `json:"burn_amount" doc:"Satoshi that the commits of the block burnt."`
	RewardRecipient string        `json:"reward_recipient"`
	RewardAmount    schema.Amount `json:"reward_amount" doc:"Satoshi."`
	RewardIndex     int64         `json:"reward_index"`
}

// rewardTotal is the sum of the rewards of an address.
type rewardTotal struct {
	RewardRecipient string        `json:"reward_recipient"`
	RewardAmount    schema.Amount `json:"reward_amount" doc:"Satoshi."`
}

// bitcoinRow is a slot or a reward of a Bitcoin block. index is unique within the block.
type bitcoinRow struct {
	height, index int64
	hash          hash.Hash32
	address       string
	amount        string
	burned        string
}

func bitcoinColumns(r *bitcoinRow) []any {
	return []any{&r.height, &r.index, &r.hash, &r.address, &r.amount, &r.burned}
}

func bitcoinKey(r *bitcoinRow) page.ListKey { return page.ListKey{A: r.height, B: r.index} }

// bitcoinFill returns the query that adds the columns of the Bitcoin block to the rows of a page.
func bitcoinFill(page, order string) string {
	return `
		SELECT p.shown || {pox.burn_block b}, p.a, p.b::bigint, b.burn_block_hash, p.address, p.amount, b.burn_amount::text
		FROM (` + page + `) p
		CROSS JOIN LATERAL (SELECT * FROM {pox}.burn_block b WHERE b.height = p.a LIMIT 1) b
		ORDER BY ` + order
}

// slotList returns the list of all slots, or of those of an address if it is not empty.
func slotList(address string) *page.KeyedList[bitcoinRow, slotHolder] {
	l := page.RankedList{Projection: "pox", Name: "slots", Rows: `{pox}.slot c WHERE true`, Key: []string{"c.height", "c.slot_index"}, Columns: `{pox.slot c} AS shown, c.address, '0' AS amount`}
	if address != "" {
		l.Name, l.Rows, l.Args = "slots:"+address, `{pox}.slot c WHERE c.address = $1`, []any{address}
	}
	return &page.KeyedList[bitcoinRow, slotHolder]{
		OrderedList: page.OrderedList{RankedList: l, Descending: true}, Columns: bitcoinColumns, Fill: bitcoinFill, Key: bitcoinKey,
		Shape: func(r *bitcoinRow) slotHolder { return slotHolder{true, r.hash, r.height, r.address, r.index} },
	}
}

// rewardList returns the list of all rewards, or of those of an address if it is not empty.
func rewardList(address string) *page.KeyedList[bitcoinRow, burnReward] {
	l := page.RankedList{
		Projection: "pox", Name: "rewards", Rows: `{pox}.reward c WHERE true`, Key: []string{"c.height", "c.reward_index"},
		Columns: `{pox.reward c} AS shown, c.recipient AS address, c.amount::text AS amount`,
	}
	if address != "" {
		l.Name, l.Rows, l.Args = "rewards:"+address, `{pox}.reward c WHERE c.recipient = $1`, []any{address}
	}
	return &page.KeyedList[bitcoinRow, burnReward]{
		OrderedList: page.OrderedList{RankedList: l, Descending: true}, Columns: bitcoinColumns, Fill: bitcoinFill, Key: bitcoinKey,
		Shape: func(r *bitcoinRow) burnReward {
			return burnReward{true, r.hash, r.height, schema.Amount(r.burned), r.address, schema.Amount(r.amount), r.index}
		},
	}
}

func (a *api) registerBurnchain() {
	const (
		prefix  = "/extended/v1/burnchain/"
		cursors = "`next_cursor` leads to newer rows and `prev_cursor` to older ones. A client that follows the cursors sees each row that persists exactly once."
	)
	describe := func(id, path, summary, about string) engine.Operation {
		return engine.Operation{
			ID: id, Path: prefix + path, Tag: "Stacking", Summary: summary, Description: about, Statuses: []int{http.StatusBadRequest},
			Dependencies: engine.On("pox", shard.Bitcoin),
		}
	}
	engine.Get(a.Engine, describe("list-reward-slot-holders", "reward_slot_holders", "Reward slot holders of Bitcoin blocks, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainInput) (*page.NumberedPage[slotHolder], error) {
			return readBurnchain(ctx, s, slotList(""), in.request())
		})
	engine.Get(a.Engine, describe("list-reward-slots-of-address", "reward_slot_holders/{address}", "Reward slots of an address, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainOfAddressInput) (*page.NumberedPage[slotHolder], error) {
			address, err := in.Address.Text()
			if err != nil {
				return nil, err
			}
			return readBurnchain(ctx, s, slotList(address), in.request())
		})
	engine.Get(a.Engine, describe("list-burnchain-rewards", "rewards", "Rewards that Bitcoin blocks paid to stackers, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainInput) (*page.NumberedPage[burnReward], error) {
			return readBurnchain(ctx, s, rewardList(""), in.request())
		})
	engine.Get(a.Engine, describe("list-burnchain-rewards-of-address", "rewards/{address}", "Rewards that Bitcoin blocks paid to an address, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainOfAddressInput) (*page.NumberedPage[burnReward], error) {
			address, err := in.Address.Text()
			if err != nil {
				return nil, err
			}
			return readBurnchain(ctx, s, rewardList(address), in.request())
		})
	engine.Get(a.Engine, describe("get-burnchain-reward-total", "rewards/{address}/total", "Sum of the rewards that Bitcoin blocks paid to an address", ""), getRewardTotal)
}

// readBurnchain reads a page of a list; the page is empty while the projection has no active version.
func readBurnchain[T any](ctx context.Context, s *engine.Snapshot, l *page.KeyedList[bitcoinRow, T], request page.KeyRequest) (*page.NumberedPage[T], error) {
	if s.Active("pox") == nil {
		return &page.NumberedPage[T]{Limit: request.Limit, Offset: request.Offset, Results: []T{}}, nil
	}
	return l.Read(ctx, s, request)
}

func getRewardTotal(ctx context.Context, s *engine.Snapshot, in *param.BitcoinAddressInput) (*rewardTotal, error) {
	address, err := in.Address.Text()
	if err != nil {
		return nil, err
	}
	total := &rewardTotal{address, "0"}
	if s.Active("pox") == nil {
		return total, nil
	}
	b := s.Batch()
	totals := engine.Query(b, func(sum *schema.Amount) []any { return []any{sum} }, `
		SELECT {pox.recipient r}, amount::text FROM {pox}.recipient r WHERE recipient = $1`, address)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	s.TraceRows(func() []engine.Lookup {
		return []engine.Lookup{
			{Name: "reward", Table: tracedReward, Where: `t.recipient = $1::text`, Args: []any{address}, NewestFirst: []string{"t.height", "t.reward_index"}},
		}
	})
	if sum, ok := totals.First(); ok {
		total.RewardAmount = sum
	}
	return total, nil
}
