package stream

import (
	"cmp"
	"context"
	"slices"

	"strata/domain/contract"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
	"strata/readapi/stream/internal/naming"
)

// touch is a transaction, or an event of a transaction, that a feed delivers.
type touch struct {
	view.RowKey
	execution int32
	feed      live.Feed
	event     *view.EventRow // nil for the transaction itself
	named     *naming.Event  // set for feeds of names only
	// stx holds the transaction's STX events of the account that the feed is about; set for socketAddresses only.
	stx []*view.EventRow
}

// partiesRow holds the principals that the row of a transaction names.
type partiesRow struct {
	view.RowKey
	execution                 int32
	bitcoin                   bool
	id                        hash.Hash32
	sender, sponsor, contract *string
	rawTransfer               []byte // the raw transaction, if it is a token transfer or a call of a registry of names
}

// followsAny reports whether anybody follows a feed of one of the given kinds.
func followsAny(followed map[live.Feed]struct{}, kinds ...live.Kind) bool {
	for feed := range followed {
		if slices.Contains(kinds, feed.Kind) {
			return true
		}
	}
	return false
}

// touches scans all transactions and events of some blocks, and returns what the followed feeds deliver of them.
// contents are the seqs of the log events that brought the blocks.
func (a *api) touches(ctx context.Context, s *engine.Snapshot, contents []int64, followed map[live.Feed]struct{}) ([]touch, error) {
	if len(contents) == 0 || !followsAny(followed, touchedKinds...) {
		return nil, nil
	}
	b := s.Batch()
	members := engine.Query(b, func(m *partiesRow) []any {
		return []any{&m.Seq, &m.Index, &m.execution, &m.bitcoin, &m.id, &m.sender, &m.sponsor, &m.contract, &m.rawTransfer}
	}, `
		SELECT {}, t.source_seq, t.tx_index, t.execution_index, t.type_id IS NULL, t.txid, t.sender, t.sponsor, t.contract_id,
		       CASE WHEN t.type_id = 0 OR t.status = 'success' AND t.contract_id = ANY ($2) THEN t.raw_tx END
		FROM unnest($1::bigint[]) AS k (source_seq)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = k.source_seq OFFSET 0) t`, contents, naming.Of(a.streams.Names).Called())
	events := engine.Query(b, view.EventColumns, `
		SELECT `+view.EventSQL+`
		FROM unnest($1::bigint[]) AS k (source_seq)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.event e WHERE e.source_seq = k.source_seq OFFSET 0) e`, contents)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	g := collector{followed: followed, executions: map[view.RowKey]int32{}, seen: map[touchKey]bool{}}
	var bitcoin []view.RowKey
	for i := range members.Rows {
		m := &members.Rows[i]
		g.executions[m.RowKey] = m.execution
		g.member(m)
		g.add(touch{RowKey: m.RowKey, feed: live.Feed{Kind: socketTransactions, Name: m.id.String()}})
		if m.bitcoin {
			bitcoin = append(bitcoin, m.RowKey)
		}
	}
	for i := range events.Rows {
		g.event(&events.Rows[i])
	}
	if followsAny(followed, liveNames) || followsAny(followed, naming.SocketKinds...) {
		calls := make([]naming.Call, len(members.Rows))
		for i, m := range members.Rows {
			calls[i] = naming.Call{RowKey: m.RowKey, Contract: m.contract, Raw: m.rawTransfer}
		}
		named, err := naming.Of(a.streams.Names).Read(ctx, s, events.Rows, calls)
		if err != nil {
			return nil, err
		}
		for _, n := range named {
			for _, feed := range append(n.Feeds(liveNames), n.SocketFeeds()...) {
				g.add(touch{RowKey: n.RowKey, feed: feed, event: n.Row, named: n})
			}
		}
	}
	operations, _, err := a.transactionsOf(ctx, s, bitcoin)
	if err != nil {
		return nil, err
	}
	for _, r := range operations {
		g.payload(r.RowKey, r.Tx)
	}
	attachSTX(g.touches, events.Rows)
	return g.touches, nil
}

// touchedKinds lists the kinds of feeds that deliver transactions and events of blocks.
var touchedKinds = append([]live.Kind{
	liveTransactions, liveEvents, liveNames, socketTransactions, socketAddresses, socketNFTs, socketNFTAssets, socketNFTCollections,
}, naming.SocketKinds...)

// collector collects what the followed feeds deliver of some blocks.
type collector struct {
	followed   map[live.Feed]struct{}
	executions map[view.RowKey]int32
	seen       map[touchKey]bool
	touches    []touch
}

// touchKey identifies a transaction within a feed, so that the feed delivers it once.
type touchKey struct {
	view.RowKey
	feed live.Feed
}

func (g *collector) add(t touch) {
	if _, ok := g.followed[t.feed]; !ok {
		return
	}
	t.execution = g.executions[t.RowKey]
	if t.event == nil {
		key := touchKey{t.RowKey, t.feed}
		if g.seen[key] {
			return
		}
		g.seen[key] = true
	}
	g.touches = append(g.touches, t)
}

func (g *collector) principal(key view.RowKey, name *string) {
	if name != nil && *name != "" {
		g.add(touch{RowKey: key, feed: live.Feed{Kind: liveTransactions, Name: *name}})
		g.add(touch{RowKey: key, feed: live.Feed{Kind: socketAddresses, Name: *name}})
	}
}

// member adds a transaction for each principal that its row names.
func (g *collector) member(m *partiesRow) {
	g.principal(m.RowKey, m.sender)
	g.principal(m.RowKey, m.sponsor)
	g.principal(m.RowKey, m.contract)
	if m.rawTransfer != nil {
		g.payload(m.RowKey, view.DecodeTransaction(m.rawTransfer))
	}
}

// payload adds a transaction for the recipient or the contract that its payload names.
func (g *collector) payload(key view.RowKey, tx *transaction.Transaction) {
	switch p := tx.Payload.(type) {
	case *transaction.TokenTransfer:
		g.principal(key, schema.Ptr(p.Recipient.String()))
	case *transaction.ContractCall:
		g.principal(key, schema.Ptr(p.Contract.String()))
	}
}

// event adds an event: its transaction for the two parties of a transfer, the event itself for the feeds of tokens and
// of contracts.
func (g *collector) event(e *view.EventRow) {
	switch kind := view.EventKinds[e.Kind]; {
	case kind.Action != "":
		g.principal(e.RowKey, e.Sender)
		g.principal(e.RowKey, e.Recipient)
		if kind.Shown == view.EventNFT {
			for _, feed := range nftFeeds(e) {
				g.add(touch{RowKey: e.RowKey, feed: feed, event: e})
			}
		}
	case kind.Shown == view.EventLog:
		name := view.ValueOf(e.Contract)
		g.add(touch{RowKey: e.RowKey, feed: live.Feed{Kind: liveEvents, Name: name}, event: e})
		if topic := contract.Topic(e.Value); topic != "" {
			g.add(touch{RowKey: e.RowKey, feed: live.Feed{Kind: liveEvents, Name: name, Detail: topic}, event: e})
		}
	}
}

// compareTouches orders the touches of one block: by execution, a transaction before its events.
func compareTouches(a, b touch) int {
	number := func(t touch) int32 {
		if t.event == nil {
			return -1
		}
		return t.event.Number
	}
	return cmp.Or(cmp.Compare(a.execution, b.execution), cmp.Compare(number(a), number(b)))
}

// transactionsOf reads transactions by their keys, with all that it takes to render them.
func (a *api) transactionsOf(ctx context.Context, s *engine.Snapshot, keys []view.RowKey) ([]*view.TransactionRow, view.CalledInterfaces, error) {
	if len(keys) == 0 {
		return nil, nil, nil
	}
	slices.SortFunc(keys, view.CompareKeys)
	seqs, indexes := view.KeyColumns(slices.Compact(keys))
	b := s.Batch()
	found := engine.Query(b, view.TransactionColumns, `
		SELECT `+view.TransactionSQL+`
		FROM unnest($1::bigint[], $2::int[]) AS k (source_seq, tx_index)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = k.source_seq AND t.tx_index = k.tx_index LIMIT 1) t`+
		view.TransactionBlocksSQL, seqs, indexes)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	rows := view.RowsOf(found)
	interfaces, err := view.Complete(ctx, s, rows, false, nil)
	return rows, interfaces, err
}
