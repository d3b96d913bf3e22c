package balance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

const nftLimit = 50

// NFTPageInput holds the query parameters that every list of non-fungible tokens has.
type NFTPageInput struct {
	Limit      int   `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Page size; 0 means the default."`
	Offset     int64 `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the newest row."`
	Unanchored bool  `query:"unanchored" default:"false" doc:"Accepted, but has no effect: microblocks no longer exist."`
	TxMetadata bool  `query:"tx_metadata" default:"false" doc:"Return whole transactions instead of their ids."`
}

// assetIdentifiers is a list of asset identifiers in a query. One value may hold several, separated by commas.
type assetIdentifiers []string

// Schema implements huma.SchemaProvider. It has no pattern: nftHoldings rejects an invalid identifier with the error
// that clients expect, which differs from that of a failed validation.
func (assetIdentifiers) Schema(huma.Registry) *huma.Schema {
	s := schema.ListOf("Asset identifiers, <contract>::<name>, at most 50. Repeat the parameter or separate the identifiers with commas.",
		&huma.Schema{Type: huma.TypeString, Examples: []any{"SP2X0TZ59D5SZ8ACQ6YMCHHNR2ZN51Z32E2CJ173.the-explorer-guild::The-Explorer-Guild"}})
	s.MaxItems = schema.Ptr(assetsMax)
	return s
}

// assetsMax is the maximum number of asset identifiers in one request.
const assetsMax = 50

type holdingsInput struct {
	Principal param.PrincipalText `query:"principal" required:"true" doc:"Owner of the tokens: an address or a contract."`
	Assets    assetIdentifiers    `query:"asset_identifiers,explode"`
	Cursor    string              `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,9}$" doc:"cursor.next of another page: opens the page that follows it."`
	NFTPageInput
}

type nftHistoryInput struct {
	Asset  param.AssetText `query:"asset_identifier" required:"true" doc:"<contract>::<name>"`
	Value  param.ValueText `query:"value" required:"true" doc:"Id of the token: the Clarity value in its consensus serialisation, in hex with or without 0x."`
	Cursor string          `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"cursor.next of another page: opens the page that follows it."`
	NFTPageInput
}

type nftMintsInput struct {
	Asset  param.AssetText `query:"asset_identifier" required:"true" doc:"<contract>::<name>"`
	Cursor string          `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"cursor.next of another page: opens the page that follows it."`
	NFTPageInput
}

// nftPage is a page of a list of tokens or of their events, newest first.
type nftPage[T any] struct {
	Limit   int            `json:"limit"`
	Offset  int64          `json:"offset"`
	Total   int64          `json:"total" doc:"Number of rows in the whole list."`
	Results []T            `json:"results" nullable:"false"`
	Cursor  page.KeyCursor `json:"cursor"`
}

// NFTTransaction is the transaction of an event of a token: its id only, or the whole transaction.
type NFTTransaction struct {
	TxID *hash.Hash32          `json:"tx_id,omitempty" doc:"Absent with tx_metadata."`
	Tx   *view.TransactionBody `json:"tx,omitempty" doc:"With tx_metadata: the transaction, without its events."`
}

type nftHolding struct {
	AssetIdentifier string            `json:"asset_identifier"`
	Value           view.ClarityValue `json:"value"`
	BlockHeight     int64             `json:"block_height" doc:"Height of the block in which the owner received the token."`
	NFTTransaction
}

type nftHistoryEvent struct {
	Sender         *string `json:"sender" doc:"Null for a mint."`
	Recipient      *string `json:"recipient" doc:"Null for a burn."`
	EventIndex     int32   `json:"event_index" doc:"Index among the events of the transaction."`
	AssetEventType string  `json:"asset_event_type" enum:"transfer,mint,burn"`
	NFTTransaction
}

type nftMint struct {
	Recipient  *string           `json:"recipient,omitempty"`
	EventIndex int32             `json:"event_index" doc:"Index among the events of the transaction."`
	Value      view.ClarityValue `json:"value"`
	NFTTransaction
}

// nftRow is a token with its owner, or an event of a token.
type nftRow struct {
	view.RowKey
	id        hash.Hash32 // of the transaction
	height    int64
	place     int64 // of a token: its position in the block; of an event: its number in the list
	event     int32 // index in the transaction
	asset     string
	value     []byte
	cause     string
	sender    *string
	recipient *string
}

func nftColumns(r *nftRow) []any {
	return []any{&r.Seq, &r.Index, &r.id, &r.height, &r.place, &r.event, &r.asset, &r.value, &r.cause, &r.sender, &r.recipient}
}

func (a *api) registerNFTLists() {
	operation := func(id, path, summary string) engine.Operation {
		return engine.Operation{
			ID: id, Path: "/extended/v1/tokens/nft/" + path, Tag: "Tokens", Summary: summary,
			Statuses: []int{http.StatusBadRequest},
		}
	}
	holdings := operation("list-nft-holdings", "holdings", "Non-fungible tokens that an account owns, most recently received first")
	holdings.Deprecated, holdings.Description = true, engine.Instead("/extended/v3/principals/{principal}/balances/nft")
	engine.Get(a.Engine, holdings, a.nftHoldings)
	engine.Get(a.Engine, operation("list-nft-history", "history", "Events of a non-fungible token, newest first"), a.nftHistory)
	engine.Get(a.Engine, operation("list-nft-mints", "mints", "Mints of a non-fungible asset, newest first"), a.nftMints)
}

var tracedNFTEvent = &engine.TraceTable{
	Projection: "balances", Name: "nft_event", Key: "asset value_hash:hex n", Values: "height cause sender recipient value:hex mint",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
	Order:   `t.height DESC, t.asset, t.value_hash, t.n DESC`,
}

// isAsset reports whether a text is an asset identifier, <contract>::<name>.
func isAsset(text string) bool {
	contract, name, ok := strings.Cut(text, "::")
	principal, err := clarity.ParsePrincipal(contract)
	return ok && name != "" && err == nil && principal.Contract != "" && principal.String() == contract
}

// custodySQL is the select list for nftColumns, of a token c that has an owner, and its transaction x.
const custodySQL = `c.source_seq, c.tx_index, x.txid, c.height, c.position::bigint, 0, c.asset, c.value, '', NULL::text, c.owner`

// nftHoldings lists the tokens of an account, most recently received first. It reads them from the index of all tokens
// of the account or, when the request names assets, from the index of the account's tokens by asset.
func (a *api) nftHoldings(ctx context.Context, s *engine.Snapshot, in *holdingsInput) (*nftPage[nftHolding], error) {
	list := &nftPage[nftHolding]{Limit: page.LimitOr(in.Limit, nftLimit), Offset: in.Offset, Results: []nftHolding{}}
	owner, err := clarity.ParsePrincipal(string(in.Principal))
	if err != nil || owner.String() != string(in.Principal) {
		return nil, engine.BadRequest("Invalid or missing principal")
	}
	assets := param.SplitList(in.Assets)
	if len(assets) > assetsMax {
		return nil, engine.Invalid("querystring/asset_identifiers must NOT have more than %d items", assetsMax)
	}
	seen := map[string]bool{}
	var distinct []string
	for _, asset := range assets {
		if !isAsset(asset) {
			return nil, engine.BadRequest("Invalid asset identifier")
		}
		if !seen[asset] {
			seen[asset] = true
			distinct = append(distinct, asset)
		}
	}
	if !engine.Ready(s, "balances", "chain") {
		return list, nil
	}
	height, place := int64(1)<<62, int64(1)<<30
	if h, p, ok := strings.Cut(in.Cursor, ":"); ok {
		height, _ = strconv.ParseInt(h, 10, 64) // the pattern has been checked
		place, _ = strconv.ParseInt(p, 10, 64)
	}
	const owned = `SELECT o.height, o.position, o.asset, o.value_hash FROM {balances}.nft_custody o WHERE o.owner = $1 `
	const from = ` AND (o.height, o.position) <= ($3::bigint, $4::bigint) ORDER BY o.height DESC, o.position DESC`
	rows := owned + from + ` OFFSET $5::bigint LIMIT $6::bigint`
	if distinct != nil {
		rows = `SELECT o.* FROM unnest($2::text[]) AS of (asset)
			CROSS JOIN LATERAL (` + owned + `AND o.asset = of.asset` + from + ` LIMIT $5::bigint + $6::bigint) o
			ORDER BY o.height DESC, o.position DESC OFFSET $5::bigint LIMIT $6::bigint`
	}
	b := s.Batch()
	total := engine.Query(b, page.NumberColumn, `
		SELECT {}, coalesce(sum(greatest(balance, 0)), 0)::bigint FROM {balances}.holding
		WHERE account = $1 AND kind = 'nft' AND ($2::text[] IS NULL OR asset = ANY ($2))`, string(in.Principal), distinct)
	found := engine.QueryPage(b, list.Limit, nftColumns, `
		SELECT {balances.nft_custody c, chain.transaction x}, `+custodySQL+`
		FROM (`+rows+`) p
		CROSS JOIN LATERAL (SELECT * FROM {balances}.nft_custody c WHERE c.asset = p.asset AND c.value_hash = p.value_hash LIMIT 1) c
		CROSS JOIN LATERAL (SELECT x.source_seq, x.tx_index, x.txid FROM {chain}.transaction x WHERE x.source_seq = c.source_seq AND x.tx_index = c.tx_index LIMIT 1) x
		WHERE $2::text[] IS NULL OR c.asset = ANY ($2)
		ORDER BY p.height DESC, p.position DESC`, string(in.Principal), distinct, height, place, min(in.Offset, page.OffsetMax), int64(list.Limit)+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Total, _ = total.First()
	keyPage := page.NewKeyPage(list.Limit, found.Rows, func(r nftRow) string {
		return strconv.FormatInt(r.height, 10) + ":" + strconv.FormatInt(r.place, 10)
	})
	list.Cursor = keyPage.Cursor
	transactions, err := a.nftTransactions(ctx, s, keyPage.Results, in.TxMetadata)
	if err != nil {
		return nil, err
	}
	for i, r := range keyPage.Results {
		list.Results = append(list.Results, nftHolding{r.asset, view.ShowRaw(r.value), r.height, transactions[i]})
	}
	return list, nil
}

// nftEventSQL returns the select list for nftColumns, of an event c of a token and its transaction x. place is SQL for
// the number of the event in the list.
func nftEventSQL(place string) string {
	return `c.source_seq, c.tx_index, x.txid, c.height, ` + place + `, c.event_index, c.asset, c.value, c.cause, c.sender, c.recipient`
}

// readNFTEvents reads a page of a list of events, newest first. column numbers the events of the list from 1 on without
// gaps. where is a condition on the event c that selects the list; its arguments, args, begin at $4.
func readNFTEvents(ctx context.Context, s *engine.Snapshot, column, where string, cursor string, offset int64, limit int, args ...any) (rows []nftRow, total int64, list page.KeyCursor, err error) {
	start := int64(1) << 62
	if cursor != "" {
		start, _ = strconv.ParseInt(cursor, 10, 64) // the pattern has been checked
	}
	args = append([]any{start, min(offset, page.OffsetMax), int64(limit)}, args...)
	b := s.Batch()
	const last = `coalesce((SELECT c.{n} FROM {balances}.nft_event c WHERE {where} ORDER BY c.{n} DESC LIMIT 1), 0)`
	fill := strings.NewReplacer("{n}", column, "{where}", where)
	length := engine.Query(b, page.NumberColumn, fill.Replace(`SELECT {}, `+last+` FROM (SELECT $1::bigint, $2::bigint, $3::bigint) args`), args...)
	found := engine.QueryPage(b, limit, nftColumns, fill.Replace(`
		SELECT {balances.nft_event c, chain.transaction x}, `+nftEventSQL("c.{n}")+`
		FROM (SELECT least($1::bigint, `+last+`) - $2::bigint AS first) page
		CROSS JOIN LATERAL (
			SELECT * FROM {balances}.nft_event c WHERE {where} AND c.{n} <= page.first AND c.{n} > page.first - $3::bigint - 1 ORDER BY c.{n} DESC LIMIT $3::bigint + 1
		) c
		CROSS JOIN LATERAL (SELECT x.source_seq, x.tx_index, x.txid FROM {chain}.transaction x WHERE x.source_seq = c.source_seq AND x.tx_index = c.tx_index LIMIT 1) x
		ORDER BY c.{n} DESC`), args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, list, err
	}
	total, _ = length.First()
	keyPage := page.NewKeyPage(limit, found.Rows, func(r nftRow) string { return strconv.FormatInt(r.place, 10) })
	return keyPage.Results, total, keyPage.Cursor, nil
}

func (a *api) nftHistory(ctx context.Context, s *engine.Snapshot, in *nftHistoryInput) (*nftPage[nftHistoryEvent], error) {
	page := &nftPage[nftHistoryEvent]{Limit: page.LimitOr(in.Limit, nftLimit), Offset: in.Offset, Results: []nftHistoryEvent{}}
	if !isAsset(string(in.Asset)) {
		return nil, engine.BadRequest("Invalid or missing asset_identifier")
	}
	digits := strings.TrimPrefix(string(in.Value), "0x")
	value, err := hex.DecodeString(digits)
	switch {
	case len(digits)%2 != 0:
		return nil, engine.BadRequest("Hex string is an odd number of digits")
	case err != nil || len(value) == 0:
		return nil, engine.BadRequest("Invalid hash characters")
	case !engine.Ready(s, "balances", "chain"):
		return page, nil
	}
	key := sha256.Sum256(value)
	rows, total, cursor, err := readNFTEvents(ctx, s, "n", `c.asset = $4::text AND c.value_hash = $5::bytea`, in.Cursor, in.Offset, page.Limit, string(in.Asset), key[:])
	if err != nil {
		return nil, err
	}
	transactions, err := a.nftTransactions(ctx, s, rows, in.TxMetadata)
	if err != nil {
		return nil, err
	}
	page.Total, page.Cursor = total, cursor
	for i, r := range rows {
		page.Results = append(page.Results, nftHistoryEvent{r.sender, r.recipient, r.event, view.EventKinds[r.cause].Action, transactions[i]})
	}
	return page, nil
}

func (a *api) nftMints(ctx context.Context, s *engine.Snapshot, in *nftMintsInput) (*nftPage[nftMint], error) {
	page := &nftPage[nftMint]{Limit: page.LimitOr(in.Limit, nftLimit), Offset: in.Offset, Results: []nftMint{}}
	if !isAsset(string(in.Asset)) {
		return nil, engine.BadRequest("Invalid or missing asset_identifier")
	}
	if !engine.Ready(s, "balances", "chain") {
		return page, nil
	}
	rows, total, cursor, err := readNFTEvents(ctx, s, "mint", `c.asset = $4::text AND c.mint IS NOT NULL`, in.Cursor, in.Offset, page.Limit, string(in.Asset))
	if err != nil {
		return nil, err
	}
	transactions, err := a.nftTransactions(ctx, s, rows, in.TxMetadata)
	if err != nil {
		return nil, err
	}
	page.Total, page.Cursor = total, cursor
	for i, r := range rows {
		page.Results = append(page.Results, nftMint{r.recipient, r.event, view.ShowRaw(r.value), transactions[i]})
	}
	return page, nil
}

// nftTransactions returns the transaction of each row: whole, or its id only.
func (a *api) nftTransactions(ctx context.Context, s *engine.Snapshot, rows []nftRow, whole bool) ([]NFTTransaction, error) {
	transactions := make([]NFTTransaction, len(rows))
	if !whole || len(rows) == 0 {
		for i := range rows {
			transactions[i].TxID = &rows[i].id
		}
		return transactions, nil
	}
	keys := make([]view.RowKey, len(rows))
	for i := range rows {
		keys[i] = rows[i].RowKey
	}
	bodies, err := a.transactionsByKey(ctx, s, keys)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		transactions[i].Tx = bodies[rows[i].RowKey]
	}
	return transactions, nil
}

// transactionsByKey reads and renders the transactions with the given keys, in two round trips.
func (a *api) transactionsByKey(ctx context.Context, s *engine.Snapshot, keys []view.RowKey) (map[view.RowKey]*view.TransactionBody, error) {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, view.CompareKeys)
	seqs, indexes := view.KeyColumns(slices.Compact(keys))
	b := s.Batch()
	found := engine.Query(b, view.TransactionColumns, `
		SELECT `+view.TransactionSQL+`
		FROM unnest($1::bigint[], $2::int[]) AS k (source_seq, tx_index)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = k.source_seq AND t.tx_index = k.tx_index LIMIT 1) t`+view.TransactionBlocksSQL, seqs, indexes)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := view.RowsOf(found)
	interfaces, err := view.Complete(ctx, s, rows, false, nil)
	if err != nil {
		return nil, err
	}
	bodies := make(map[view.RowKey]*view.TransactionBody, len(rows))
	for _, r := range rows {
		body := view.RenderTransaction(r, view.Rendering{Interfaces: interfaces})
		bodies[r.RowKey] = &body
	}
	return bodies, nil
}
