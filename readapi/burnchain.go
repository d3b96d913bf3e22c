package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

const burnchainLimit = 96

// BurnchainPage says which page of what Bitcoin blocks say is asked for.
type BurnchainPage struct {
	Limit  int    `query:"limit" minimum:"0" maximum:"250" default:"96" doc:"Rows of a page; 0 means the default."`
	Offset int64  `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest; with a cursor 1000 at most."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}(:[0-9]{1,9})?$" doc:"Where the page begins, as cursors of other pages name it."`
}

func (p BurnchainPage) ask() keyedAsk {
	return keyedAsk{orDefault(p.Limit, burnchainLimit), p.Offset, p.Cursor}
}

type burnchainInput struct{ BurnchainPage }

type burnchainOfAddressInput struct {
	BitcoinAddressInput
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
	Canonical       bool        `json:"canonical" doc:"Always true: of Bitcoin blocks that are not followed nothing is shown."`
	BurnBlockHash   hash.Hash32 `json:"burn_block_hash"`
	BurnBlockHeight int64       `json:"burn_block_height"`
	BurnAmount      amount      `json:"burn_amount" doc:"Satoshi that the block's commits sent to nobody."`
	RewardRecipient string      `json:"reward_recipient"`
	RewardAmount    amount      `json:"reward_amount" doc:"Satoshi."`
	RewardIndex     int64       `json:"reward_index"`
}

// rewardTotal is what an address got.
type rewardTotal struct {
	RewardRecipient string `json:"reward_recipient"`
	RewardAmount    amount `json:"reward_amount" doc:"Satoshi."`
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

func bitcoinKey(r *bitcoinRow) listKey { return listKey{r.height, r.index} }

// bitcoinFill adds the Bitcoin block to the rows of a page.
func bitcoinFill(page, order string) string {
	return `
		SELECT ARRAY[b.source_seq], p.a, p.b::bigint, b.burn_block_hash, p.address, p.amount, b.burn_amount::text
		FROM (` + page + `) p
		CROSS JOIN LATERAL (SELECT * FROM {pox}.burn_block b WHERE b.height = p.a LIMIT 1) b
		ORDER BY ` + order
}

// slotList is the list of all slots, or of those of an address.
func slotList(address string) *keyedList[bitcoinRow, slotHolder] {
	l := rankedList{projection: "pox", name: "slots", rows: `{pox}.slot c WHERE true`, key: []string{"c.height", "c.slot_index"}, columns: `c.address, '0' AS amount`}
	if address != "" {
		l.name, l.rows, l.args = "slots:"+address, `{pox}.slot c WHERE c.address = $1`, []any{address}
	}
	return &keyedList[bitcoinRow, slotHolder]{
		ordered: ordered{l, true}, columns: bitcoinColumns, fill: bitcoinFill, key: bitcoinKey,
		shape: func(r *bitcoinRow) slotHolder { return slotHolder{true, r.hash, r.height, r.address, r.index} },
	}
}

// rewardList is the list of all rewards, or of those of an address.
func rewardList(address string) *keyedList[bitcoinRow, burnReward] {
	l := rankedList{
		projection: "pox", name: "rewards", rows: `{pox}.reward c WHERE true`, key: []string{"c.height", "c.reward_index"},
		columns: `c.recipient AS address, c.amount::text AS amount`,
	}
	if address != "" {
		l.name, l.rows, l.args = "rewards:"+address, `{pox}.reward c WHERE c.recipient = $1`, []any{address}
	}
	return &keyedList[bitcoinRow, burnReward]{
		ordered: ordered{l, true}, columns: bitcoinColumns, fill: bitcoinFill, key: bitcoinKey,
		shape: func(r *bitcoinRow) burnReward {
			return burnReward{true, r.hash, r.height, amount(r.burned), r.address, amount(r.amount), r.index}
		},
	}
}

func (a *API) registerBurnchain() {
	const (
		prefix  = "/extended/v1/burnchain/"
		cursors = "`next_cursor` leads to newer rows and `prev_cursor` to older ones; walked by cursors, a list has each row that stays exactly once."
	)
	described := func(id, path, summary, about string) resource {
		return resource{
			id: id, path: prefix + path, tag: "Stacking", summary: summary, about: about, statuses: []int{http.StatusBadRequest}, class: answer.Tip, taggedByContent: true,
			of: on("pox", shard.Bitcoin),
		}
	}
	get(a.Engine, described("list-reward-slot-holders", "reward_slot_holders", "Addresses that Bitcoin blocks were to pay, newest first", cursors),
		func(ctx context.Context, s *snapshot, in *burnchainInput) (*numberedPage[slotHolder], error) {
			return readBurnchain(ctx, s, slotList(""), in.ask())
		})
	get(a.Engine, described("list-reward-slots-of-address", "reward_slot_holders/{address}", "The Bitcoin blocks that were to pay an address, newest first", cursors),
		func(ctx context.Context, s *snapshot, in *burnchainOfAddressInput) (*numberedPage[slotHolder], error) {
			address, err := in.Address.text()
			if err != nil {
				return nil, err
			}
			return readBurnchain(ctx, s, slotList(address), in.ask())
		})
	get(a.Engine, described("list-burnchain-rewards", "rewards", "What Bitcoin blocks paid to stackers, newest first", cursors),
		func(ctx context.Context, s *snapshot, in *burnchainInput) (*numberedPage[burnReward], error) {
			return readBurnchain(ctx, s, rewardList(""), in.ask())
		})
	get(a.Engine, described("list-burnchain-rewards-of-address", "rewards/{address}", "What Bitcoin blocks paid to an address, newest first", cursors),
		func(ctx context.Context, s *snapshot, in *burnchainOfAddressInput) (*numberedPage[burnReward], error) {
			address, err := in.Address.text()
			if err != nil {
				return nil, err
			}
			return readBurnchain(ctx, s, rewardList(address), in.ask())
		})
	get(a.Engine, described("get-burnchain-reward-total", "rewards/{address}/total", "What Bitcoin blocks paid to an address in all", ""), getRewardTotal)
	a.traceBurnchain()
}

// readBurnchain reads a page; it is empty before there are tables.
func readBurnchain[T any](ctx context.Context, s *snapshot, l *keyedList[bitcoinRow, T], ask keyedAsk) (*numberedPage[T], error) {
	if s.active("pox") == nil {
		return &numberedPage[T]{Limit: ask.limit, Offset: ask.offset, Results: []T{}}, nil
	}
	page, _, err := l.read(ctx, s, ask)
	return page, err
}

func getRewardTotal(ctx context.Context, s *snapshot, in *BitcoinAddressInput) (*rewardTotal, error) {
	address, err := in.Address.text()
	if err != nil {
		return nil, err
	}
	total := &rewardTotal{address, "0"}
	if s.active("pox") == nil {
		return total, nil
	}
	b := s.batch()
	found := query(b, func(sum *amount) []any { return []any{sum} }, `
		SELECT ARRAY[source_seq], amount::text FROM {pox}.recipient WHERE recipient = $1`, address)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	if sum, ok := found.first(); ok {
		total.RewardAmount = sum
	}
	return total, nil
}
