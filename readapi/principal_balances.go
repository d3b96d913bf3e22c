package readapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

func (in *PrincipalInput) Dependencies() dependencies {
	return on("balances", shard.Account(string(in.Principal))).with("mempool", shard.Account(string(in.Principal)))
}

// resolve is the account, and the tip.
func (in *PrincipalInput) resolve(ctx context.Context, s *snapshot) (account string, at moment, err error) {
	at, err = AsOf{}.moment(ctx, s)
	return string(in.Principal), at, err
}

// principalSTX is an account's STX in version 3 of the API, all amounts in µSTX.
type principalSTX struct {
	Balance   amount          `json:"balance" doc:"Includes what is locked."`
	Available amount          `json:"available" doc:"What is not locked."`
	Locked    *principalLock  `json:"locked" doc:"null while nothing is."`
	Mempool   *pendingBalance `json:"mempool" doc:"What pending transactions would change; null where that is nothing."`
}

// TransformSchema implements huma.SchemaTransformer.
func (*principalSTX) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return orNull(s, "locked", "mempool")
}

type principalLock struct {
	Amount           amount      `json:"amount"`
	PoxVersion       int16       `json:"pox_version" doc:"Of the contract: 1 for pox, 2 for pox-2, and so on."`
	LockTxID         hash.Hash32 `json:"lock_tx_id"`
	StacksLockHeight int64       `json:"stacks_lock_height"`
	BurnLockHeight   int64       `json:"burn_lock_height"`
	BurnUnlockHeight int64       `json:"burn_unlock_height"`
}

type pendingBalance struct {
	EstimatedBalance amount `json:"estimated_balance" doc:"What is available when all pending transactions are mined."`
	Inbound          amount `json:"inbound"`
	Outbound         amount `json:"outbound"`
}

func (a *API) registerPrincipalBalances() {
	stx := resource{
		id: "get-principal-stx", path: "/extended/v3/principals/{principal}/balances/stx", tag: "Accounts", summary: "STX balance of an account",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, brief: true,
	}
	get(a.Engine, stx, a.principalSTX)
	traced(a.Engine, stx.id, func(ctx context.Context, s *snapshot, in *PrincipalInput, found *principalSTX) ([]lookup, error) {
		return accountLookups(ctx, s, in, found != nil, false)
	})
	fts := resource{
		id: "list-principal-ft", path: "/extended/v3/principals/{principal}/balances/ft", tag: "Accounts", summary: "Fungible tokens that an account has, the most first",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip,
	}
	get(a.Engine, fts, listPrincipalFT)
	traced(a.Engine, fts.id, func(ctx context.Context, s *snapshot, in *principalFTInput, page *keysetPage[assetBalance]) ([]lookup, error) {
		var assets []string
		for i := 0; page != nil && i < len(page.Results); i++ {
			assets = append(assets, page.Results[i].AssetIdentifier)
		}
		return assetLookups(ctx, s, in, assets...)
	})
	ft := resource{
		id: "get-principal-ft", path: "/extended/v3/principals/{principal}/balances/ft/{asset_identifier}", tag: "Accounts", summary: "What an account has of a fungible token",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, brief: true,
	}
	get(a.Engine, ft, getPrincipalFT)
	traced(a.Engine, ft.id, func(ctx context.Context, s *snapshot, in *principalAssetInput, found *assetBalance) ([]lookup, error) {
		if found == nil {
			return nil, nil
		}
		return assetLookups(ctx, s, in, found.AssetIdentifier)
	})
	nft := resource{
		id: "list-principal-nft", path: "/extended/v3/principals/{principal}/balances/nft", tag: "Accounts", summary: "Non-fungible tokens that an account has",
		about:    "By collection, and within one by the bytes of their ids, of which the first 64 count.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip,
	}
	get(a.Engine, nft, listPrincipalNFT)
	traced(a.Engine, nft.id, func(_ context.Context, _ *snapshot, _ *principalNFTInput, page *keysetPage[ownedToken]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		assets, hashes := make([]string, len(page.Results)), make([][]byte, len(page.Results))
		for i, owned := range page.Results {
			assets[i], hashes[i] = owned.AssetIdentifier, owned.hash
		}
		return []lookup{{
			name: "custody", table: tracedCustody, where: `(t.asset, t.value_hash) IN (SELECT * FROM unnest($1::text[], $2::bytea[]))`,
			args: []any{assets, hashes}, order: `t.asset, t.value_hash`,
		}}, nil
	})
}

var tracedCustody = &tracedTable{
	projection: "balances", name: "nft_custody", key: "asset value_hash:hex",
	join:    `JOIN {balances}.nft_event e ON e.asset = t.asset AND e.value_hash = t.value_hash AND e.n = t.n`,
	values:  "n height position owner value:hex",
	sources: []tracedSource{{column: "source_seq", pointers: `ARRAY[e.pointer]`}},
}

func (a *API) principalSTX(ctx context.Context, s *snapshot, in *PrincipalInput) (*principalSTX, error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.batch()
	stx := queueSTX(b, account, at)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	balance, err := stx.shape()
	if err != nil {
		return nil, err
	}
	shown := &principalSTX{Balance: balance.Balance, Available: subtractAmounts(balance.Balance, balance.Locked)}
	if lock := balance.STXLock; lock.LockTxID != "" {
		row, _ := stx.found.first()
		shown.Locked = &principalLock{lock.Locked, row.lock.poxVersion, *row.lock.txid, lock.LockHeight, lock.BurnchainLockHeight, lock.BurnchainUnlockHeight}
	}
	if e := balance.Estimate; e.PendingBalanceInbound != "0" || e.PendingBalanceOutbound != "0" {
		shown.Mempool = &pendingBalance{
			subtractAmounts(addAmounts(string(shown.Available), string(e.PendingBalanceInbound)), e.PendingBalanceOutbound), e.PendingBalanceInbound, e.PendingBalanceOutbound,
		}
	}
	return shown, nil
}

type principalAssetInput struct {
	PrincipalInput
	Asset string `path:"asset_identifier" pattern:"^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}::[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*]){0,127}$" doc:"<contract>::<name>"`
}

// assetBalance is what an account has of a fungible token.
type assetBalance struct {
	AssetIdentifier string `json:"asset_identifier"`
	Balance         amount `json:"balance" doc:"In base units; 0 when it has none."`
}

func getPrincipalFT(ctx context.Context, s *snapshot, in *principalAssetInput) (*assetBalance, error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	balance, err := readFTBalance(ctx, s, account, in.Asset, at)
	return &assetBalance{in.Asset, balance}, err
}

type principalFTInput struct {
	PrincipalInput
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,40}:[\\s\\S]+$" doc:"Where the page begins: balance and asset identifier, with a colon between."`
}

type rankedBalance struct {
	rank, start, total int64
	assetBalance
}

// listPrincipalFT sorts as many rows as the account has tokens: their order is not that of an index.
func listPrincipalFT(ctx context.Context, s *snapshot, in *principalFTInput) (*keysetPage[assetBalance], error) {
	page := &keysetPage[assetBalance]{Limit: in.Limit, Results: []assetBalance{}}
	if _, ok := s.tip("balances"); !ok {
		return page, nil
	}
	var from, asset *string
	if balance, of, ok := strings.Cut(in.Cursor, ":"); ok {
		from, asset = &balance, &of
	}
	b := s.batch()
	found := query(b, func(r *rankedBalance) []any {
		return []any{&r.rank, &r.start, &r.total, &r.AssetIdentifier, (*string)(&r.Balance)}
	}, `
		SELECT CASE WHEN rank >= start AND rank < start + $4 THEN ARRAY[source_seq] ELSE ARRAY[]::bigint[] END, rank, start, total, asset, balance::text
		FROM (
			SELECT ranked.*, CASE WHEN $2::text IS NULL THEN 1
			       ELSE coalesce(min(rank) FILTER (WHERE balance < $2::numeric OR balance = $2::numeric AND asset COLLATE "C" >= $3::text) OVER (), total + 1) END AS start
			FROM (
				SELECT h.source_seq, h.asset, h.balance, count(*) OVER () AS total, row_number() OVER (ORDER BY h.balance DESC, h.asset COLLATE "C") AS rank
				FROM {balances}.holding h WHERE h.account = $1 AND h.kind = 'ft' AND h.balance > 0
			) ranked
		) placed
		WHERE rank >= start - $4::bigint AND rank <= start + $4::bigint ORDER BY rank`, string(in.Principal), from, asset, int64(in.Limit))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	for _, r := range found.rows {
		page.Total = r.total
		text := string(r.Balance) + ":" + r.AssetIdentifier
		switch {
		case r.rank == max(r.start-int64(in.Limit), 1) && r.rank < r.start:
			page.Cursor.Previous = &text
		case r.rank == r.start+int64(in.Limit):
			page.Cursor.Next = &text
		case r.rank >= r.start:
			if r.rank == r.start {
				page.Cursor.Current = &text
			}
			page.Results = append(page.Results, r.assetBalance)
		}
	}
	return page, nil
}

type principalNFTInput struct {
	PrincipalInput
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^0x([0-9a-fA-F]{2})+:[\\s\\S]+$" doc:"Where the page begins: the bytes of a token's id and the asset identifier, with a colon between."`
}

// ownedToken is a non-fungible token that an account has.
type ownedToken struct {
	AssetIdentifier string       `json:"asset_identifier"`
	Value           clarityValue `json:"value" doc:"Which token of the collection."`

	hash []byte
}

type ownedRow struct {
	page  int16 // 0 for a row of the page before this one, 1 for one of this page or the first of the next
	total string
	asset string
	value []byte
	hash  []byte
}

// listPrincipalNFT reads a range of an index. Token ids may be longer than an index can have them: it has their beginnings.
func listPrincipalNFT(ctx context.Context, s *snapshot, in *principalNFTInput) (*keysetPage[ownedToken], error) {
	page := &keysetPage[ownedToken]{Limit: in.Limit, Results: []ownedToken{}}
	if _, ok := s.tip("balances"); !ok {
		return page, nil
	}
	var asset string
	var value, digest []byte
	if id, of, ok := strings.Cut(in.Cursor, ":"); ok {
		value, _ = hex.DecodeString(id[2:]) // the pattern has been checked
		sum := sha256.Sum256(value)
		asset, value, digest = of, value[:min(len(value), ownedPrefix)], sum[:]
	}
	const columns, order = `source_seq, asset, value, value_hash`, `c.asset, substring(c.value FROM 1 FOR 64), c.value_hash`
	b := s.batch()
	found := query(b, func(r *ownedRow) []any { return []any{&r.page, &r.total, &r.asset, &r.value, &r.hash} }, `
		SELECT array_remove(ARRAY[CASE WHEN owned.page = 1 THEN owned.source_seq END], NULL), coalesce(owned.page, 2::smallint), total.n::text, coalesce(owned.asset, ''),
		       coalesce(owned.value, ''), coalesce(owned.value_hash, '')
		FROM (SELECT coalesce(sum(h.balance), 0) AS n FROM {balances}.holding h WHERE h.account = $1 AND h.kind = 'nft') total
		LEFT JOIN (
			(SELECT 0::smallint AS page, `+columns+` FROM {balances}.nft_custody c
			WHERE c.owner = $1 AND $2 <> '' AND (`+order+`) < ($2, $3, $4) ORDER BY c.asset DESC, substring(c.value FROM 1 FOR 64) DESC, c.value_hash DESC LIMIT $5::bigint)
			UNION ALL
			(SELECT 1::smallint AS page, `+columns+` FROM {balances}.nft_custody c
			WHERE c.owner = $1 AND (`+order+`) >= ($2, $3, $4) ORDER BY `+order+` LIMIT $5::bigint + 1)
		) owned ON true
		ORDER BY owned.page, owned.asset, substring(owned.value FROM 1 FOR 64), owned.value_hash`,
		string(in.Principal), asset, nonNil(value), nonNil(digest), int64(in.Limit))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	for i, r := range found.rows {
		page.Total = wholeNumber(r.total).Int64()
		text := string(hexOf(r.value)) + ":" + r.asset
		switch {
		case r.page == 0 && i == 0:
			page.Cursor.Previous = &text
		case r.page == 1 && len(page.Results) == in.Limit:
			page.Cursor.Next = &text
		case r.page == 1:
			if len(page.Results) == 0 {
				page.Cursor.Current = &text
			}
			page.Results = append(page.Results, ownedToken{r.asset, showRaw(r.value), r.hash})
		}
	}
	return page, nil
}

// ownedPrefix is how many bytes of a token's id the index has.
const ownedPrefix = 64

// nonNil is bytes for a query, which are not null.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
