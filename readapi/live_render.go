package readapi

import (
	"context"
	"slices"

	"strata/domain/contract"
	"strata/readapi/internal/live"
)

// renderSteps makes the messages of some steps, in their order, for those who follow something. touches are what the blocks
// of the steps have for them.
func (a *API) renderSteps(ctx context.Context, s *snapshot, steps []liveStep, followed map[live.Feed]struct{}, touches []touch) ([]live.Delivery, error) {
	r := liveRendering{followed: followed, touches: map[int64][]touch{}, transactions: map[rowKey]*transactionRow{}}
	keys := make([]rowKey, len(touches))
	for i, t := range touches {
		r.touches[t.seq] = append(r.touches[t.seq], t)
		keys[i] = t.rowKey
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
		// Since then it may have been orphaned; that is told in its turn.
		row.canonical = true
		r.transactions[row.rowKey] = row
	}
	if _, ok := followed[live.Feed{Kind: liveBlocks}]; ok {
		if r.blocks, err = blocksOf(ctx, s, steps); err != nil {
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

// blocksOf reads the blocks that steps apply, by the events with them.
func blocksOf(ctx context.Context, s *snapshot, steps []liveStep) (map[int64]block, error) {
	type contentRow struct {
		blockRow
		content int64
	}
	var contents []int64
	for i := range steps {
		if steps[i].kind == stepApply {
			contents = append(contents, steps[i].content)
		}
	}
	if len(contents) == 0 {
		return nil, nil
	}
	b := s.batch()
	found := query(b, func(r *contentRow) []any { return append([]any{&r.content}, blockColumns(&r.blockRow)...) }, `
		SELECT ARRAY[]::bigint[], b.source_seq, `+blockTerms+`
		FROM unnest($1::bigint[]) AS k (source_seq)
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = k.source_seq LIMIT 1) b`, contents)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	blocks := make(map[int64]block, len(found.rows))
	for _, row := range found.rows {
		blocks[row.content] = row.shape()
	}
	return blocks, nil
}

// liveRendering is the messages of steps in the making.
type liveRendering struct {
	followed     map[live.Feed]struct{}
	touches      map[int64][]touch // by the event with the block
	transactions map[rowKey]*transactionRow
	interfaces   calledInterfaces
	blocks       map[int64]block
	out          []live.Delivery
}

func (r *liveRendering) step(s *liveStep) error {
	switch s.kind {
	case stepRevert:
		return r.revert(s)
	case stepApply:
		return r.apply(s)
	}
	return nil
}

func (r *liveRendering) deliver(feed live.Feed, m *live.Message) {
	r.out = append(r.out, live.Delivery{Feed: feed, Entry: live.Entry{Message: m}})
}

// revert tells everybody, whether or not the block had anything for them: it is theirs to know.
func (r *liveRendering) revert(s *liveStep) error {
	data, err := eventText(liveRevert, revertBody{s.height, valueOf(s.block), s.id, valueOf(s.parent)})
	if err != nil {
		return err
	}
	m := &live.Message{Step: s.step, Position: s.position(), Data: data}
	for feed := range r.followed {
		switch feed.Kind {
		case liveBlocks, liveTransactions, liveEvents:
			r.deliver(feed, m)
		}
	}
	return nil
}

func (r *liveRendering) apply(s *liveStep) error {
	if b, ok := r.blocks[s.content]; ok {
		data, err := eventText(liveBlock, b)
		if err != nil {
			return err
		}
		r.deliver(live.Feed{Kind: liveBlocks}, &live.Message{Step: s.step, Position: s.position(), Data: data})
	}
	type shown struct {
		rowKey
		event int32
	}
	made := map[shown]*live.Message{} // each is encoded once
	for _, t := range r.touches[s.content] {
		key := shown{t.rowKey, -1}
		if t.event != nil {
			key.event = t.event.number
		}
		m := made[key]
		if m == nil {
			data, err := r.text(s, t)
			if err != nil {
				return err
			}
			if data == nil {
				continue
			}
			m = &live.Message{Step: s.step, Position: s.position(), Data: data}
			made[key] = m
		}
		r.deliver(t.feed, m)
	}
	return nil
}

// text is the event of a stream that shows a transaction, or what a contract printed in it.
func (r *liveRendering) text(s *liveStep, t touch) ([]byte, error) {
	row := r.transactions[t.rowKey]
	if row == nil {
		return nil, nil
	}
	if t.event == nil {
		return eventText(liveTransaction, renderTransaction(row, rendering{interfaces: r.interfaces}))
	}
	body := contractEventBody{ContractID: valueOf(t.event.contract), BlockHeight: s.height, IndexBlockHash: s.id, Event: renderEvent(*t.event, row.id)}
	if topic := contract.Topic(t.event.value); topic != "" {
		body.Topic = &topic
	}
	return eventText(liveEvent, body)
}

// markLast marks the last message of each step for each feed: a client that has that one has the position of the step.
func (r *liveRendering) markLast() {
	type of struct {
		feed live.Feed
		step int64
	}
	seen := map[of]bool{}
	for i := len(r.out) - 1; i >= 0; i-- {
		d := &r.out[i]
		if key := (of{d.Feed, d.Step}); !seen[key] {
			seen[key], d.Last = true, true
		}
	}
}
