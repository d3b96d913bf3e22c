package readapi

import (
	"cmp"
	"context"
	"slices"

	"strata/domain/contract"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/live"
)

// touch is a transaction, or an event of one, that a feed is to have.
type touch struct {
	rowKey
	execution int32
	feed      live.Feed
	event     *eventRow // nil: the transaction itself
	// stx are the events of the transaction that move STX of the one that the feed is of, where it tells of them.
	stx []*eventRow
}

// liveMember is whom a transaction names itself.
type liveMember struct {
	rowKey
	execution                 int32
	bitcoin                   bool
	id                        hash.Hash32
	sender, sponsor, contract *string
	rawTransfer               []byte // a token transfer
}

// follows says whether anybody follows a feed of one of these kinds.
func follows(followed map[live.Feed]struct{}, kinds ...live.Kind) bool {
	for feed := range followed {
		if slices.Contains(kinds, feed.Kind) {
			return true
		}
	}
	return false
}

// touches finds out what the blocks that came with some events have for those who follow something, by looking at all that is
// in these blocks.
func (a *API) touches(ctx context.Context, s *snapshot, contents []int64, followed map[live.Feed]struct{}) ([]touch, error) {
	if len(contents) == 0 || !follows(followed, touchedKinds...) {
		return nil, nil
	}
	b := s.batch()
	members := query(b, func(m *liveMember) []any {
		return []any{&m.seq, &m.index, &m.execution, &m.bitcoin, &m.id, &m.sender, &m.sponsor, &m.contract, &m.rawTransfer}
	}, `
		SELECT ARRAY[]::bigint[], t.source_seq, t.tx_index, t.execution_index, t.type_id IS NULL, t.txid, t.sender, t.sponsor, t.contract_id,
		       CASE WHEN t.type_id = 0 THEN t.raw_tx END
		FROM unnest($1::bigint[]) AS k (source_seq)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = k.source_seq OFFSET 0) t`, contents)
	events := query(b, eventColumns, `
		SELECT `+eventSQL+`
		FROM unnest($1::bigint[]) AS k (source_seq)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.event e WHERE e.source_seq = k.source_seq OFFSET 0) e`, contents)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	g := gathering{followed: followed, executions: map[rowKey]int32{}, seen: map[seenTouch]bool{}}
	var bitcoin []rowKey
	for i := range members.rows {
		m := &members.rows[i]
		g.executions[m.rowKey] = m.execution
		g.member(m)
		g.add(touch{rowKey: m.rowKey, feed: live.Feed{Kind: socketTransactions, Name: m.id.String()}})
		if m.bitcoin {
			bitcoin = append(bitcoin, m.rowKey)
		}
	}
	for i := range events.rows {
		g.event(&events.rows[i])
	}
	operations, _, err := a.transactionsOf(ctx, s, bitcoin)
	if err != nil {
		return nil, err
	}
	for _, r := range operations {
		g.payload(r.rowKey, r.tx)
	}
	addSTX(g.found, events.rows)
	return g.found, nil
}

// touchedKinds are the kinds of feeds that have something for what is in blocks.
var touchedKinds = []live.Kind{liveTransactions, liveEvents, socketTransactions, socketAddresses, socketNFTs, socketNFTAssets, socketNFTCollections}

// gathering is what was found for those who follow something.
type gathering struct {
	followed   map[live.Feed]struct{}
	executions map[rowKey]int32
	seen       map[seenTouch]bool
	found      []touch
}

// seenTouch is a transaction that a feed is to have.
type seenTouch struct {
	rowKey
	feed live.Feed
}

func (g *gathering) add(t touch) {
	if _, ok := g.followed[t.feed]; !ok {
		return
	}
	t.execution = g.executions[t.rowKey]
	if t.event == nil {
		key := seenTouch{t.rowKey, t.feed}
		if g.seen[key] {
			return
		}
		g.seen[key] = true
	}
	g.found = append(g.found, t)
}

func (g *gathering) principal(key rowKey, name *string) {
	if name != nil && *name != "" {
		g.add(touch{rowKey: key, feed: live.Feed{Kind: liveTransactions, Name: *name}})
		g.add(touch{rowKey: key, feed: live.Feed{Kind: socketAddresses, Name: *name}})
	}
}

// member adds whom a transaction names.
func (g *gathering) member(m *liveMember) {
	g.principal(m.rowKey, m.sender)
	g.principal(m.rowKey, m.sponsor)
	g.principal(m.rowKey, m.contract)
	if m.rawTransfer != nil {
		g.payload(m.rowKey, decodeTransaction(m.rawTransfer))
	}
}

// payload adds whom the payload of a transaction names beside its sender.
func (g *gathering) payload(key rowKey, tx *transaction.Transaction) {
	switch p := tx.Payload.(type) {
	case *transaction.TokenTransfer:
		g.principal(key, ptr(p.Recipient.String()))
	case *transaction.ContractCall:
		g.principal(key, ptr(p.Contract.String()))
	}
}

// event adds those of whom an event moves something, and what a contract printed.
func (g *gathering) event(e *eventRow) {
	switch kind := eventKinds[e.kind]; {
	case kind.action != "":
		g.principal(e.rowKey, e.sender)
		g.principal(e.rowKey, e.recipient)
		if kind.shown == eventNFT {
			for _, feed := range nftFeeds(e) {
				g.add(touch{rowKey: e.rowKey, feed: feed, event: e})
			}
		}
	case kind.shown == eventLog:
		name := valueOf(e.contract)
		g.add(touch{rowKey: e.rowKey, feed: live.Feed{Kind: liveEvents, Name: name}, event: e})
		if topic := contract.Topic(e.value); topic != "" {
			g.add(touch{rowKey: e.rowKey, feed: live.Feed{Kind: liveEvents, Name: name, Detail: topic}, event: e})
		}
	}
}

// compareTouches orders what is in one block.
func compareTouches(a, b touch) int {
	number := func(t touch) int32 {
		if t.event == nil {
			return -1
		}
		return t.event.number
	}
	return cmp.Or(cmp.Compare(a.execution, b.execution), cmp.Compare(number(a), number(b)))
}

// transactionsOf reads transactions by their keys, ready to be shown.
func (a *API) transactionsOf(ctx context.Context, s *snapshot, keys []rowKey) ([]*transactionRow, calledInterfaces, error) {
	if len(keys) == 0 {
		return nil, nil, nil
	}
	slices.SortFunc(keys, compareKeys)
	seqs, indexes := keyColumns(slices.Compact(keys))
	b := s.batch()
	found := query(b, transactionColumns, `
		SELECT `+transactionSQL+`
		FROM unnest($1::bigint[], $2::int[]) AS k (source_seq, tx_index)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = k.source_seq AND t.tx_index = k.tx_index LIMIT 1) t`+
		transactionBlocksSQL, seqs, indexes)
	if err := b.run(ctx); err != nil {
		return nil, nil, err
	}
	rows := rowsOf(found)
	interfaces, err := complete(ctx, s, rows, false, nil)
	return rows, interfaces, err
}
