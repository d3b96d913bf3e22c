package account

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/activity"
	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// TransfersPage holds the page parameters of a list of transfers.
type TransfersPage struct {
	Limit  int              `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor page.EventCursor `query:"cursor" pattern:"^[0-9]+:[0-9]+:[0-9]+:[0-9]+$" doc:"Where the page begins: height, microblock sequence (2147483647 for none), index in the block's list of transactions and index among the transaction's events, separated by colons. H:0:0:0 is the end of block H."`
}

type stxTransfersInput struct {
	param.PrincipalInput
	TransfersPage
}

func (in *stxTransfersInput) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Principal))
}

type ftTransfersInput struct {
	param.PrincipalInput
	Asset transferredAsset `path:"asset_identifier"`
	TransfersPage
}

func (in *ftTransfersInput) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Principal))
}

// transferredAsset is the asset identifier of a fungible token in a path.
type transferredAsset string

// Schema implements huma.SchemaProvider.
func (transferredAsset) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "Asset identifier of the token: <contract>::<name>",
		Extensions: schema.Matching(`^` + schema.AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}::[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*]){0,127}$`),
		Examples:   []any{"SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token"},
	}
}

// stxMove is an event that moves STX.
type stxMove struct {
	Type      string         `json:"type" enum:"transfer,mint,burn" doc:"The peer has no such member."`
	Sender    *string        `json:"sender" doc:"null for a mint."`
	Recipient *string        `json:"recipient" doc:"null for a burn."`
	Amount    schema.Amount  `json:"amount" doc:"µSTX"`
	Memo      *view.MemoText `json:"memo" doc:"Of a token transfer; of a payment by the contract send-many-memo, the buffer that it prints next; otherwise of the event. null for none."`
	view.PlaceV3
}

// TransformSchema implements huma.SchemaTransformer.
func (*stxMove) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "memo")
}

// tokenMove is an event that moves a fungible token.
type tokenMove struct {
	Type            string        `json:"type" enum:"transfer,mint,burn" doc:"The peer has no such member."`
	AssetIdentifier string        `json:"asset_identifier" doc:"The peer has no such member."`
	Sender          *string       `json:"sender" doc:"null for a mint."`
	Recipient       *string       `json:"recipient" doc:"null for a burn."`
	Amount          schema.Amount `json:"amount" doc:"In base units."`
	view.PlaceV3
}

func (a *api) registerTransfersV3() {
	operation := func(id, path, summary, about string) engine.Operation {
		return engine.Operation{
			ID: id, Path: "/extended/v3/principals/{principal}/transfers/" + path, Tag: "Accounts", Summary: summary, Description: about,
			Statuses: []int{http.StatusBadRequest},
		}
	}
	stx := func(l *transferList) func(context.Context, *engine.Snapshot, *stxTransfersInput) (*page.KeysetPage[stxMove], error) {
		return func(ctx context.Context, s *engine.Snapshot, in *stxTransfersInput) (*page.KeysetPage[stxMove], error) {
			return readTransfers(ctx, s, l, &in.TransfersPage, (*transferRow).stx, string(in.Principal))
		}
	}
	engine.Get(a.Engine, operation("list-inbound-stx-transfers", "stx/inbound", "Transfers and mints of STX to an account, newest first", ""), stx(incomingSTX))
	engine.Get(a.Engine, operation("list-outbound-stx-transfers", "stx/outbound", "Transfers and burns of STX of an account, newest first", "Fees are no transfers."), stx(outgoingSTX))
	engine.Get(a.Engine, operation("list-ft-transfers", "ft/{asset_identifier}", "Transfers, mints and burns of a fungible token to and from an account, newest first", ""),
		func(ctx context.Context, s *engine.Snapshot, in *ftTransfersInput) (*page.KeysetPage[tokenMove], error) {
			return readTransfers(ctx, s, tokenEvents, &in.TransfersPage, (*transferRow).token, string(in.Principal), activity.AssetKey(string(in.Asset)))
		})
}

// transferList is a numbered list of events of an account, with its queries. Their last arguments say whose list it is.
type transferList struct {
	// bounds selects the length of the list, and how many of its events are at or before the event $4 of the transaction
	// at height $1, microblock sequence $2 and index $3.
	bounds string
	rows   string // selects the rows with the numbers $1
}

var incomingSTX, outgoingSTX, tokenEvents = newTransferList(view.IncomingSTX), newTransferList(view.OutgoingSTX), newTransferList(view.TokenEvents)

// withOwner returns a copy of the list whose owner is the argument n, and whose asset is the next one.
func withOwner(l page.Numbered, n int) *page.Numbered {
	l.Rows = strings.NewReplacer("$10", "$"+strconv.Itoa(n+1), "$9", "$"+strconv.Itoa(n)).Replace(l.Rows)
	return &l
}

func newTransferList(l page.Numbered) *transferList {
	bounded, shown := withOwner(l, 5), withOwner(l, 2)
	return &transferList{
		bounds: bounded.SQL(`
		SELECT {}, coalesce((SELECT {number} FROM {table} r WHERE {rows} ORDER BY {number} DESC LIMIT 1), 0)::bigint,
		       place.low + (SELECT count(*) FROM {table} r WHERE {rows} AND {number} > place.low AND {number} <= place.high AND (NOT place.exact OR r.event_index <= $4::bigint))
		FROM (
			SELECT at.exact, {low} AS low, {high} AS high
			FROM (SELECT coalesce(in_block.n, below.n, 0) AS n, coalesce(in_block.exact, false) AS exact
				FROM (SELECT 1) one
				LEFT JOIN LATERAL (
					SELECT p.n, (coalesce(p.microblock_sequence, 2147483647), p.tx_index) = ($2::bigint, $3::bigint) AS exact
					FROM {accounts}.block k
					CROSS JOIN LATERAL (
						SELECT * FROM {accounts}.transaction p
						WHERE p.n >= k.first_tx AND p.n <= k.last_tx AND (coalesce(p.microblock_sequence, 2147483647), p.tx_index) <= ($2::bigint, $3::bigint)
						ORDER BY p.n DESC LIMIT 1
					) p
					WHERE k.height = $1::bigint
				) in_block ON true
				LEFT JOIN LATERAL (SELECT k.last_tx AS n FROM {accounts}.block k WHERE k.height < $1::bigint ORDER BY k.height DESC LIMIT 1) below ON true
				OFFSET 0
			) at
			OFFSET 0
		) place`, "{low}", bounded.Before("at.n"), "{high}", bounded.Before("(at.n + 1)")),
		rows: shown.SQL(`
		SELECT {accounts.account_event r, chain.event e, chain.transaction t}, r.number, e.event_index, e.type, e.asset_identifier, e.sender, e.recipient, e.amount::text, e.memo,
		       CASE WHEN t.type_id = 0 THEN t.raw_tx END, printed.value, `+view.PlaceSQL+`
		FROM unnest($1::bigint[]) AS wanted (n)
		CROSS JOIN LATERAL (SELECT r.*, {number}::bigint AS number FROM {table} r WHERE {rows} AND {number} = wanted.n::int LIMIT 1) r
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = r.tx LIMIT 1) p
		CROSS JOIN LATERAL (
			SELECT * FROM {chain}.event e WHERE e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = r.event_index LIMIT 1
		) e
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = p.source_seq LIMIT 1) b
		LEFT JOIN LATERAL (
			SELECT x.value FROM {chain}.event x
			WHERE r.kind <= {stx} AND x.source_seq = p.source_seq AND x.tx_index = p.tx_index AND x.event_index = r.event_index + 1
			  AND x.contract_identifier IN ('{contracts}') AND x.type = '{print}' LIMIT 1
		) printed ON true
		ORDER BY r.number DESC`,
			"{stx}", strconv.Itoa(int(activity.STXBurn)), "{contracts}", strings.Join(activity.SendMany, "', '"), "{print}", nodeevent.TypeContract),
	}
}

// transferRow is an event of a list with its place on the chain.
type transferRow struct {
	view.PlaceRow
	number            int64 // in the list
	event             int32
	kind              string
	asset             *string
	sender, recipient *string
	amount            *string
	memo, raw         []byte // raw is the transaction, if it is a transfer of STX
	printed           []byte // Clarity value that a contract of activity.SendMany printed next; nil for none
}

func transferColumns(r *transferRow) []any {
	return append([]any{&r.number, &r.event, &r.kind, &r.asset, &r.sender, &r.recipient, &r.amount, &r.memo, &r.raw, &r.printed}, view.PlaceColumns(&r.PlaceRow)...)
}

func (r *transferRow) position() int64 { return r.number }

// cursor returns the position of the event.
func (r *transferRow) cursor() string { return page.EventText(r.Height, r.Sequence, r.Index, r.event) }

func (r *transferRow) stx() stxMove {
	body := stxMove{
		Type: view.EventKinds[r.kind].Action, Sender: r.sender, Recipient: r.recipient, Amount: view.AmountOf(r.amount), PlaceV3: r.Event(r.event),
	}
	memo := r.memo
	switch {
	case r.printed != nil:
		value, _ := clarity.DecodeAll(r.printed)
		memo, _ = value.Buffer() // any other value is no memo
	case r.raw != nil:
		if tx, err := transaction.Decode(r.raw); err == nil {
			if transfer, ok := tx.Payload.(*transaction.TokenTransfer); ok {
				memo = transfer.Memo[:]
			}
		}
	}
	if len(memo) > 0 {
		body.Memo = view.ShowMemo(memo)
	}
	return body
}

func (r *transferRow) token() tokenMove {
	return tokenMove{
		Type: view.EventKinds[r.kind].Action, AssetIdentifier: view.ValueOf(r.asset), Sender: r.sender, Recipient: r.recipient,
		Amount: view.AmountOf(r.amount), PlaceV3: r.Event(r.event),
	}
}

// readTransfers reads a page of a list in two round trips: where it begins, and its rows.
func readTransfers[T any](ctx context.Context, s *engine.Snapshot, l *transferList, in *TransfersPage, shape func(*transferRow) T, account string, owner ...any) (*page.KeysetPage[T], error) {
	if err := in.Cursor.Check(); err != nil {
		return nil, err
	}
	at := page.Descent{Limit: in.Limit}
	answer := func(rows []transferRow) (*page.KeysetPage[T], error) {
		return page.DescendingPage(at, rows, (*transferRow).position, (*transferRow).cursor, shape), nil
	}
	if !engine.Ready(s, "accounts", "chain") {
		return answer(nil)
	}
	owner = append([]any{account}, owner...)
	height, sequence, index, event := in.Cursor.Position()
	b := s.Batch()
	found := engine.Query(b, func(d *page.Descent) []any { return []any{&d.Length, &d.Start} }, l.bounds, append([]any{height, sequence, index, event}, owner...)...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	bounds, _ := found.First()
	at.Start, at.Length = bounds.Start, bounds.Length
	numbers := at.Numbers()
	if len(numbers) == 0 {
		return answer(nil)
	}
	b = s.Batch()
	rows := engine.QueryPart(b, func(r *transferRow) bool { return at.Shows(r.number) }, transferColumns, l.rows, append([]any{numbers}, owner...)...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return answer(rows.Rows)
}
