package stream

import (
	"context"
	"slices"

	"strata/domain/contract"
	"strata/domain/step"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/view"
	"strata/readapi/stream/internal/sse"
)

// renderSteps renders the messages of some steps, in their order, for the followed feeds. touches are what the blocks
// of the steps have for these feeds.
func (a *api) renderSteps(ctx context.Context, s *engine.Snapshot, steps []liveStep, followed map[live.Feed]struct{}, touches []touch) ([]live.Delivery, error) {
	r := liveRendering{followed: followed, touches: map[int64][]touch{}, transactions: map[view.RowKey]*view.TransactionRow{}}
	keys := make([]view.RowKey, len(touches))
	for i, t := range touches {
		r.touches[t.Seq] = append(r.touches[t.Seq], t)
		keys[i] = t.RowKey
	}
	for _, list := range r.touches {
		slices.SortStableFunc(list, compareTouches)
	}
	rows, interfaces, err := a.transactionsOf(ctx, s, keys)
	if err != nil {
		return nil, err
	}
	r.interfaces = interfaces
	for _, row := range rows {
		// It was canonical at its step. If it has been orphaned since, a revert step follows.
		row.Canonical = true
		r.transactions[row.RowKey] = row
	}
	if _, ok := followed[live.Feed{Kind: liveBlocks}]; ok {
		if r.blocks, err = blocksOf(ctx, s, steps); err != nil {
			return nil, err
		}
	}
	if _, ok := followed[live.Feed{Kind: socketBlocks}]; ok {
		if r.BlocksV1, err = blocksV1Of(ctx, s, steps); err != nil {
			return nil, err
		}
	}
	for i := range steps {
		if err := r.step(&steps[i]); err != nil {
			return nil, err
		}
	}
	r.markLast()
	return r.out, nil
}

// blocksOf reads the blocks that steps apply. The keys are the seqs of the log events that brought them.
func blocksOf(ctx context.Context, s *engine.Snapshot, steps []liveStep) (map[int64]view.Block, error) {
	type contentRow struct {
		view.BlockRow
		content int64
	}
	contents := appliedContents(steps)
	if len(contents) == 0 {
		return nil, nil
	}
	b := s.Batch()
	found := engine.Query(b, func(r *contentRow) []any { return append([]any{&r.content}, view.BlockColumns(&r.BlockRow)...) }, `
		SELECT {}, b.source_seq, `+view.BlockTerms+`
		FROM unnest($1::bigint[]) AS k (source_seq)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = k.source_seq LIMIT 1) b`, contents)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	blocks := make(map[int64]view.Block, len(found.Rows))
	for _, row := range found.Rows {
		blocks[row.content] = row.Shape()
	}
	return blocks, nil
}

// appliedContents returns the seqs of the log events that brought the blocks which the steps apply.
func appliedContents(steps []liveStep) (contents []int64) {
	for i := range steps {
		if steps[i].kind == step.Apply {
			contents = append(contents, steps[i].content)
		}
	}
	return contents
}

// liveRendering renders the messages of some steps, from rows that were read for all of them.
type liveRendering struct {
	followed     map[live.Feed]struct{}
	touches      map[int64][]touch // by the seq of the log event that brought the block
	transactions map[view.RowKey]*view.TransactionRow
	interfaces   view.CalledInterfaces
	blocks       map[int64]view.Block
	BlocksV1     map[int64]*view.BlockV1
	out          []live.Delivery
}

func (r *liveRendering) step(s *liveStep) error {
	switch s.kind {
	case step.Revert:
		return r.revert(s)
	case step.Apply:
		return r.apply(s)
	}
	return nil
}

func (r *liveRendering) deliver(feed live.Feed, m *live.Message) {
	r.out = append(r.out, live.Delivery{Feed: feed, Entry: live.Entry{Message: m}})
}

// revert renders the revert of a block for all feeds whose messages it undoes. It does not look up which of them the
// block had anything for: a client can tell from what it has.
func (r *liveRendering) revert(s *liveStep) error {
	body := revertBody{s.height, view.ValueOf(s.block), s.id, view.ValueOf(s.parent)}
	m, err := sse.Message(s.step, s.position(), liveRevert, body)
	if err != nil {
		return err
	}
	for feed := range r.followed {
		switch feed.Kind {
		case liveBlocks, liveTransactions, liveEvents, liveNames:
			r.deliver(feed, m)
		case socketReverts:
			notice, err := notification(s.step, s.position(), feed, body)
			if err != nil {
				return err
			}
			r.deliver(feed, notice)
		}
	}
	return nil
}

func (r *liveRendering) apply(s *liveStep) error {
	if b, ok := r.blocks[s.content]; ok {
		m, err := sse.Message(s.step, s.position(), liveBlock, b)
		if err != nil {
			return err
		}
		r.deliver(live.Feed{Kind: liveBlocks}, m)
	}
	if b := r.BlocksV1[s.content]; b != nil {
		feed := live.Feed{Kind: socketBlocks}
		m, err := notification(s.step, s.position(), feed, b)
		if err != nil {
			return err
		}
		r.deliver(feed, m)
	}
	encoded := map[messageKey]*live.Message{}
	for i := range r.touches[s.content] {
		t := &r.touches[s.content][i]
		key := t.messageKey()
		m := encoded[key]
		if m == nil {
			var err error
			if m, err = r.message(s, t); err != nil {
				return err
			}
			if m == nil {
				continue
			}
			encoded[key] = m
		}
		r.deliver(t.feed, m)
	}
	return nil
}

// messageKey identifies a message: touches with the same key share one encoded message.
type messageKey struct {
	view.RowKey
	event   int32 // -1 for the transaction itself
	kind    live.Kind
	account string // empty unless the message differs by account
}

func (t *touch) messageKey() messageKey {
	key := messageKey{RowKey: t.RowKey, event: -1, kind: t.feed.Kind}
	if t.event != nil {
		key.event = t.event.Number
	}
	if t.feed.Kind == socketAddresses {
		key.account = t.feed.Name
	}
	return key
}

// message renders a transaction, or an event of it, in the shape of its feed; nil when the transaction is not known.
func (r *liveRendering) message(s *liveStep, t *touch) (*live.Message, error) {
	row := r.transactions[t.RowKey]
	if row == nil {
		return nil, nil
	}
	switch t.feed.Kind {
	case liveTransactions:
		return sse.Message(s.step, s.position(), liveTransaction, r.transaction(row))
	case liveNames:
		return sse.Message(s.step, s.position(), liveName, t.named.Shape(row.ID, s.height, s.id))
	case liveEvents:
		body := contractEventBody{ContractID: view.ValueOf(t.event.Contract), BlockHeight: s.height, IndexBlockHash: s.id, Event: view.RenderEvent(*t.event, row.ID)}
		if topic := contract.Topic(t.event.Value); topic != "" {
			body.Topic = &topic
		}
		return sse.Message(s.step, s.position(), liveEvent, body)
	}
	return r.socketMessage(s, t, row)
}

func (r *liveRendering) transaction(row *view.TransactionRow) view.TransactionBody {
	return view.RenderTransaction(row, view.Rendering{Interfaces: r.interfaces})
}

// markLast marks the last message of each step on each feed: a client that has received it has the whole step.
func (r *liveRendering) markLast() {
	type feedStep struct {
		feed live.Feed
		step int64
	}
	seen := map[feedStep]bool{}
	for i := len(r.out) - 1; i >= 0; i-- {
		d := &r.out[i]
		if key := (feedStep{d.Feed, d.Step}); !seen[key] {
			seen[key], d.Last = true, true
		}
	}
}
