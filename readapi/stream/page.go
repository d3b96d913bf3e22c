package stream

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/step"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/page"
	"strata/readapi/internal/view"
	"strata/readapi/stream/internal/sse"
)

// Bounds of a page for a stream that catches up. With a list of the projection accounts, blocks that have nothing for
// the feed cost nothing; without one, each block is scanned.
const (
	liveBlocksPage = 100  // steps of the stream of blocks
	liveStepsPage  = 4096 // steps of any other stream
	liveScanPage   = 16   // blocks that are scanned
	liveRowsPage   = 200  // rows of a list
)

// liveCursor is the place of a client on its stream.
type liveCursor struct {
	// instance identifies a list of steps, and step is the place in it; instance is empty until the position is looked
	// up.
	instance string
	step     int64 // on the stream of the mempool, the seq of an event of the log
	position live.Position
	walk     *mempoolWalk // nil unless the client is being sent all pending transactions
}

// livePage is the next part of a feed for a client.
type livePage struct {
	messages []live.Delivery
	// cursor is the client's place after the messages.
	cursor liveCursor
	// head says that the page reaches the end of the feed; behind, that the tables are not yet as far as the client.
	head, behind bool
}

// livePage reads the next page of a feed, up to the step until; 0 for no bound.
func (a *api) livePage(ctx context.Context, feed live.Feed, cursor liveCursor, until int64) (*livePage, error) {
	value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		return a.livePageOf(ctx, s, feed, cursor, until)
	})
	if err != nil {
		return nil, err
	}
	return value.(*livePage), nil
}

func (a *api) livePageOf(ctx context.Context, s *engine.Snapshot, feed live.Feed, cursor liveCursor, until int64) (*livePage, error) {
	chain := s.Active("chain")
	if chain == nil {
		return nil, engine.ErrNoChain
	}
	if err := s.Foreign("chain"); err != nil {
		return nil, err
	}
	p := &livePage{cursor: cursor}
	if own := instance(chain); cursor.instance != own {
		if chain.LogSeq < cursor.position.Log {
			p.behind = true
			return p, nil
		}
		if err := p.resume(ctx, s, feed, own); err != nil || len(p.messages) > 0 {
			return p, err
		}
	}
	limit := liveStepsPage
	if feed.Kind == liveBlocks {
		limit = liveBlocksPage
	}
	reached := s.State.ReachedStep()
	if p.cursor.step > reached {
		p.behind = true
		return p, nil
	}
	if until == 0 {
		until = reached
	}
	b := s.Batch()
	found := queueSteps(b, p.cursor.step, until, limit)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	steps, followed := found.Rows, map[live.Feed]struct{}{feed: {}}
	p.head = len(steps) < limit
	var touches []touch
	if feed.Kind != liveBlocks {
		var err error
		all := len(steps)
		if steps, touches, err = a.touchesOf(ctx, s, feed, steps); err != nil {
			return nil, err
		}
		p.head = p.head && len(steps) == all
	}
	if len(steps) == 0 {
		return p, nil
	}
	last := &steps[len(steps)-1]
	p.cursor.step, p.cursor.position = last.step, last.position()
	var err error
	p.messages, err = a.renderSteps(ctx, s, steps, followed, touches)
	return p, err
}

// resume moves the cursor into the instance in of the list of steps. The page gets a revert for each block that the
// client has and that this list neither has as canonical nor reverts.
func (p *livePage) resume(ctx context.Context, s *engine.Snapshot, feed live.Feed, in string) error {
	point, err := resume(ctx, s, p.cursor.position)
	if err != nil {
		return err
	}
	p.cursor = liveCursor{instance: in, step: point.step, position: point.position}
	for i, undone := range point.undone {
		m, err := sse.Message(point.step, point.position, liveRevert, revertBody{undone.height, undone.block, undone.id, undone.parent})
		if err != nil {
			return err
		}
		p.messages = append(p.messages, live.Delivery{Feed: feed, Entry: live.Entry{Message: m, Last: i == len(point.undone)-1}})
	}
	return nil
}

// touchesOf finds what steps have for a feed. It returns the steps that it has looked at, a prefix of the given ones.
func (a *api) touchesOf(ctx context.Context, s *engine.Snapshot, feed live.Feed, steps []liveStep) ([]liveStep, []touch, error) {
	var touches []touch
	if covered := listedPrefix(s, steps); feed.Kind != liveNames && len(covered) > 2*liveScanPage {
		var err error
		if steps, touches, err = listedTouches(ctx, s, feed, covered); err != nil {
			return nil, nil, err
		}
	}
	if touches == nil {
		steps = firstApplied(steps, liveScanPage, func(*liveStep) bool { return true })
	}
	known := map[int64]bool{} // blocks that the list covers, or that are to be scanned
	for i := range steps {
		if touches != nil && steps[i].canonical {
			known[steps[i].content] = true
		}
	}
	var contents []int64
	for i := range steps {
		if st := &steps[i]; st.kind == step.Apply && !known[st.content] {
			known[st.content] = true
			contents = append(contents, st.content)
		}
	}
	scanned, err := a.touches(ctx, s, contents, map[live.Feed]struct{}{feed: {}})
	return steps, append(touches, scanned...), err
}

// listedPrefix returns the prefix of the steps that the lists of the projection accounts cover; nil if they cannot be
// used. The lists have canonical blocks only: of others, which are scanned, it has liveScanPage at most.
func listedPrefix(s *engine.Snapshot, steps []liveStep) []liveStep {
	chain, accounts := s.Active("chain"), s.Active("accounts")
	if accounts == nil || s.Foreign("accounts") != nil || accounts.State != "live" || (pgx.Identifier{accounts.Input}).Sanitize() != chain.Schema() {
		return nil
	}
	end, _ := slices.BinarySearchFunc(steps, accounts.Position+1, func(st liveStep, step int64) int { return int(st.step - step) })
	return firstApplied(steps[:end], liveScanPage, func(st *liveStep) bool { return !st.canonical })
}

// firstApplied returns the longest prefix of the steps in which most steps, at most, apply a block and satisfy such.
func firstApplied(steps []liveStep, most int, such func(*liveStep) bool) []liveStep {
	n := 0
	for i := range steps {
		if st := &steps[i]; st.kind == step.Apply && such(st) {
			if n++; n > most {
				return steps[:i]
			}
		}
	}
	return steps
}

// liveLists are the lists from which listedTouches reads: of an account's transactions, of a contract's events, and of
// those of a topic. Their arguments are the owner, $4, and the topic, $5.
var (
	liveAccount  = newLiveList(&page.Numbered{Table: `{accounts}.account_transaction`, Number: "n", Tx: "tx", Rows: `r.account = $4`}, false)
	liveContract = newLiveList(&page.Numbered{Table: `{accounts}.contract_event`, Number: "n", Tx: "tx", Rows: `r.contract = $4 AND $5::int IS NULL`}, true)
	liveTopic    = newLiveList(&page.Numbered{Table: `{accounts}.contract_event`, Number: "topic_n", Tx: "tx", Rows: `r.contract = $4 AND r.topic = $5`}, true)
)

// liveList is a numbered list of the projection accounts, of the transactions or the events of one owner.
type liveList struct {
	sql    string // selects the first $3 rows of the blocks from height $1 through $2
	events bool   // whether the rows are events; otherwise they are transactions
}

func newLiveList(l *page.Numbered, events bool) *liveList {
	selected, joined := `ARRAY[]::bigint[], t.source_seq, t.tx_index`, ``
	if events {
		selected, joined = view.EventSQL, `
		CROSS JOIN LATERAL (
			SELECT * FROM {chain}.event e WHERE e.source_seq = t.source_seq AND e.tx_index = t.tx_index AND e.event_index = x.event_index LIMIT 1
		) e`
	}
	return &liveList{events: events, sql: l.SQL(`
		SELECT {selected}
		FROM (
			SELECT r.*, {number} AS number FROM {table} r
			WHERE {rows} AND {number} > {low} AND {number} <= {high}
			ORDER BY {number} LIMIT $3
		) x
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction t WHERE t.n = x.tx LIMIT 1) t{joined}
		ORDER BY x.number`, "{selected}", selected, "{joined}", joined,
		"{low}", l.Before(`(SELECT first_tx FROM {accounts}.block WHERE height = $1)`),
		"{high}", l.Before(`(SELECT last_tx + 1 FROM {accounts}.block WHERE height = $2)`))}
}

// liveListOf returns the list that has what blocks bring for a feed.
func liveListOf(feed live.Feed) *liveList {
	switch {
	case feed.Kind != liveEvents:
		return liveAccount
	case feed.Detail == "":
		return liveContract
	}
	return liveTopic
}

// listedTouches finds in the list of a feed what steps have for it, as far as they apply blocks that are still
// canonical. It returns the steps that it has looked at, a prefix of the given ones. touches is nil if the first of
// these blocks alone has more than liveRowsPage rows: then it has to be scanned.
func listedTouches(ctx context.Context, s *engine.Snapshot, feed live.Feed, steps []liveStep) (looked []liveStep, touches []touch, err error) {
	touches = []touch{}
	lowest, highest := int64(-1), int64(-1)
	for i := range steps {
		if steps[i].canonical { // canonical blocks are applied in the order of their heights
			if lowest < 0 {
				lowest = steps[i].height
			}
			highest = steps[i].height
		}
	}
	if lowest < 0 {
		return steps, touches, nil
	}
	owner, topic, err := ownerOf(ctx, s, feed)
	if err != nil || owner == nil || feed.Detail != "" && topic == nil {
		return steps, touches, err
	}
	b := s.Batch()
	type listedRow struct {
		view.RowKey
		event *view.EventRow
	}
	list := liveListOf(feed)
	args := []any{lowest, highest, liveRowsPage + 1, *owner}
	columns := func(r *listedRow) []any { return []any{&r.Seq, &r.Index} }
	if list.events {
		args = append(args, topic)
		columns = func(r *listedRow) []any {
			r.event = &view.EventRow{}
			return view.EventColumns(r.event)
		}
	}
	found := engine.Query(b, columns, list.sql, args...)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	rows := found.Rows
	for i := range rows {
		if rows[i].event != nil {
			rows[i].RowKey = rows[i].event.RowKey
		}
	}
	if len(rows) > liveRowsPage { // the last block may have more rows: leave it for the next page
		block := rows[len(rows)-1].Seq
		end := slices.IndexFunc(steps, func(st liveStep) bool { return st.canonical && st.content == block })
		if end <= 0 {
			return steps[:1], nil, nil
		}
		steps = steps[:end]
		rows = slices.DeleteFunc(rows, func(r listedRow) bool { return r.Seq == block })
	}
	for i, row := range rows {
		touches = append(touches, touch{RowKey: row.RowKey, execution: int32(i), feed: feed, event: row.event})
	}
	return steps, touches, nil
}

// ownerOf returns the ids of a feed's principal and topic in the projection accounts; nil for one that it does not
// have.
func ownerOf(ctx context.Context, s *engine.Snapshot, feed live.Feed) (owner, topic *int32, err error) {
	type ownerRow struct{ owner, topic *int32 }
	b := s.Batch()
	found := engine.Query(b, func(r *ownerRow) []any { return []any{&r.owner, &r.topic} }, `
		SELECT {}, a.id, (SELECT t.topic FROM {accounts}.contract_topic t WHERE t.contract = a.id AND t.name = $2)
		FROM {accounts}.account a WHERE a.account = $1`, feed.Name, feed.Detail)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	row, _ := found.First()
	return row.owner, row.topic, nil
}
