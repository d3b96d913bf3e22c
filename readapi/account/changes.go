package account

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// ChangesPage holds the size of a page of balance changes.
type ChangesPage struct {
	Limit int `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Page size."`
}

type changesOfInput struct {
	param.PrincipalInput
	param.TransactionInput
	ChangesPage
	Cursor string `query:"cursor" pattern:"^[1-3]:[\\s\\S]+$" doc:"First change of the page, as type:asset. The type is 1 for STX, 2 for a fungible token and 3 for a non-fungible token. The asset is stx or an asset identifier."`
}

func (in *changesOfInput) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Principal))
}

type changesInput struct {
	param.PrincipalInput
	IDs transactionIDs `query:"tx_id,explode" required:"true"`
	ChangesPage
	Cursor string `query:"cursor" pattern:"^[0-9]+:[0-9]+:[0-9]+:[1-3]:[\\s\\S]+$" doc:"First change of the page, as height:sequence:index:type:asset. The first three are the transaction's block height, its microblock sequence (2147483647 for none) and its index in the block. The type is 1 for STX, 2 for a fungible token and 3 for a non-fungible token."`
}

func (in *changesInput) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Principal))
}

// transactionIDsMax is the maximum number of transactions in one request.
const transactionIDsMax = 20

// transactionIDs is a list of transaction ids in a query. One value may hold several ids, separated by commas.
type transactionIDs []string

// Schema implements huma.SchemaProvider.
func (transactionIDs) Schema(huma.Registry) *huma.Schema {
	s := schema.ListOf("Transaction ids, at most 20. Repeat the parameter or separate the ids with commas.", &huma.Schema{
		Type: huma.TypeString, Examples: []any{"0x23035f354a070a3e63d9d786f97b45ab3ac0b8a5f5cbbda5ca9fbb1b34f55c92"},
	})
	s.MaxItems = schema.Ptr(transactionIDsMax)
	return s
}

// hashes returns the distinct ids, in the order of the request.
func (p transactionIDs) hashes() ([][]byte, error) {
	all := param.SplitList(p)
	if len(all) > transactionIDsMax {
		return nil, engine.Invalid("querystring/tx_id must NOT have more than %d items", transactionIDsMax)
	}
	if len(all) == 0 {
		all = []string{""} // the parameter is required, so it is present but empty
	}
	var ids [][]byte
	seen := map[hash.Hash32]bool{}
	for i, text := range all {
		id, err := hash.Parse32(text)
		if err != nil {
			return nil, engine.Invalid(`querystring/tx_id/%d must match pattern "%s"`, i, param.HashPattern)
		}
		if !seen[id] {
			seen[id], ids = true, append(ids, id[:])
		}
	}
	return ids, nil
}

// balanceChange is the effect of a transaction on an account's balance of one asset.
type balanceChange struct {
	Asset         changedAsset `json:"asset"`
	BalanceChange assetChange  `json:"balance_change"`
}

type changedAsset struct {
	Type       string `json:"type" enum:"stx,ft,nft"`
	Identifier string `json:"identifier,omitempty" doc:"Absent for STX."`
}

// transactionChange is a balanceChange that names its transaction.
type transactionChange struct {
	TxID          hash.Hash32  `json:"tx_id"`
	Asset         changedAsset `json:"asset"`
	BalanceChange assetChange  `json:"balance_change"`
}

// changeRow is the row behind a balance change: the sums of what one transaction sent and received of one asset.
type changeRow struct {
	view.RowKey
	height         int64
	sequence       int32
	id             hash.Hash32
	kind           int16 // key of changedKinds
	asset          string
	sent, received string
}

func changeColumns(r *changeRow) []any {
	return []any{&r.Seq, &r.Index, &r.height, &r.sequence, &r.id, &r.kind, &r.asset, &r.sent, &r.received}
}

// changedKinds are the types of assets by the numbers that queries and cursors use for them.
var changedKinds = map[int16]string{1: "stx", 2: "ft", 3: "nft"}

func (r *changeRow) shape() (changedAsset, assetChange) {
	asset := changedAsset{Type: changedKinds[r.kind]}
	if r.kind != 1 {
		asset.Identifier = r.asset
	}
	return asset, newAssetChange(schema.Amount(r.sent), schema.Amount(r.received))
}

// cursor returns the cursor of the change among those of its transaction.
func (r *changeRow) cursor() string {
	return strconv.Itoa(int(r.kind)) + ":" + page.ShortName(r.asset, page.NameSize)
}

// positionCursor returns the cursor of the change among those of several transactions.
func (r *changeRow) positionCursor() string {
	return page.PositionText(r.height, r.sequence, r.Index) + ":" + r.cursor()
}

func (a *api) registerBalanceChanges() {
	one := engine.Operation{
		ID: "list-transaction-balance-changes", Path: "/extended/v3/principals/{principal}/transactions/{tx_id}/balance-changes", Tag: "Accounts",
		Summary:  "Balance changes of an account in one transaction",
		Statuses: []int{http.StatusBadRequest},
	}
	engine.Get(a.Engine, one, listTransactionChanges)
	many := engine.Operation{
		ID: "list-balance-changes", Path: "/extended/v3/principals/{principal}/balance-changes", Tag: "Accounts", Summary: "Balance changes of an account in the given transactions, newest first",
		Statuses: []int{http.StatusBadRequest},
	}
	engine.Get(a.Engine, many, listChanges)
}

// changesSQL selects the balance changes of the account $1 in the transactions with the ids $2.
var changesSQL = `
		SELECT {accounts.account_transaction member, chain.transaction at}, at.source_seq, at.tx_index, at.height, coalesce(at.microblock_sequence, 2147483647), at.txid,
		       change.kind, change.asset, change.sent::text, change.received::text
		FROM ` + transactionPlacesSQL("$2") + `
		CROSS JOIN LATERAL (
			SELECT * FROM {accounts}.account_transaction r
			WHERE ` + memberOfPlace + `
		) member
		CROSS JOIN LATERAL ` + eventsOfPlace + `
		CROSS JOIN LATERAL (
			SELECT moved.kind, moved.asset, sum(moved.sent) AS sent, sum(moved.received) AS received
			FROM (
				SELECT CASE WHEN r.kind <= 3 THEN 1 WHEN r.kind <= 6 THEN 2 ELSE 3 END AS kind, coalesce(e.asset_identifier, 'stx') AS asset,
				       CASE WHEN e.sender = $1 THEN coalesce(e.amount, 1) ELSE 0 END AS sent, CASE WHEN e.recipient = $1 THEN coalesce(e.amount, 1) ELSE 0 END AS received
				FROM {accounts}.account_event r
				CROSS JOIN LATERAL (
					SELECT * FROM {chain}.event e WHERE e.source_seq = at.source_seq AND e.tx_index = at.tx_index AND e.event_index = r.event_index LIMIT 1
				) e
				WHERE ` + isMove + `
				UNION ALL
				SELECT 1, 'stx', member.fee_paid, 0 WHERE member.fee_paid IS NOT NULL
			) moved
			GROUP BY moved.kind, moved.asset
		) change
		ORDER BY at.n DESC, change.kind, change.asset COLLATE "C"`

// readChanges reads the balance changes of an account in the given transactions, in the order of the cursors: newest
// transaction first. It reads all of them, whatever the page: they are at most as many as the transactions' events and
// fees.
func readChanges(ctx context.Context, s *engine.Snapshot, account string, ids [][]byte) ([]changeRow, error) {
	if _, ok := s.Tip("accounts"); !ok {
		return nil, nil
	}
	b := s.Batch()
	changes := engine.Query(b, changeColumns, changesSQL, account, ids)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return changes.Rows, nil
}

func listTransactionChanges(ctx context.Context, s *engine.Snapshot, in *changesOfInput) (*page.KeysetPage[balanceChange], error) {
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	rows, err := readChanges(ctx, s, string(in.Principal), [][]byte{id[:]})
	if err != nil {
		return nil, err
	}
	start := 0
	if in.Cursor != "" {
		kind, asset, _ := strings.Cut(in.Cursor, ":")
		asset = fullAsset(rows, asset)
		start, _ = slices.BinarySearchFunc(rows, int(kind[0]-'0'), func(r changeRow, kind int) int {
			return cmp.Or(cmp.Compare(int(r.kind), kind), cmp.Compare(r.asset, asset))
		})
	}
	page := &page.KeysetPage[balanceChange]{Total: int64(len(rows)), Limit: in.Limit, Results: []balanceChange{}}
	page.Cursor = changesCursor(rows, start, in.Limit, (*changeRow).cursor)
	shown := rows[start:min(start+in.Limit, len(rows))]
	traceEvents(s, string(in.Principal), shown)
	for _, r := range shown {
		asset, change := r.shape()
		page.Results = append(page.Results, balanceChange{asset, change})
	}
	return page, nil
}

func listChanges(ctx context.Context, s *engine.Snapshot, in *changesInput) (*page.KeysetPage[transactionChange], error) {
	ids, err := in.IDs.hashes()
	if err != nil {
		return nil, err
	}
	if err := page.CheckCursor(in.Cursor, math.MaxInt32, math.MaxInt32, math.MaxInt16); err != nil {
		return nil, err
	}
	rows, err := readChanges(ctx, s, string(in.Principal), ids)
	if err != nil {
		return nil, err
	}
	start := 0
	if parts := strings.SplitN(in.Cursor, ":", 5); len(parts) == 5 {
		var key [4]int64 // height, sequence, index, kind
		for i := range key {
			key[i], _ = strconv.ParseInt(parts[i], 10, 64) // pattern and range have been checked
		}
		asset := fullAsset(rows, parts[4])
		// Transactions are in descending order, the changes of each in ascending order.
		start, _ = slices.BinarySearchFunc(rows, key, func(r changeRow, key [4]int64) int {
			return cmp.Or(cmp.Compare(key[0], r.height), cmp.Compare(key[1], int64(r.sequence)), cmp.Compare(key[2], int64(r.Index)),
				cmp.Compare(int64(r.kind), key[3]), cmp.Compare(r.asset, asset))
		})
	}
	page := &page.KeysetPage[transactionChange]{Total: int64(len(rows)), Limit: in.Limit, Results: []transactionChange{}}
	page.Cursor = changesCursor(rows, start, in.Limit, (*changeRow).positionCursor)
	shown := rows[start:min(start+in.Limit, len(rows))]
	traceEvents(s, string(in.Principal), shown)
	for _, r := range shown {
		asset, change := r.shape()
		page.Results = append(page.Results, transactionChange{r.id, asset, change})
	}
	return page, nil
}

// fullAsset returns the asset of a cursor: the text itself, or the asset whose short form it is. An asset that does not change is
// replaced by its beginning, which sorts before it.
func fullAsset(rows []changeRow, text string) string {
	beginning, _, short := page.CutShortName(text)
	if !short {
		return text
	}
	for i := range rows {
		if page.ShortName(rows[i].asset, page.NameSize) == text {
			return rows[i].asset
		}
	}
	return beginning
}

// changesCursor returns the cursors of the page that begins with rows[start]. text formats a row as a cursor.
func changesCursor(rows []changeRow, start, limit int, text func(*changeRow) string) (c page.KeysetCursor) {
	cursorAt := func(i int) *string {
		t := text(&rows[i])
		return &t
	}
	if start < len(rows) {
		c.Current = cursorAt(start)
	}
	if start+limit < len(rows) {
		c.Next = cursorAt(start + limit)
	}
	if start > 0 {
		c.Previous = cursorAt(max(start-limit, 0))
	}
	return c
}

// traceEvents traces the events behind balance changes: those of their transactions that the account is a party of.
func traceEvents(s *engine.Snapshot, account string, changes []changeRow) {
	s.TraceRows(func() []engine.Lookup {
		keys := make([]view.RowKey, len(changes))
		for i := range changes {
			keys[i] = changes[i].RowKey
		}
		seqs, indexes := view.KeyColumns(keys)
		return []engine.Lookup{{
			Name: "changing event", Table: view.TracedChainEvent,
			Where: `(t.source_seq, t.tx_index) IN (SELECT * FROM unnest($1::bigint[], $2::int[])) AND (t.sender = $3 OR t.recipient = $3)`,
			Args:  []any{seqs, indexes, account}, Order: `t.source_seq DESC, t.tx_index, t.event_index`,
		}}
	})
}
