package stream

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/register"
	"strata/readapi/internal/view"
	"strata/readapi/stream/internal/sse"
)

const (
	// mempoolChangesPage is the number of changes on a page, which has more if the changes of its last event go beyond.
	mempoolChangesPage = 200
	// mempoolPatience is the number of Bitcoin blocks that a client may be away for without a reset. The projection
	// forgets a mined transaction after twice as many.
	mempoolPatience = 128
)

// mempoolPlace is the place up to which the hub has the changes of the mempool: the position of the projection, which
// is a step, and the seq of the log event that caused the step. That event may have further steps.
type mempoolPlace struct{ position, log int64 }

func placeOfMempool(v *register.Version) mempoolPlace {
	if v == nil {
		return mempoolPlace{}
	}
	return mempoolPlace{v.Position, v.LogSeq}
}

// mempoolWalk is the progress of sending a client all pending transactions.
type mempoolWalk struct {
	// until is the seq of the event after which the client gets changes, and position is its position after the walk.
	until    int64
	position live.Position
	// The last transaction that it was sent.
	receiptTime int64
	id          hash.Hash32
}

// changedRow is a transaction of the mempool that has changed, with the canonical block that has it, if any.
type changedRow struct {
	view.WaitingRow
	seq         int64 // of the event that changed it last
	minedHeight *int64
	block, id   *hash.Hash32
}

const changedSQL = view.WaitingSQL + `, w.changed_seq, w.mined_height, mined.block_hash, mined.index_block_hash`

const changedFrom = `
	FROM {mempool}.transaction w
	LEFT JOIN LATERAL (SELECT m.block_hash, m.index_block_hash FROM {mempool}.block m WHERE m.height = w.mined_height LIMIT 1) mined ON true `

func changedColumns(r *changedRow) []any {
	return append(view.WaitingColumns(&r.WaitingRow), &r.seq, &r.minedHeight, &r.block, &r.id)
}

// mempoolReady returns the active versions of chain and mempool. ok is false while the mempool folds the steps of
// another version of chain than the active one.
func mempoolReady(s *engine.Snapshot) (chain, mempool *register.Version, ok bool, err error) {
	if chain, mempool = s.Active("chain"), s.Active("mempool"); chain == nil || mempool == nil {
		return nil, nil, false, engine.ErrNoChain
	}
	for _, name := range []string{"chain", "mempool"} {
		if err := s.Foreign(name); err != nil {
			return nil, nil, false, err
		}
	}
	return chain, mempool, (pgx.Identifier{mempool.Input}).Sanitize() == chain.Schema(), nil
}

// foldedEvent is a query for the seq of the last event whose steps the mempool has all folded. $1 is the position of
// the mempool, and $2 the seq of the event that caused the step there.
const foldedEvent = `
	SELECT CASE WHEN EXISTS (SELECT FROM {chain}.step s WHERE s.step = $1::bigint + 1 AND s.source_seq = $2) THEN $2::bigint - 1 ELSE $2::bigint END AS seq`

// wholeEvent returns the seq of the last event whose steps are all at or before the place.
func (p mempoolPlace) wholeEvent(ctx context.Context, s *engine.Snapshot) (int64, error) {
	b := s.Batch()
	found := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, seq FROM (`+foldedEvent+`) whole`, p.position, p.log)
	if err := b.Run(ctx); err != nil {
		return 0, err
	}
	seq, _ := found.First()
	return seq, nil
}

// mempoolRange holds the changes of the mempool by a range of events.
type mempoolRange struct {
	rows []changedRow
	// upto is the seq of the last event of the range, and position the position after it; head says that the range
	// reaches the last folded event.
	upto     int64
	position live.Position
	head     bool
}

// mempoolChanges reads the transactions that the events after a given one have changed, each as it is now; only those
// in wanted, unless it is nil. A range ends with a whole event: one whose last steps are not folded yet is left for
// later.
func mempoolChanges(ctx context.Context, s *engine.Snapshot, mempool *register.Version, after int64, wanted []hash.Hash32) (*mempoolRange, error) {
	type bound struct{ last, upto int64 }
	b := s.Batch()
	bounds := engine.Query(b, func(r *bound) []any { return []any{&r.last, &r.upto} }, `
		SELECT {}, last.seq, coalesce((
			SELECT w.changed_seq FROM {mempool}.transaction w
			WHERE w.changed_seq > $3 AND w.changed_seq <= last.seq ORDER BY w.changed_seq OFFSET $4::bigint LIMIT 1
		), last.seq)
		FROM (`+foldedEvent+`) last`, mempool.Position, mempool.LogSeq, after, int64(mempoolChangesPage))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	edge, _ := bounds.First()
	found := &mempoolRange{upto: max(edge.upto, after), head: edge.upto == edge.last}
	b = s.Batch()
	rows := engine.Query(b, changedColumns, `
		SELECT `+changedSQL+changedFrom+`
		WHERE w.changed_seq > $1 AND w.changed_seq <= $2 AND ($3::bytea[] IS NULL OR w.txid = ANY ($3))
		ORDER BY w.changed_seq, w.receipt_time, w.txid`, after, found.upto, idsOf(wanted))
	step := engine.Query(b, liveStepColumns, liveStepSQL+`WHERE s.step = `+stepsUpTo(`$1::bigint`), found.upto)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	found.rows = rows.Rows
	last, _ := step.First()
	found.position = last.position()
	found.position.Log = found.upto
	return found, nil
}

// idsOf returns ids as an argument of a query; NULL for nil, which stands for any id.
func idsOf(ids []hash.Hash32) [][]byte {
	if ids == nil {
		return nil
	}
	all := make([][]byte, len(ids))
	for i := range ids {
		all[i] = ids[i][:]
	}
	return all
}

// completeChanged reads what else it takes to render the transactions.
func (a *api) completeChanged(ctx context.Context, s *engine.Snapshot, rows []changedRow) (view.CalledInterfaces, error) {
	waiting := make([]*view.TransactionRow, len(rows))
	for i := range rows {
		waiting[i] = &rows[i].TransactionRow
	}
	if len(waiting) == 0 {
		return nil, nil
	}
	return view.Complete(ctx, s, waiting, false, nil)
}

// message renders a changed transaction as an event of the stream of the mempool.
func (r *changedRow) message(position live.Position, interfaces view.CalledInterfaces) (*live.Message, error) {
	if r.minedHeight != nil {
		return sse.Message(r.seq, position, liveMined, minedBody{r.ID, *r.minedHeight, view.ValueOf(r.block), view.ValueOf(r.id)})
	}
	return sse.Message(r.seq, position, liveTransaction, view.RenderWaiting(&r.WaitingRow, view.Rendering{Interfaces: interfaces}))
}

// mempoolStreamPage reads a client's next page of the stream of the mempool.
func (a *api) mempoolStreamPage(ctx context.Context, feed live.Feed, cursor liveCursor) (*livePage, error) {
	value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		return a.mempoolPageOf(ctx, s, feed, cursor)
	})
	if err != nil {
		return nil, err
	}
	return value.(*livePage), nil
}

func (a *api) mempoolPageOf(ctx context.Context, s *engine.Snapshot, feed live.Feed, cursor liveCursor) (*livePage, error) {
	page := &livePage{cursor: cursor}
	chain, mempool, ok, err := mempoolReady(s)
	if err != nil {
		return nil, err
	}
	if !ok || chain.LogSeq < cursor.position.Log {
		page.behind = true
		return page, nil
	}
	if cursor.instance != instance(chain) {
		point, err := resumeMempool(ctx, s, cursor.position)
		if err != nil {
			return nil, err
		}
		if point.step > mempool.Position {
			page.behind = true
			return page, nil
		}
		page.cursor = liveCursor{instance: instance(chain), step: cursor.position.Log, position: cursor.position}
		if point.reset {
			return a.walkMempool(ctx, s, mempool, feed, page)
		}
	}
	if page.cursor.walk != nil {
		return a.walkMempool(ctx, s, mempool, feed, page)
	}
	found, err := mempoolChanges(ctx, s, mempool, page.cursor.step, nil)
	if err != nil {
		return nil, err
	}
	interfaces, err := a.completeChanged(ctx, s, found.rows)
	if err != nil {
		return nil, err
	}
	for i := range found.rows {
		m, err := found.rows[i].message(found.position, interfaces)
		if err != nil {
			return nil, err
		}
		page.messages = append(page.messages, live.Delivery{Feed: feed, Entry: live.Entry{Message: m, Last: i == len(found.rows)-1}})
	}
	page.head = found.head
	page.cursor.step, page.cursor.position = found.upto, found.position
	return page, nil
}

// mempoolResumePoint is the point at which a client of the stream of the mempool resumes.
type mempoolResumePoint struct {
	step int64 // the last step that the client has
	// reset says that the changes since then are not known: the position is on another branch, or within an event, or
	// it names no block, or the projection may have forgotten transactions that were mined since.
	reset bool
}

func resumeMempool(ctx context.Context, s *engine.Snapshot, p live.Position) (mempoolResumePoint, error) {
	b := s.Batch()
	step := engine.Query(b, liveStepColumns, liveStepSQL+`WHERE s.step = `+stepsUpTo(`$1::bigint`), p.Log)
	remembered := engine.Query(b, func(known *bool) []any { return []any{known} }, `
		SELECT {}, b.burn_block_height >= coalesce((SELECT h.forgotten_below + $2::bigint FROM {mempool}.horizon h), 0)
		FROM {chain}.block b WHERE b.index_block_hash = $1`, p.Block, int64(mempoolPatience))
	if err := b.Run(ctx); err != nil {
		return mempoolResumePoint{}, err
	}
	last, _ := step.First()
	known, ok := remembered.First()
	if !ok && !p.Block.IsZero() {
		return mempoolResumePoint{}, engine.BadRequest("there is no block %s: the position %q is not of this archive", p.Block, p)
	}
	return mempoolResumePoint{step: last.step, reset: !known || last.position().Block != p.Block}, nil
}

// walkMempool fills a page with pending transactions in the order of their receipt; the first page begins with a reset.
// Changes that happen during the walk are sent after it.
func (a *api) walkMempool(ctx context.Context, s *engine.Snapshot, mempool *register.Version, feed live.Feed, page *livePage) (*livePage, error) {
	walk := mempoolWalk{receiptTime: -1}
	if page.cursor.walk != nil {
		walk = *page.cursor.walk
	}
	b := s.Batch()
	counted := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, coalesce(sum(n), 0)::bigint FROM {mempool}.counter WHERE status = 'pending'`)
	found := engine.Query(b, changedColumns, `
		SELECT `+changedSQL+changedFrom+`
		WHERE w.status = 'pending' AND (w.receipt_time, w.txid) > ($1::bigint, $2::bytea)
		ORDER BY w.receipt_time, w.txid LIMIT $3`, walk.receiptTime, walk.id, mempoolChangesPage)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	interfaces, err := a.completeChanged(ctx, s, found.Rows)
	if err != nil {
		return nil, err
	}
	add := func(m *live.Message, err error) error {
		page.messages = append(page.messages, live.Delivery{Feed: feed, Entry: live.Entry{Message: m}})
		return err
	}
	if page.cursor.walk == nil {
		head, err := live.ParsePosition(mempool.Header()[0])
		if err != nil {
			return nil, err
		}
		if walk.until, err = placeOfMempool(mempool).wholeEvent(ctx, s); err != nil {
			return nil, err
		}
		walk.position = head
		pending, _ := counted.First()
		if err := add(sse.Message(0, walk.position, liveReset, resetBody{pending})); err != nil {
			return nil, err
		}
	}
	for i := range found.Rows {
		if err := add(found.Rows[i].message(walk.position, interfaces)); err != nil {
			return nil, err
		}
	}
	if n := len(found.Rows); n == mempoolChangesPage {
		last := &found.Rows[n-1]
		walk.receiptTime, walk.id = last.ReceiptTime, last.ID
		page.cursor.walk = &walk
		return page, nil
	}
	page.cursor.walk, page.cursor.step, page.cursor.position = nil, walk.until, walk.position
	return page, nil
}

// mempoolNow returns the cursor of a client that starts now.
func (a *api) mempoolNow(ctx context.Context) (cursor liveCursor, err error) {
	_, _, err = a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		chain, mempool, _, err := mempoolReady(s)
		if err != nil {
			return nil, err
		}
		cursor.instance = instance(chain)
		if cursor.step, err = placeOfMempool(mempool).wholeEvent(ctx, s); err != nil {
			return nil, err
		}
		cursor.position, err = live.ParsePosition(mempool.Header()[0])
		return nil, err
	})
	return cursor, err
}

// tellMempool publishes the changes of the mempool to those who follow it or one of its transactions.
func (f *follower) tellMempool(ctx context.Context) error {
	state := f.api.Watch.State(time.Now())
	if state == nil {
		return nil
	}
	version := state.Active("mempool")
	if version == nil || version.Position <= f.mempool.position {
		return nil
	}
	followed := f.hub.Followed(liveMempool, socketMempool, socketTransactions)
	if len(followed) == 0 || version.Changed(shard.Of(shard.Mempool)) <= f.mempool.position {
		f.mempool = placeOfMempool(version)
		return nil
	}
	for whole := false; ctx.Err() == nil; whole = true {
		value, _, err := f.api.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
			return f.nextMempool(ctx, s, followed, whole)
		})
		if err != nil {
			return err
		}
		n := value.(*mempoolNext)
		f.hub.Tell(n.deliveries...)
		f.mempool = n.to
		if n.head {
			break
		}
	}
	return nil
}

// mempoolNext is the next batch of changes of the mempool to publish.
type mempoolNext struct {
	deliveries []live.Delivery
	to         mempoolPlace
	head       bool
}

// nextMempool reads the next batch. whole says that the hub has all changes by the event at which f.mempool is.
func (f *follower) nextMempool(ctx context.Context, s *engine.Snapshot, followed map[live.Feed]struct{}, whole bool) (*mempoolNext, error) {
	n := &mempoolNext{to: f.mempool, head: true}
	_, mempool, ok, err := mempoolReady(s)
	if err != nil || !ok {
		return n, err
	}
	after := f.mempool.log
	if !whole {
		if after, err = f.mempool.wholeEvent(ctx, s); err != nil {
			return nil, err
		}
	}
	var wanted []hash.Hash32
	if !followsAny(followed, liveMempool, socketMempool) {
		wanted = []hash.Hash32{}
		for feed := range followed {
			if id, err := hash.Parse32(feed.Name); err == nil {
				wanted = append(wanted, id)
			}
		}
	}
	found, err := mempoolChanges(ctx, s, mempool, after, wanted)
	if err != nil {
		return nil, err
	}
	interfaces, err := f.api.completeChanged(ctx, s, found.rows)
	if err != nil {
		return nil, err
	}
	for i := range found.rows {
		if n.deliveries, err = appendChanged(n.deliveries, &found.rows[i], found.position, interfaces, followed, i == len(found.rows)-1); err != nil {
			return nil, err
		}
	}
	n.to.log = found.upto
	if n.head = found.head; n.head { // an event that is not whole yet is published once it is
		n.to.position = mempool.Position
	}
	return n, nil
}

// appendChanged appends the messages about a changed transaction for the followed feeds. Of a mined one only the stream
// of the mempool gets a message here: WebSockets get it with the block.
func appendChanged(to []live.Delivery, r *changedRow, position live.Position, interfaces view.CalledInterfaces, followed map[live.Feed]struct{}, last bool) ([]live.Delivery, error) {
	deliver := func(feed live.Feed, render func() (*live.Message, error)) error {
		if _, ok := followed[feed]; !ok {
			return nil
		}
		m, err := render()
		to = append(to, live.Delivery{Feed: feed, Entry: live.Entry{Message: m, Last: last}})
		return err
	}
	if err := deliver(live.Feed{Kind: liveMempool}, func() (*live.Message, error) { return r.message(position, interfaces) }); err != nil {
		return nil, err
	}
	if r.minedHeight != nil {
		return to, nil
	}
	notify := func(feed live.Feed) error {
		return deliver(feed, func() (*live.Message, error) {
			return notification(r.seq, position, feed, view.RenderWaiting(&r.WaitingRow, view.Rendering{Interfaces: interfaces}))
		})
	}
	if r.Status == "pending" {
		if err := notify(live.Feed{Kind: socketMempool}); err != nil {
			return nil, err
		}
	}
	err := notify(live.Feed{Kind: socketTransactions, Name: r.ID.String()})
	return to, err
}
