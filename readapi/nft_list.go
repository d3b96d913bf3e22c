package readapi

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
	"strata/readapi/internal/answer"
)

const nftLimit = 50

// NFTPageInput says which page of a list of non-fungible tokens is asked for, and how its transactions are shown.
type NFTPageInput struct {
	Limit      int   `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Rows of a page; 0 means the default."`
	Offset     int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest."`
	Unanchored bool  `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	TxMetadata bool  `query:"tx_metadata" default:"false" doc:"Show whole transactions instead of their ids."`
}

// askedAssets are assets in a request, as a list; a comma parts them, too.
type askedAssets []string

// Schema implements huma.SchemaProvider. What names an asset is not said here: clients know another error for what does not.
func (askedAssets) Schema(huma.Registry) *huma.Schema {
	s := listOf("Assets, <contract>::<name>, 50 at most. To ask for several, repeat the parameter, or part them by commas.",
		&huma.Schema{Type: huma.TypeString, Examples: []any{"SP2X0TZ59D5SZ8ACQ6YMCHHNR2ZN51Z32E2CJ173.the-explorer-guild::The-Explorer-Guild"}})
	s.MaxItems = ptr(assetsMost)
	return s
}

// assetsMost is how many assets can be asked for at once.
const assetsMost = 50

type holdingsInput struct {
	Principal string      `query:"principal" required:"true" doc:"Whose tokens: an address or a contract."`
	Assets    askedAssets `query:"asset_identifiers,explode"`
	Cursor    string      `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,9}$" doc:"The page after another one: cursor.next of that one."`
	NFTPageInput
}

type nftHistoryInput struct {
	Asset  string `query:"asset_identifier" required:"true" doc:"<contract>::<name>"`
	Value  string `query:"value" required:"true" doc:"Which token: the Clarity value as consensus serialises it, in hex with or without 0x." example:"0x0100000000000000000000000000000803"`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"The page after another one: cursor.next of that one."`
	NFTPageInput
}

type nftMintsInput struct {
	Asset  string `query:"asset_identifier" required:"true" doc:"<contract>::<name>"`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"The page after another one: cursor.next of that one."`
	NFTPageInput
}

// nftPage is a page of a list of tokens, or of what happened to them, newest first.
type nftPage[T any] struct {
	Limit   int       `json:"limit"`
	Offset  int64     `json:"offset"`
	Total   int64     `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T       `json:"results" nullable:"false"`
	Cursor  keyCursor `json:"cursor"`
}

// NFTTransaction is the transaction in which something happened to a token: its id, or all of it.
type NFTTransaction struct {
	TxID *hash.Hash32     `json:"tx_id,omitempty" doc:"Absent with tx_metadata."`
	Tx   *transactionBody `json:"tx,omitempty" doc:"With tx_metadata: the transaction, without its events."`
}

type nftHolding struct {
	AssetIdentifier string       `json:"asset_identifier"`
	Value           clarityValue `json:"value"`
	BlockHeight     int64        `json:"block_height" doc:"Of the block in which the owner got it."`
	NFTTransaction

	row nftRow
}

type nftHistoryEvent struct {
	Sender         *string `json:"sender,omitempty" doc:"Absent for a mint."`
	Recipient      *string `json:"recipient,omitempty" doc:"Absent for a burn."`
	EventIndex     int32   `json:"event_index" doc:"Among the events of its transaction."`
	AssetEventType string  `json:"asset_event_type" enum:"transfer,mint,burn"`
	NFTTransaction

	row nftRow
}

type nftMint struct {
	Recipient  *string      `json:"recipient,omitempty"`
	EventIndex int32        `json:"event_index" doc:"Among the events of its transaction."`
	Value      clarityValue `json:"value"`
	NFTTransaction

	row nftRow
}

// nftRow is a token with its owner, or an event of one.
type nftRow struct {
	rowKey
	id        hash.Hash32 // of the transaction
	height    int64
	place     int64 // in the block; or the number of the event, of the token's or of the mints
	event     int32
	n         int64 // of the event, among those of the token
	asset     string
	valueHash []byte
	value     []byte
	cause     string
	sender    *string
	recipient *string
}

func nftColumns(r *nftRow) []any {
	return []any{&r.seq, &r.index, &r.id, &r.height, &r.place, &r.event, &r.n, &r.asset, &r.valueHash, &r.value, &r.cause, &r.sender, &r.recipient}
}

func (a *API) registerNFTLists() {
	of := func(id, path, summary string) resource {
		return resource{
			id: id, path: "/extended/v1/tokens/nft/" + path, tag: "Tokens", summary: summary,
			statuses: []int{http.StatusBadRequest}, class: answer.Tip, of: onTip("balances", "chain"),
		}
	}
	holdings := of("list-nft-holdings", "holdings", "The non-fungible tokens that an account owns, the one it got last first")
	holdings.deprecated, holdings.about = true, instead("/extended/v3/principals/{principal}/balances/nft")
	get(a.Engine, holdings, a.nftHoldings)
	get(a.Engine, of("list-nft-history", "history", "What happened to a non-fungible token, newest first"), a.nftHistory)
	get(a.Engine, of("list-nft-mints", "mints", "The mints of non-fungible tokens of an asset, newest first"), a.nftMints)
	traced(a.Engine, holdings.id, func(_ context.Context, _ *snapshot, _ *holdingsInput, page *nftPage[nftHolding]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		return nftLookups("nft_custody", tracedCustody, page.Results, func(h nftHolding) nftRow { return h.row }), nil
	})
	traced(a.Engine, "list-nft-history", func(_ context.Context, _ *snapshot, _ *nftHistoryInput, page *nftPage[nftHistoryEvent]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		return nftLookups("nft_event", tracedNFTEvent, page.Results, func(e nftHistoryEvent) nftRow { return e.row }), nil
	})
	traced(a.Engine, "list-nft-mints", func(_ context.Context, _ *snapshot, _ *nftMintsInput, page *nftPage[nftMint]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		return nftLookups("nft_event", tracedNFTEvent, page.Results, func(m nftMint) nftRow { return m.row }), nil
	})
}

var tracedNFTEvent = &tracedTable{
	projection: "balances", name: "nft_event", key: "asset value_hash:hex n", values: "height cause sender recipient value:hex mint",
	sources: []tracedSource{{column: "source_seq", pointers: `ARRAY[t.pointer]`}},
}

// nftLookups are the rows of a page. Events are named by their numbers, which owners of tokens have too.
func nftLookups[T any](name string, table *tracedTable, shown []T, rowOf func(T) nftRow) []lookup {
	if len(shown) == 0 {
		return nil
	}
	assets, hashes, numbers := make([]string, len(shown)), make([][]byte, len(shown)), make([]int64, len(shown))
	for i := range shown {
		r := rowOf(shown[i])
		assets[i], hashes[i], numbers[i] = r.asset, r.valueHash, r.n
	}
	return []lookup{{
		name: name, table: table, where: `(t.asset, t.value_hash, t.n) IN (SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[]))`,
		args: []any{assets, hashes, numbers}, order: `t.height DESC, t.asset, t.value_hash, t.n DESC`,
	}}
}

// isAsset says whether a text names a token of a contract.
func isAsset(text string) bool {
	contract, name, ok := strings.Cut(text, "::")
	principal, err := clarity.ParsePrincipal(contract)
	return ok && name != "" && err == nil && principal.Contract != "" && principal.String() == contract
}

// custodySQL selects what nftColumns reads of a token c that somebody owns.
const custodySQL = `c.source_seq, c.tx_index, x.txid, c.height, c.position::bigint, 0, c.n, c.asset, c.value_hash, c.value, '', NULL::text, c.owner`

// nftHoldings reads what an account owns in the order in which it got it, from an index of all of it or, with assets, from one
// that has those of each.
func (a *API) nftHoldings(ctx context.Context, s *snapshot, in *holdingsInput) (*nftPage[nftHolding], error) {
	page := &nftPage[nftHolding]{Limit: orDefault(in.Limit, nftLimit), Offset: in.Offset, Results: []nftHolding{}}
	owner, err := clarity.ParsePrincipal(in.Principal)
	if err != nil || owner.String() != in.Principal {
		return nil, badRequest("Invalid or missing principal")
	}
	assets := parted(in.Assets)
	if len(assets) > assetsMost {
		return nil, invalid("querystring/asset_identifiers must NOT have more than %d items", assetsMost)
	}
	seen := map[string]bool{}
	var distinct []string
	for _, asset := range assets {
		if !isAsset(asset) {
			return nil, badRequest("Invalid asset identifier")
		}
		if !seen[asset] {
			seen[asset] = true
			distinct = append(distinct, asset)
		}
	}
	if !ready(s, "balances", "chain") {
		return page, nil
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
	b := s.batch()
	total := query(b, numberColumn, `
		SELECT ARRAY[]::bigint[], coalesce(sum(balance), 0)::bigint FROM {balances}.holding
		WHERE account = $1 AND kind = 'nft' AND ($2::text[] IS NULL OR asset = ANY ($2))`, in.Principal, distinct)
	found := queryPage(b, page.Limit, nftColumns, `
		SELECT ARRAY[c.source_seq], `+custodySQL+`
		FROM (`+rows+`) p
		CROSS JOIN LATERAL (SELECT * FROM {balances}.nft_custody c WHERE c.asset = p.asset AND c.value_hash = p.value_hash LIMIT 1) c
		CROSS JOIN LATERAL (SELECT x.txid FROM {chain}.transaction x WHERE x.source_seq = c.source_seq AND x.tx_index = c.tx_index LIMIT 1) x
		WHERE $2::text[] IS NULL OR c.asset = ANY ($2)
		ORDER BY p.height DESC, p.position DESC`, in.Principal, distinct, height, place, min(in.Offset, offsetMost), int64(page.Limit)+1)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.first()
	shown := newKeyPage(page.Limit, found.rows, func(r nftRow) string {
		return strconv.FormatInt(r.height, 10) + ":" + strconv.FormatInt(r.place, 10)
	})
	page.Cursor = shown.Cursor
	transactions, err := a.nftTransactions(ctx, s, shown.Results, in.TxMetadata)
	if err != nil {
		return nil, err
	}
	for i, r := range shown.Results {
		page.Results = append(page.Results, nftHolding{r.asset, showRaw(r.value), r.height, transactions[i], r})
	}
	return page, nil
}

// nftEventSQL selects what nftColumns reads of an event c of a token; place is its number in the list.
func nftEventSQL(place string) string {
	return `c.source_seq, c.tx_index, x.txid, c.height, ` + place + `, c.event_index, c.n, c.asset, c.value_hash, c.value, c.cause, c.sender, c.recipient`
}

// numberedEvents reads a page of a list of events that are numbered from 1 in a column: where is a condition on the event c,
// with arguments from $4 on.
func numberedEvents(ctx context.Context, s *snapshot, column, where string, cursor string, offset int64, limit int, args ...any) (rows []nftRow, total int64, page keyCursor, err error) {
	start := int64(1) << 62
	if cursor != "" {
		start, _ = strconv.ParseInt(cursor, 10, 64) // the pattern has been checked
	}
	args = append([]any{start, min(offset, offsetMost), int64(limit)}, args...)
	b := s.batch()
	const last = `coalesce((SELECT c.{n} FROM {balances}.nft_event c WHERE {where} ORDER BY c.{n} DESC LIMIT 1), 0)`
	fill := strings.NewReplacer("{n}", column, "{where}", where)
	length := query(b, numberColumn, fill.Replace(`SELECT ARRAY[]::bigint[], `+last+` FROM (SELECT $1::bigint, $2::bigint, $3::bigint) args`), args...)
	found := queryPage(b, limit, nftColumns, fill.Replace(`
		SELECT ARRAY[c.source_seq], `+nftEventSQL("c.{n}")+`
		FROM (SELECT least($1::bigint, `+last+`) - $2::bigint AS first) page
		CROSS JOIN LATERAL (
			SELECT * FROM {balances}.nft_event c WHERE {where} AND c.{n} <= page.first AND c.{n} > page.first - $3::bigint - 1 ORDER BY c.{n} DESC LIMIT $3::bigint + 1
		) c
		CROSS JOIN LATERAL (SELECT x.txid FROM {chain}.transaction x WHERE x.source_seq = c.source_seq AND x.tx_index = c.tx_index LIMIT 1) x
		ORDER BY c.{n} DESC`), args...)
	if err := b.run(ctx); err != nil {
		return nil, 0, page, err
	}
	total, _ = length.first()
	shown := newKeyPage(limit, found.rows, func(r nftRow) string { return strconv.FormatInt(r.place, 10) })
	return shown.Results, total, shown.Cursor, nil
}

func (a *API) nftHistory(ctx context.Context, s *snapshot, in *nftHistoryInput) (*nftPage[nftHistoryEvent], error) {
	page := &nftPage[nftHistoryEvent]{Limit: orDefault(in.Limit, nftLimit), Offset: in.Offset, Results: []nftHistoryEvent{}}
	if !isAsset(in.Asset) {
		return nil, badRequest("Invalid or missing asset_identifier")
	}
	digits := strings.TrimPrefix(in.Value, "0x")
	value, err := hex.DecodeString(digits)
	switch {
	case len(digits)%2 != 0:
		return nil, badRequest("Hex string is an odd number of digits")
	case err != nil || len(value) == 0:
		return nil, badRequest("Invalid hash characters")
	case !ready(s, "balances", "chain"):
		return page, nil
	}
	key := sha256.Sum256(value)
	rows, total, cursor, err := numberedEvents(ctx, s, "n", `c.asset = $4::text AND c.value_hash = $5::bytea`, in.Cursor, in.Offset, page.Limit, in.Asset, key[:])
	if err != nil {
		return nil, err
	}
	transactions, err := a.nftTransactions(ctx, s, rows, in.TxMetadata)
	if err != nil {
		return nil, err
	}
	page.Total, page.Cursor = total, cursor
	for i, r := range rows {
		page.Results = append(page.Results, nftHistoryEvent{r.sender, r.recipient, r.event, eventKinds[r.cause].action, transactions[i], r})
	}
	return page, nil
}

func (a *API) nftMints(ctx context.Context, s *snapshot, in *nftMintsInput) (*nftPage[nftMint], error) {
	page := &nftPage[nftMint]{Limit: orDefault(in.Limit, nftLimit), Offset: in.Offset, Results: []nftMint{}}
	if !isAsset(in.Asset) {
		return nil, badRequest("Invalid or missing asset_identifier")
	}
	if !ready(s, "balances", "chain") {
		return page, nil
	}
	rows, total, cursor, err := numberedEvents(ctx, s, "mint", `c.asset = $4::text AND c.mint IS NOT NULL`, in.Cursor, in.Offset, page.Limit, in.Asset)
	if err != nil {
		return nil, err
	}
	transactions, err := a.nftTransactions(ctx, s, rows, in.TxMetadata)
	if err != nil {
		return nil, err
	}
	page.Total, page.Cursor = total, cursor
	for i, r := range rows {
		page.Results = append(page.Results, nftMint{r.recipient, r.event, showRaw(r.value), transactions[i], r})
	}
	return page, nil
}

// ready says whether all of some projections have a block.
func ready(s *snapshot, projections ...string) bool {
	all := true
	for _, name := range projections {
		_, ok := s.tip(name)
		all = all && ok
	}
	return all
}

// nftTransactions are the transactions of rows, whole or by their ids.
func (a *API) nftTransactions(ctx context.Context, s *snapshot, rows []nftRow, whole bool) ([]NFTTransaction, error) {
	shown := make([]NFTTransaction, len(rows))
	if !whole || len(rows) == 0 {
		for i := range rows {
			shown[i].TxID = &rows[i].id
		}
		return shown, nil
	}
	keys := make([]rowKey, len(rows))
	for i := range rows {
		keys[i] = rows[i].rowKey
	}
	found, err := a.transactionsByKey(ctx, s, keys)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		shown[i].Tx = found[rows[i].rowKey]
	}
	return shown, nil
}

// transactionsByKey reads transactions by their keys, in two round trips.
func (a *API) transactionsByKey(ctx context.Context, s *snapshot, keys []rowKey) (map[rowKey]*transactionBody, error) {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, compareKeys)
	seqs, indexes := keyColumns(slices.Compact(keys))
	b := s.batch()
	found := query(b, transactionColumns, `
		SELECT `+transactionSQL+`
		FROM unnest($1::bigint[], $2::int[]) AS k (source_seq, tx_index)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = k.source_seq AND t.tx_index = k.tx_index LIMIT 1) t`+transactionBlocksSQL, seqs, indexes)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	rows := rowsOf(found)
	interfaces, err := complete(ctx, s, rows, false, nil)
	if err != nil {
		return nil, err
	}
	shown := make(map[rowKey]*transactionBody, len(rows))
	for _, r := range rows {
		body := renderTransaction(r, rendering{interfaces: interfaces})
		shown[r.rowKey] = &body
	}
	return shown, nil
}
