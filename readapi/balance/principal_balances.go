package balance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// principalSTX is an account's STX balance in version 3 of the API. All amounts are in µSTX.
type principalSTX struct {
	Balance schema.Amount `json:"balance" doc:"Includes locked STX."`
	schema.Negative
	Available schema.Amount   `json:"available" doc:"balance without locked STX."`
	Locked    *principalLock  `json:"locked" doc:"null when nothing is locked."`
	Mempool   *pendingBalance `json:"mempool" doc:"Effect of pending transactions; null when they would change nothing."`
}

// TransformSchema implements huma.SchemaTransformer.
func (*principalSTX) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "locked", "mempool")
}

type principalLock struct {
	Amount           schema.Amount `json:"amount"`
	PoxVersion       int16         `json:"pox_version" doc:"Version of the PoX contract: 1 for pox, 2 for pox-2, and so on."`
	LockTxID         hash.Hash32   `json:"lock_tx_id"`
	StacksLockHeight int64         `json:"stacks_lock_height"`
	BurnLockHeight   int64         `json:"burn_lock_height"`
	BurnUnlockHeight int64         `json:"burn_unlock_height"`
}

type pendingBalance struct {
	EstimatedBalance schema.Amount `json:"estimated_balance" doc:"Available balance once all pending transactions are mined; of several that use one nonce, the one with the greatest fee."`
	Inbound          schema.Amount `json:"inbound"`
	Outbound         schema.Amount `json:"outbound"`
}

func (a *api) registerPrincipalBalances() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-principal-stx", Path: "/extended/v3/principals/{principal}/balances/stx", Tag: "Accounts", Summary: "STX balance of an account",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, PointRead: true,
	}, a.principalSTX)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-principal-ft", Path: "/extended/v3/principals/{principal}/balances/ft", Tag: "Accounts", Summary: "Fungible token balances of an account, greatest first",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, listPrincipalFT)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-principal-ft", Path: "/extended/v3/principals/{principal}/balances/ft/{asset_identifier}", Tag: "Accounts", Summary: "Balance of a fungible token of an account",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, PointRead: true,
	}, getPrincipalFT)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-principal-nft", Path: "/extended/v3/principals/{principal}/balances/nft", Tag: "Accounts", Summary: "Non-fungible tokens of an account",
		Description: "Sorted by collection, then by the first 64 bytes of the serialised token id.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listPrincipalNFT)
}

var tracedCustody = &engine.TraceTable{
	Projection: "balances", Name: "nft_custody", Key: "asset value_hash:hex",
	Join:    `JOIN {balances}.nft_event e ON e.asset = t.asset AND e.value_hash = t.value_hash AND e.n = t.n`,
	Values:  "n height position owner value:hex",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[e.pointer]`}},
}

func (a *api) principalSTX(ctx context.Context, s *engine.Snapshot, in *param.PrincipalInput) (*principalSTX, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	stx, balance, err := readSTX(ctx, s, view.QueueEstimatedSTX, account, at)
	if err != nil {
		return nil, err
	}
	body := &principalSTX{Balance: balance.Balance, Negative: balance.Negative, Available: schema.SubtractAmounts(balance.Balance, balance.Locked)}
	if lock := balance.STXLock; lock.LockTxID != "" {
		row, _ := stx.Found.First()
		body.Locked = &principalLock{lock.Locked, row.Lock.PoxVersion, *row.Lock.Txid, lock.LockHeight, lock.BurnchainLockHeight, lock.BurnchainUnlockHeight}
	}
	if e := balance.Estimate; e.PendingBalanceInbound != "0" || e.PendingBalanceOutbound != "0" {
		body.Mempool = &pendingBalance{
			schema.SubtractAmounts(schema.AddAmounts(string(body.Available), string(e.PendingBalanceInbound)), e.PendingBalanceOutbound), e.PendingBalanceInbound, e.PendingBalanceOutbound,
		}
	}
	return body, nil
}

type principalAssetInput struct {
	param.PrincipalInput
	Asset assetParameter `path:"asset_identifier"`
}

// assetBalance is an account's balance of a fungible token.
type assetBalance struct {
	AssetIdentifier string        `json:"asset_identifier"`
	Balance         schema.Amount `json:"balance" doc:"In base units; 0 when the account has none."`
	schema.Negative
}

func getPrincipalFT(ctx context.Context, s *engine.Snapshot, in *principalAssetInput) (*assetBalance, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	balance, err := readFTBalance(ctx, s, account, string(in.Asset), at)
	return &assetBalance{string(in.Asset), balance, schema.NegativeOf(balance)}, err
}

type principalFTInput struct {
	param.PrincipalInput
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"Page size."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,40}:[\\s\\S]+$" doc:"First token of the page, as balance:asset identifier."`
}

// rankedBalance is a balance with its rank in the account's list, the rank at which the page starts, and the length of
// the list. Ranks begin at 1.
type rankedBalance struct {
	rank, start, total int64
	assetBalance
}

// listPrincipalFT sorts all balances of the account, because no index has this order.
func listPrincipalFT(ctx context.Context, s *engine.Snapshot, in *principalFTInput) (*page.KeysetPage[assetBalance], error) {
	list := &page.KeysetPage[assetBalance]{Limit: in.Limit, Results: []assetBalance{}}
	tip, ok := s.Tip("balances")
	if !ok {
		return list, nil
	}
	var from, asset *string
	if balance, identifier, ok := strings.Cut(in.Cursor, ":"); ok {
		identifier, err := fullAsset(ctx, s, string(in.Principal), "ft", identifier)
		if err != nil {
			return nil, err
		}
		from, asset = &balance, &identifier
	}
	b := s.Batch()
	found := engine.Query(b, func(r *rankedBalance) []any {
		return []any{&r.rank, &r.start, &r.total, &r.AssetIdentifier, (*string)(&r.Balance)}
	}, `
		SELECT CASE WHEN rank >= start AND rank < start + $4 THEN {balances.holding placed} END, rank, start, total, asset, balance::text
		FROM (
			SELECT ranked.*, CASE WHEN $2::text IS NULL THEN 1
			       ELSE coalesce(min(rank) FILTER (WHERE balance < $2::numeric OR balance = $2::numeric AND asset COLLATE "C" >= $3::text) OVER (), total + 1) END AS start
			FROM (
				SELECT h.source_seq, h.account, h.asset, h.balance, count(*) OVER () AS total, row_number() OVER (ORDER BY h.balance DESC, h.asset COLLATE "C") AS rank
				FROM {balances}.holding h WHERE h.account = $1 AND h.kind = 'ft' AND h.balance > 0
			) ranked
		) placed
		WHERE rank >= start - $4::bigint AND rank <= start + $4::bigint ORDER BY rank`, string(in.Principal), from, asset, int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, r := range found.Rows {
		list.Total = r.total
		text := string(r.Balance) + ":" + page.ShortName(r.AssetIdentifier, page.NameSize)
		switch {
		case r.rank == max(r.start-int64(in.Limit), 1) && r.rank < r.start:
			list.Cursor.Previous = &text
		case r.rank == r.start+int64(in.Limit):
			list.Cursor.Next = &text
		case r.rank >= r.start:
			if r.rank == r.start {
				list.Cursor.Current = &text
			}
			list.Results = append(list.Results, r.assetBalance)
		}
	}
	s.TraceRows(func() []engine.Lookup {
		assets := make([]string, len(list.Results))
		for i := range list.Results {
			assets[i] = list.Results[i].AssetIdentifier
		}
		return ledgerLookups(string(in.Principal), param.Moment{Height: *tip.Height, Latest: true}, assets...)
	})
	return list, nil
}

type principalNFTInput struct {
	param.PrincipalInput
	Asset  assetParameter `query:"asset_identifier" doc:"Tokens of this collection only."`
	Limit  int            `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"Page size."`
	Cursor string         `query:"cursor" pattern:"^0x([0-9a-fA-F]{2})+(~[0-9a-f]{64})?:[\\s\\S]+$" doc:"First token of the page, as id:asset identifier. The id is the token's serialised Clarity value in hex. In cursors of the server, the SHA-256 of a long id or name stands for its end."`
}

// ownedToken is a non-fungible token of an account.
type ownedToken struct {
	AssetIdentifier string            `json:"asset_identifier"`
	Value           view.ClarityValue `json:"value" doc:"Id of the token within its collection."`
}

type ownedRow struct {
	page  int16 // 0: a row of the previous page; 1: a row of this page, or the first of the next; 2: no row, only a total
	total string
	asset string
	value []byte
}

// idSize is the size up to which ids of tokens stand in long cursors as they are, beside an asset of page.NameSize bytes.
const idSize = page.CursorMax - page.NameSize - 1

// cursor returns the cursor of a page that begins with the token: short ids and names as they are.
func (r *ownedRow) cursor() string {
	id := func(value []byte) string { return "0x" + hex.EncodeToString(value) }
	size := 2 + 2*len(r.value)
	switch {
	case size+1+len(r.asset) <= page.CursorMax:
		return id(r.value) + ":" + r.asset
	case size <= idSize:
		return id(r.value) + ":" + page.ShortName(r.asset, page.NameSize)
	}
	return page.ShortForm(id(r.value[:idBeginning]), sha256.Sum256(r.value)) + ":" + page.ShortName(r.asset, page.NameSize)
}

// idBeginning is the number of bytes of a token id in its short form.
const idBeginning = 8

// idKey returns the key of a token id in the index of an owner's tokens, from the id in a cursor. An id in its short form that
// no token has is replaced by its beginning, as in page.FullName.
func idKey(ctx context.Context, s *engine.Snapshot, asset, id string) (value, digest []byte, err error) {
	beginning, digest, short := page.CutShortName(id)
	if !short {
		value, _ = hex.DecodeString(id[2:]) // the pattern has been checked
		sum := sha256.Sum256(value)
		return value[:min(len(value), indexedPrefix)], sum[:], nil
	}
	b := s.Batch()
	found := engine.Query(b, func(value *[]byte) []any { return []any{value} }, `
		SELECT {}, (SELECT substring(c.value FROM 1 FOR 64) FROM {balances}.nft_custody c WHERE c.asset = $1::text AND c.value_hash = $2::bytea)`, asset, digest)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if value, _ = found.First(); value == nil {
		value, _ = hex.DecodeString(beginning[2:])
		return value, nil, nil
	}
	return value, digest, nil
}

// fullAsset returns the asset of a cursor of an account's list.
func fullAsset(ctx context.Context, s *engine.Snapshot, account, kind, asset string) (string, error) {
	return page.FullName(ctx, s, asset, `h.asset`, `{balances}.holding h WHERE h.account = $1::text AND h.kind = $2::text`, account, kind)
}

// listPrincipalNFT reads a range of an index, which has only the first indexedPrefix bytes of a token id: ids may be
// longer than an index entry can be.
func listPrincipalNFT(ctx context.Context, s *engine.Snapshot, in *principalNFTInput) (*page.KeysetPage[ownedToken], error) {
	list := &page.KeysetPage[ownedToken]{Limit: in.Limit, Results: []ownedToken{}}
	if _, ok := s.Tip("balances"); !ok {
		return list, nil
	}
	var asset string
	var value, digest []byte
	if id, identifier, ok := strings.Cut(in.Cursor, ":"); ok {
		var err error
		if asset, err = fullAsset(ctx, s, string(in.Principal), "nft", identifier); err != nil {
			return nil, err
		}
		if value, digest, err = idKey(ctx, s, asset, id); err != nil {
			return nil, err
		}
	}
	const columns, order = `source_seq, asset, value, value_hash`, `c.asset, substring(c.value FROM 1 FOR 64), c.value_hash`
	of, args := "", []any{string(in.Principal), asset, nonNil(value), nonNil(digest), int64(in.Limit)}
	if in.Asset != "" {
		of, args = ` AND c.asset = $6::text`, append(args, string(in.Asset))
	}
	b := s.Batch()
	found := engine.QueryPage(b, in.Limit, func(r *ownedRow) []any { return []any{&r.page, &r.total, &r.asset, &r.value} }, `
		SELECT CASE WHEN owned.page = 1 THEN {balances.nft_custody owned} END, coalesce(owned.page, 2::smallint), total.n::text, coalesce(owned.asset, ''), coalesce(owned.value, '')
		FROM (SELECT coalesce(sum(greatest(h.balance, 0)), 0) AS n FROM {balances}.holding h WHERE h.account = $1 AND h.kind = 'nft'`+strings.ReplaceAll(of, "c.", "h.")+`) total
		LEFT JOIN (
			(SELECT 0::smallint AS page, `+columns+` FROM {balances}.nft_custody c
			WHERE c.owner = $1`+of+` AND $2 <> '' AND (`+order+`) < ($2, $3, $4) ORDER BY c.asset DESC, substring(c.value FROM 1 FOR 64) DESC, c.value_hash DESC LIMIT $5::bigint)
			UNION ALL
			(SELECT 1::smallint AS page, `+columns+` FROM {balances}.nft_custody c
			WHERE c.owner = $1`+of+` AND (`+order+`) >= ($2, $3, $4) ORDER BY `+order+` LIMIT $5::bigint + 1)
		) owned ON true
		ORDER BY owned.page DESC, owned.asset, substring(owned.value FROM 1 FOR 64), owned.value_hash`,
		args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, r := range found.Rows {
		list.Total = schema.WholeNumber(r.total).Int64()
		text := r.cursor()
		switch {
		case r.page == 0 && list.Cursor.Previous == nil:
			list.Cursor.Previous = &text
		case r.page == 1 && len(list.Results) == in.Limit:
			list.Cursor.Next = &text
		case r.page == 1:
			if len(list.Results) == 0 {
				list.Cursor.Current = &text
			}
			list.Results = append(list.Results, ownedToken{r.asset, view.ShowRaw(r.value)})
		}
	}
	return list, nil
}

// indexedPrefix is the number of bytes of a token id that the index has.
const indexedPrefix = 64

// nonNil turns nil into an empty slice, so that a query argument is not null.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
