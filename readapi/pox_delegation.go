package readapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/answer"
)

const delegationsLimit = 100

type delegationsInput struct {
	Pool       principalParameter `path:"pool_principal"`
	Limit      int                `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Rows of a page; 0 means the default."`
	Offset     int64              `query:"offset" minimum:"0" maximum:"10000" default:"0" doc:"Rows before the page, counted from the newest; with a cursor 1000 at most. All of them are passed over: a cursor leads there at once."`
	AfterBlock int64              `query:"after_block" minimum:"1" doc:"Those of blocks above this height."`
	Height     int64              `query:"height" minimum:"1" doc:"As of this block; otherwise as of the newest."`
	Unanchored bool               `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	NumberCursor
}

// poolDelegation is STX that a pool may lock.
type poolDelegation struct {
	Stacker               string      `json:"stacker"`
	PoxAddr               *string     `json:"pox_addr,omitempty" doc:"The Bitcoin address that has to be paid; absent for any."`
	AmountUstx            amount      `json:"amount_ustx"`
	BurnBlockUnlockHeight *anyInteger `json:"burn_block_unlock_height,omitempty" doc:"The Bitcoin height up to which it is given; absent for no end."`
	BlockHeight           int64       `json:"block_height"`
	TxID                  hash.Hash32 `json:"tx_id"`

	number int64
}

// anyInteger is a whole number of any size, as a JSON number.
type anyInteger string

// Schema implements huma.SchemaProvider.
func (anyInteger) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// MarshalJSON implements json.Marshaler.
func (n anyInteger) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// delegationRow is a delegation as the tables have it.
type delegationRow struct {
	poolDelegation
	address []byte
	unlock  *string
}

func delegationColumns(r *delegationRow) []any {
	return []any{&r.number, &r.Stacker, &r.address, &r.AmountUstx, &r.unlock, &r.BlockHeight, &r.TxID}
}

// delegationsAsOf are those that a pool has in a block.
func (a *API) delegationsAsOf(version int, pool string, height, burnHeight, above int64) *keyedList[delegationRow, poolDelegation] {
	l := ordered{rankedList{
		projection: "pox", args: []any{version, pool, height, burnHeight, above}, key: []string{"d.n"},
		columns: `d.source_seq, d.stacker, d.pox_addr, d.amount::text AS amount, d.unlock_height::text AS unlock_height, d.height, d.txid`,
		rows: `{pox}.delegation d WHERE d.contract = $1 AND d.pool = $2 AND d.height <= $3 AND (d.until_height IS NULL OR d.until_height > $3)
			AND (d.unlock_height IS NULL OR d.unlock_height >= $4::bigint) AND d.height > $5`,
	}, true}
	return &keyedList[delegationRow, poolDelegation]{
		ordered: l, columns: delegationColumns,
		fill: func(page, order string) string {
			return `SELECT ARRAY[p.source_seq], p.a, p.stacker, p.pox_addr, p.amount, p.unlock_height, p.height, p.txid FROM (` + page + `) p ORDER BY ` + order
		},
		key: func(r *delegationRow) listKey { return listKey{a: r.number} },
		shape: func(r *delegationRow) poolDelegation {
			d := r.poolDelegation
			d.PoxAddr, d.BurnBlockUnlockHeight = a.poxAddress(r.address), (*anyInteger)(r.unlock)
			return d
		},
		total: func(b *batch) *result[int64] {
			return query(b, numberColumn, `SELECT ARRAY[]::bigint[], count(*) FROM `+l.rows, l.args...)
		},
	}
}

func (a *API) registerDelegations(version int) {
	name := "pox" + strconv.Itoa(version)
	get(a.Engine, resource{
		id: "list-" + name + "-delegations", path: "/extended/v1/" + name + "/{pool_principal}/delegations", tag: "Stacking",
		summary:  "What a pool may lock with the contract pox-" + strconv.Itoa(version) + ", as of any block, the newest first",
		about:    "The last delegation of each stacker that is neither revoked nor over. What the pool has is counted, whatever the page. `next_cursor` leads to newer ones and `prev_cursor` to older ones.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("pox"), taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *delegationsInput) (*numberedPage[poolDelegation], error) {
		return a.listDelegations(ctx, s, version, in)
	})
	traced(a.Engine, "list-"+name+"-delegations", func(_ context.Context, _ *snapshot, _ *delegationsInput, page *numberedPage[poolDelegation]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		numbers := make([]int64, len(page.Results))
		for i := range page.Results {
			numbers[i] = page.Results[i].number
		}
		return []lookup{{
			name: "delegation", table: tracedDelegation, where: `t.contract = $1 AND t.n = ANY ($2::bigint[])`, args: []any{version, numbers}, newestFirst: []string{"t.n"},
		}}, nil
	})
}

var tracedDelegation = &tracedTable{
	projection: "pox", name: "delegation", key: "contract n",
	values:  "stacker pool amount:text unlock_height:text height until_height pox_addr:hex txid:hex",
	sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
}

func (a *API) listDelegations(ctx context.Context, s *snapshot, version int, in *delegationsInput) (*numberedPage[poolDelegation], error) {
	pool, err := in.Pool.account()
	if err != nil {
		return nil, err
	}
	if _, ok := s.tip("pox"); !ok {
		return nil, errNoChain
	}
	var burnHeight int64
	at := in.Height
	b := s.batch()
	sql, args := `SELECT ARRAY[]::bigint[], height, burn_block_height FROM {pox}.block `, []any{}
	if in.Height > 0 {
		sql, args = sql+`WHERE height = $1`, append(args, in.Height)
	} else {
		sql += `ORDER BY height DESC LIMIT 1`
	}
	block := query(b, func(*struct{}) []any { return []any{&at, &burnHeight} }, sql, args...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(block.rows) == 0 {
		return nil, notFound("no block at height: %d", in.Height)
	}
	above := int64(-1)
	if in.AfterBlock > 0 {
		above = in.AfterBlock
	}
	ask := keyedAsk{orDefault(in.Limit, delegationsLimit), in.Offset, in.Cursor}
	page, _, err := a.delegationsAsOf(version, pool, at, burnHeight, above).read(ctx, s, ask)
	if err == nil && page.Total == 0 {
		err = notFound("no stackers found")
	}
	if err != nil {
		return nil, err
	}
	return page, nil
}
