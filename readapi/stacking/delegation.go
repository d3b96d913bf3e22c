package stacking

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
)

const delegationsLimit = 100

type delegationsInput struct {
	Pool       param.PrincipalParameter `path:"pool_principal"`
	Limit      int                      `query:"limit" minimum:"0" maximum:"200" default:"100" doc:"Rows of a page; 0 means the default."`
	Offset     int64                    `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the newest row. With a cursor, at most 1000. The server passes over all of them; a cursor leads to a deep page directly."`
	AfterBlock int64                    `query:"after_block" minimum:"1" doc:"Only delegations of blocks above this height."`
	Height     int64                    `query:"height" minimum:"1" doc:"Delegations as of the block at this height; by default as of the newest block."`
	Unanchored bool                     `query:"unanchored" default:"false" doc:"Accepted without effect: microblocks no longer exist."`
	page.NumberCursor
}

// poolDelegation is STX that a stacker lets a pool lock.
type poolDelegation struct {
	Stacker               string        `json:"stacker"`
	PoxAddr               *string       `json:"pox_addr,omitempty" doc:"The Bitcoin address that must receive the rewards; absent for any."`
	AmountUstx            schema.Amount `json:"amount_ustx"`
	BurnBlockUnlockHeight *anyInteger   `json:"burn_block_unlock_height,omitempty" doc:"The Bitcoin height at which the delegation ends; absent for no end."`
	BlockHeight           int64         `json:"block_height"`
	TxID                  hash.Hash32   `json:"tx_id"`
}

// anyInteger is an integer of any size, encoded as a JSON number.
type anyInteger string

// Schema implements huma.SchemaProvider.
func (anyInteger) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// MarshalJSON implements json.Marshaler.
func (n anyInteger) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// delegationRow is a delegation as the tables store it.
type delegationRow struct {
	poolDelegation
	number  int64
	address []byte
	unlock  *string
}

func delegationColumns(r *delegationRow) []any {
	return []any{&r.number, &r.Stacker, &r.address, &r.AmountUstx, &r.unlock, &r.BlockHeight, &r.TxID}
}

// delegationsAsOf returns the list of the delegations to a pool that are in force in the block at height and
// burnHeight, and that were made in blocks above the height above.
func (a *api) delegationsAsOf(version int, pool string, height, burnHeight, above int64) *page.KeyedList[delegationRow, poolDelegation] {
	l := page.OrderedList{RankedList: page.RankedList{
		Projection: "pox", Args: []any{version, pool, height, burnHeight, above}, Key: []string{"d.n"},
		Columns: `{pox.delegation d} AS shown, d.stacker, d.pox_addr, d.amount::text AS amount, d.unlock_height::text AS unlock_height, d.height, d.txid`,
		Rows: `{pox}.delegation d WHERE d.contract = $1 AND d.pool = $2 AND d.height <= $3 AND (d.until_height IS NULL OR d.until_height > $3)
			AND (d.unlock_height IS NULL OR d.unlock_height >= $4::bigint) AND d.height > $5`,
	}, Descending: true}
	return &page.KeyedList[delegationRow, poolDelegation]{
		OrderedList: l, Columns: delegationColumns,
		Fill: func(page, order string) string {
			return `SELECT p.shown, p.a, p.stacker, p.pox_addr, p.amount, p.unlock_height, p.height, p.txid FROM (` + page + `) p ORDER BY ` + order
		},
		Key: func(r *delegationRow) page.ListKey { return page.ListKey{A: r.number} },
		Shape: func(r *delegationRow) poolDelegation {
			d := r.poolDelegation
			d.PoxAddr, d.BurnBlockUnlockHeight = a.poxAddress(r.address), (*anyInteger)(r.unlock)
			return d
		},
		Total: func(b *engine.Batch) *engine.Result[int64] {
			return engine.Query(b, page.NumberColumn, `SELECT {}, count(*) FROM `+l.Rows, l.Args...)
		},
	}
}

func (a *api) registerDelegations(version int) {
	name := "pox" + strconv.Itoa(version)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-" + name + "-delegations", Path: "/extended/v1/" + name + "/{pool_principal}/delegations", Tag: "Stacking",
		Summary: "Delegations to a pool in the contract pox-" + strconv.Itoa(version) + ", as of any block, newest first",
		Description: "The last delegation of each stacker that is neither revoked nor over. Each request counts all delegations of the pool. " +
			"`next_cursor` leads to newer ones and `prev_cursor` to older ones.",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, s *engine.Snapshot, in *delegationsInput) (*page.NumberedPage[poolDelegation], error) {
		return a.listDelegations(ctx, s, version, in)
	})
}

var tracedDelegation = &engine.TraceTable{
	Projection: "pox", Name: "delegation", Key: "contract n", NewestFirst: []string{"t.n"},
	Values:  "stacker pool amount:text unlock_height:text height until_height pox_addr:hex txid:hex",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}

func (a *api) listDelegations(ctx context.Context, s *engine.Snapshot, version int, in *delegationsInput) (*page.NumberedPage[poolDelegation], error) {
	pool, err := in.Pool.Account()
	if err != nil {
		return nil, err
	}
	if _, ok := s.Tip("pox"); !ok {
		return nil, engine.ErrNoChain
	}
	var burnHeight int64
	height := in.Height
	b := s.Batch()
	sql, args := `SELECT {}, height, burn_block_height FROM {pox}.block `, []any{}
	if in.Height > 0 {
		sql, args = sql+`WHERE height = $1`, append(args, in.Height)
	} else {
		sql += `ORDER BY height DESC LIMIT 1`
	}
	block := engine.Query(b, func(*struct{}) []any { return []any{&height, &burnHeight} }, sql, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(block.Rows) == 0 {
		return nil, engine.NotFound("no block at height: %d", in.Height)
	}
	above := int64(-1)
	if in.AfterBlock > 0 {
		above = in.AfterBlock
	}
	request := page.KeyRequest{Limit: page.LimitOr(in.Limit, delegationsLimit), Offset: in.Offset, Cursor: in.Cursor}
	return a.delegationsAsOf(version, pool, height, burnHeight, above).Read(ctx, s, request)
}
