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
)

const (
	// mempoolChangesPage is how many changes of the mempool a page has, but for what came with the last event of it.
	mempoolChangesPage = 200
	// mempoolPatience is for how many Bitcoin blocks a client may be away: the mempool forgets what was mined after twice as many.
	mempoolPatience = 128
)

// mempoolPlace is up to where changes of the mempool were told: the position of the projection, and the event of the log that it
// stands for, of which there may be more steps.
type mempoolPlace struct{ position, log int64 }

func placeOfMempool(v *register.Version) mempoolPlace {
	if v == nil {
		return mempoolPlace{}
	}
	return mempoolPlace{v.Position, v.LogSeq}
}

// mempoolWalk is how far a client has got that is told anew of all that waits.
type mempoolWalk struct {
	// until is the event after which it is told of changes, and position where it is when all was told.
	until    int64
	position live.Position
	// The last one that it was told.
	receiptTime int64
	id          hash.Hash32
}

// changedRow is a transaction that has changed, with the block that has it.
type changedRow struct {
	view.WaitingRow
	seq         int64 // the event that changed it
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

// mempoolReady says whether the mempool can be followed, and whether it folds the steps of the active chain.
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

// foldedEvent is a query for the last event of which all steps are folded, at a position of the mempool that stands for an event.
const foldedEvent = `
	SELECT CASE WHEN EXISTS (SELECT FROM {chain}.step s WHERE s.step = $1::bigint + 1 AND s.source_seq = $2) THEN $2::bigint - 1 ELSE $2::bigint END AS seq`

// whole is the last event of which all was told.
func (p mempoolPlace) whole(ctx context.Context, s *engine.Snapshot) (int64, error) {
	b := s.Batch()
	found := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT ARRAY[]::bigint[], seq FROM (`+foldedEvent+`) whole`, p.position, p.log)
	if err := b.Run(ctx); err != nil {
		return 0, err
	}
	seq, _ := found.First()
	return seq, nil
}

// mempoolRange is a part of the changes of the mempool.
type mempoolRange struct {
	rows []changedRow
	// upto is the last event of it, and position what there is with it; head says that there is no more.
	upto     int64
	position live.Position
	head     bool
}

// mempoolChanges reads what has changed with the events after one, each transaction as it is now: all, or those that are wanted.
// Events are told whole. Their last steps may not be folded yet: then the event is for later.
func mempoolChanges(ctx context.Context, s *engine.Snapshot, mempool *register.Version, after int64, wanted []hash.Hash32) (*mempoolRange, error) {
	type bound struct{ last, upto int64 }
	b := s.Batch()
	bounds := engine.Query(b, func(r *bound) []any { return []any{&r.last, &r.upto} }, `
		SELECT ARRAY[]::bigint[], last.seq, coalesce((
			SELECT w.changed_seq FROM {mempool}.transaction w
			WHERE w.changed_seq > $3 AND w.changed_seq <= last.seq ORDER BY w.changed_seq OFFSET $4::bigint LIMIT 1
		), last.seq)
		FROM (`+foldedEvent+`) last`, mempool.Position, mempool.LogSeq, after, int64(mempoolChangesPage))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	at, _ := bounds.First()
	found := &mempoolRange{upto: max(at.upto, after), head: at.upto == at.last}
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

// idsOf are ids as an argument of a query; nil for any.
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

// completeChanged reads what else it takes to show transactions.
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

// message is what a stream of the mempool says of a transaction.
func (r *changedRow) message(position live.Position, interfaces view.CalledInterfaces) (*live.Message, error) {
	if r.minedHeight != nil {
		return eventMessage(r.seq, position, liveMined, minedBody{r.TransactionRow.ID, *r.minedHeight, view.ValueOf(r.block), view.ValueOf(r.id)})
	}
	return eventMessage(r.seq, position, liveTransaction, view.RenderWaiting(&r.WaitingRow, view.Rendering{Interfaces: interfaces}))
}

// mempoolStreamPage reads what comes next for a client of the stream of the mempool.
func (a *api) mempoolStreamPage(ctx context.Context, feed live.Feed, cursor liveCursor) (*livePage, error) {
	value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		s.KeepOpen = true
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
		at, err := resumeMempool(ctx, s, cursor.position)
		if err != nil {
			return nil, err
		}
		if at.step > mempool.Position {
			page.behind = true
			return page, nil
		}
		page.cursor = liveCursor{instance: instance(chain), step: cursor.position.Log, position: cursor.position}
		if at.anew {
			return a.mempoolWalk(ctx, s, mempool, feed, page)
		}
	}
	if page.cursor.walk != nil {
		return a.mempoolWalk(ctx, s, mempool, feed, page)
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

// resumedMempool is where a client of the stream of the mempool goes on.
type resumedMempool struct {
	step int64 // the last one that it has
	// anew says that it can't be told what has changed since: its position is of another branch, or amid an event, or it names no
	// block, or some of what was mined since may be forgotten.
	anew bool
}

func resumeMempool(ctx context.Context, s *engine.Snapshot, p live.Position) (resumedMempool, error) {
	b := s.Batch()
	step := engine.Query(b, liveStepColumns, liveStepSQL+`WHERE s.step = `+stepsUpTo(`$1::bigint`), p.Log)
	remembered := engine.Query(b, func(known *bool) []any { return []any{known} }, `
		SELECT ARRAY[]::bigint[], b.burn_block_height >= coalesce((SELECT h.forgotten_below + $2::bigint FROM {mempool}.horizon h), 0)
		FROM {chain}.block b WHERE b.index_block_hash = $1`, p.Block, int64(mempoolPatience))
	if err := b.Run(ctx); err != nil {
		return resumedMempool{}, err
	}
	at, _ := step.First()
	known, ok := remembered.First()
	if !ok && !p.Block.IsZero() {
		return resumedMempool{}, engine.BadRequest("there is no block %s: the position %q is not of this archive", p.Block, p)
	}
	return resumedMempool{at.step, !known || at.position().Block != p.Block}, nil
}

// mempoolWalk tells a client of all that waits, by the time of receipt. What changes meanwhile is told afterwards.
func (a *api) mempoolWalk(ctx context.Context, s *engine.Snapshot, mempool *register.Version, feed live.Feed, page *livePage) (*livePage, error) {
	walk := mempoolWalk{receiptTime: -1}
	if page.cursor.walk != nil {
		walk = *page.cursor.walk
	}
	b := s.Batch()
	counted := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], coalesce(sum(n), 0)::bigint FROM {mempool}.counter WHERE status = 'pending'`)
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
		if walk.until, err = placeOfMempool(mempool).whole(ctx, s); err != nil {
			return nil, err
		}
		walk.position = head
		pending, _ := counted.First()
		if err := add(eventMessage(0, walk.position, liveReset, resetBody{pending})); err != nil {
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
		walk.receiptTime, walk.id = last.ReceiptTime, last.TransactionRow.ID
		page.cursor.walk = &walk
		return page, nil
	}
	page.cursor.walk, page.cursor.step, page.cursor.position = nil, walk.until, walk.position
	return page, nil
}

// mempoolNow is where a client begins that follows from now on.
func (a *api) mempoolNow(ctx context.Context) (cursor liveCursor, err error) {
	_, _, err = a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		s.KeepOpen = true
		chain, mempool, _, err := mempoolReady(s)
		if err != nil {
			return nil, err
		}
		cursor.instance = instance(chain)
		if cursor.step, err = placeOfMempool(mempool).whole(ctx, s); err != nil {
			return nil, err
		}
		cursor.position, err = live.ParsePosition(mempool.Header()[0])
		return nil, err
	})
	return cursor, err
}

// tellMempool tells those who follow the mempool, or a transaction, what has changed.
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
	for begun := false; ctx.Err() == nil; begun = true {
		value, _, err := f.api.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
			s.KeepOpen = true
			return f.mempoolNext(ctx, s, followed, begun)
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

// mempoolNext is what to tell next of the mempool.
type mempoolNext struct {
	deliveries []live.Delivery
	to         mempoolPlace
	head       bool
}

// mempoolNext reads what to tell next. begun says that all was told of the event at which it is.
func (f *follower) mempoolNext(ctx context.Context, s *engine.Snapshot, followed map[live.Feed]struct{}, begun bool) (*mempoolNext, error) {
	n := &mempoolNext{to: f.mempool, head: true}
	_, mempool, ok, err := mempoolReady(s)
	if err != nil || !ok {
		return n, err
	}
	after := f.mempool.log
	if !begun {
		if after, err = f.mempool.whole(ctx, s); err != nil {
			return nil, err
		}
	}
	var wanted []hash.Hash32
	if !follows(followed, liveMempool, socketMempool) {
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
	if n.head = found.head; n.head { // what is not whole is told when it is
		n.to.position = mempool.Position
	}
	return n, nil
}

// appendChanged adds what those who follow something are told of a transaction. That it is mined is told with its block to those
// who are told nothing else.
func appendChanged(to []live.Delivery, r *changedRow, position live.Position, interfaces view.CalledInterfaces, followed map[live.Feed]struct{}, last bool) ([]live.Delivery, error) {
	deliver := func(feed live.Feed, said func() (*live.Message, error)) error {
		if _, ok := followed[feed]; !ok {
			return nil
		}
		m, err := said()
		to = append(to, live.Delivery{Feed: feed, Entry: live.Entry{Message: m, Last: last}})
		return err
	}
	if err := deliver(live.Feed{Kind: liveMempool}, func() (*live.Message, error) { return r.message(position, interfaces) }); err != nil {
		return nil, err
	}
	if r.minedHeight != nil {
		return to, nil
	}
	notify := func(method string) func() (*live.Message, error) {
		return func() (*live.Message, error) {
			data, err := engine.Encode(rpcNotification{rpcVersion, method, view.RenderWaiting(&r.WaitingRow, view.Rendering{Interfaces: interfaces})})
			return &live.Message{Step: r.seq, Position: position, Data: data}, err
		}
	}
	if r.Status == "pending" {
		if err := deliver(live.Feed{Kind: socketMempool}, notify(socketWaiting)); err != nil {
			return nil, err
		}
	}
	err := deliver(live.Feed{Kind: socketTransactions, Name: r.TransactionRow.ID.String()}, notify(socketTransaction))
	return to, err
}
