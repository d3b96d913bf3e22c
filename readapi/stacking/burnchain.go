package stacking

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

const burnchainLimit = 96

// BurnchainPage says which page of what Bitcoin blocks say is asked for.
type BurnchainPage struct {
	Limit  int    `query:"limit" minimum:"0" maximum:"250" default:"96" doc:"Rows of a page; 0 means the default."`
	Offset int64  `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest; with a cursor 1000 at most."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}(:[0-9]{1,9})?$" doc:"Where the page begins, as cursors of other pages name it."`
}

func (p BurnchainPage) ask() page.KeyRequest {
	return page.KeyRequest{Limit: page.LimitOr(p.Limit, burnchainLimit), Offset: p.Offset, Cursor: p.Cursor}
}

type burnchainInput struct{ BurnchainPage }

type burnchainOfAddressInput struct {
	param.BitcoinAddressInput
	BurnchainPage
}

// slotHolder is an address that a Bitcoin block was to pay.
type slotHolder struct {
	Canonical       bool        `json:"canonical" doc:"Always true: of Bitcoin blocks that are not followed nothing is shown."`
	BurnBlockHash   hash.Hash32 `json:"burn_block_hash"`
	BurnBlockHeight int64       `json:"burn_block_height"`
	Address         string      `json:"address"`
	SlotIndex       int64       `json:"slot_index"`
}

// burnReward is what a Bitcoin block paid to an address.
type burnReward struct {
	Canonical       bool          `json:"canonical" doc:"Always true: of Bitcoin blocks that are not followed nothing is shown."`
	BurnBlockHash   hash.Hash32   `json:"burn_block_hash"`
	BurnBlockHeight int64         `json:"burn_block_height"`
	BurnAmount      schema.Amount `json:"burn_amount" doc:"Satoshi that the block's commits sent to nobody."`
	RewardRecipient string        `json:"reward_recipient"`
	RewardAmount    schema.Amount `json:"reward_amount" doc:"Satoshi."`
	RewardIndex     int64         `json:"reward_index"`
}

// rewardTotal is what an address got.
type rewardTotal struct {
	RewardRecipient string        `json:"reward_recipient"`
	RewardAmount    schema.Amount `json:"reward_amount" doc:"Satoshi."`
}

// bitcoinRow is a row of a Bitcoin block. index tells it from the others of the block.
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

// bitcoinFill adds the Bitcoin block to the rows of a page.
func bitcoinFill(page, order string) string {
	return `
		SELECT ARRAY[b.source_seq], p.a, p.b::bigint, b.burn_block_hash, p.address, p.amount, b.burn_amount::text
		FROM (` + page + `) p
		CROSS JOIN LATERAL (SELECT * FROM {pox}.burn_block b WHERE b.height = p.a LIMIT 1) b
		ORDER BY ` + order
}

// slotList is the list of all slots, or of those of an address.
func slotList(address string) *page.KeyedList[bitcoinRow, slotHolder] {
	l := page.RankedList{Projection: "pox", Name: "slots", Rows: `{pox}.slot c WHERE true`, Key: []string{"c.height", "c.slot_index"}, Columns: `c.address, '0' AS amount`}
	if address != "" {
		l.Name, l.Rows, l.Args = "slots:"+address, `{pox}.slot c WHERE c.address = $1`, []any{address}
	}
	return &page.KeyedList[bitcoinRow, slotHolder]{
		OrderedList: page.OrderedList{RankedList: l, Descending: true}, Columns: bitcoinColumns, Fill: bitcoinFill, Key: bitcoinKey,
		Shape: func(r *bitcoinRow) slotHolder { return slotHolder{true, r.hash, r.height, r.address, r.index} },
	}
}

// rewardList is the list of all rewards, or of those of an address.
func rewardList(address string) *page.KeyedList[bitcoinRow, burnReward] {
	l := page.RankedList{
		Projection: "pox", Name: "rewards", Rows: `{pox}.reward c WHERE true`, Key: []string{"c.height", "c.reward_index"},
		Columns: `c.recipient AS address, c.amount::text AS amount`,
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
		cursors = "`next_cursor` leads to newer rows and `prev_cursor` to older ones; walked by cursors, a list has each row that stays exactly once."
	)
	described := func(id, path, summary, about string) engine.Operation {
		return engine.Operation{
			ID: id, Path: prefix + path, Tag: "Stacking", Summary: summary, Description: about, Statuses: []int{http.StatusBadRequest}, Class: answer.Tip, TagByContent: true,
			DependsOn: engine.On("pox", shard.Bitcoin),
		}
	}
	engine.Get(a.Engine, described("list-reward-slot-holders", "reward_slot_holders", "Addresses that Bitcoin blocks were to pay, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainInput) (*page.NumberedPage[slotHolder], error) {
			return readBurnchain(ctx, s, slotList(""), in.ask())
		})
	engine.Get(a.Engine, described("list-reward-slots-of-address", "reward_slot_holders/{address}", "The Bitcoin blocks that were to pay an address, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainOfAddressInput) (*page.NumberedPage[slotHolder], error) {
			address, err := in.Address.Text()
			if err != nil {
				return nil, err
			}
			return readBurnchain(ctx, s, slotList(address), in.ask())
		})
	engine.Get(a.Engine, described("list-burnchain-rewards", "rewards", "What Bitcoin blocks paid to stackers, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainInput) (*page.NumberedPage[burnReward], error) {
			return readBurnchain(ctx, s, rewardList(""), in.ask())
		})
	engine.Get(a.Engine, described("list-burnchain-rewards-of-address", "rewards/{address}", "What Bitcoin blocks paid to an address, newest first", cursors),
		func(ctx context.Context, s *engine.Snapshot, in *burnchainOfAddressInput) (*page.NumberedPage[burnReward], error) {
			address, err := in.Address.Text()
			if err != nil {
				return nil, err
			}
			return readBurnchain(ctx, s, rewardList(address), in.ask())
		})
	engine.Get(a.Engine, described("get-burnchain-reward-total", "rewards/{address}/total", "What Bitcoin blocks paid to an address in all", ""), getRewardTotal)
	a.traceBurnchain()
}

// readBurnchain reads a page; it is empty before there are tables.
func readBurnchain[T any](ctx context.Context, s *engine.Snapshot, l *page.KeyedList[bitcoinRow, T], ask page.KeyRequest) (*page.NumberedPage[T], error) {
	if s.Active("pox") == nil {
		return &page.NumberedPage[T]{Limit: ask.Limit, Offset: ask.Offset, Results: []T{}}, nil
	}
	page, _, err := l.Read(ctx, s, ask)
	return page, err
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
	found := engine.Query(b, func(sum *schema.Amount) []any { return []any{sum} }, `
		SELECT ARRAY[source_seq], amount::text FROM {pox}.recipient WHERE recipient = $1`, address)
	if err := b.RunLast(ctx); err != nil {
		return nil, err
	}
	if sum, ok := found.First(); ok {
		total.RewardAmount = sum
	}
	return total, nil
}
