package audit

import (
	"context"
	"strconv"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

type narrowCopiesInput struct {
	Limit  int              `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Maximum number of rows of the page; 0 means the default."`
	Cursor narrowCopyCursor `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"seq of the first row of the page."`
}

// narrowCopy is an announcement of a block that lacks something. The block's content is that of its most complete
// announcement.
type narrowCopy struct {
	Seq            int64  `json:"seq" doc:"The event with this copy of the block."`
	BlockHeight    int64  `json:"block_height"`
	IndexBlockHash string `json:"index_block_hash" pattern:"^0x[0-9a-f]{64}$"`
	TxCount        int32  `json:"tx_count" doc:"Transactions in this copy."`
	EventCount     int32  `json:"event_count" doc:"Events in this copy that count: committed, and of successful transactions."`
	ContentSeq     *int64 `json:"content_seq" doc:"The event with the most complete copy, whose content counts. It is null if this is the best copy in the log although it lacks events: a successful token transfer has none. Balances are wrong then."`
	Event          string `json:"event" format:"uri-reference"`
}

func (a *api) registerNarrowCopies() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-narrow-copies", Path: "/audit/v1/narrow-copies", Tag: "Audit", Summary: "List announcements of blocks that lack something",
		Description: "A node posts every block to each of its observer entries, with only those events that the keys of the entry select. The most complete copy counts, whenever it comes; all others stay in the log, and are listed here in its order. Give a node one entry with all keys.",
		Statuses:    []int{400},
	}, listNarrowCopies)
}

// narrowCopyCursor is the seq of the first row of a page; empty for the first page.
type narrowCopyCursor string

func (c narrowCopyCursor) parse() (int64, error) {
	if c == "" {
		return 0, nil
	}
	seq, err := strconv.ParseInt(string(c), 10, 64)
	if err != nil {
		return 0, engine.BadRequest("invalid cursor %q", string(c))
	}
	return seq, nil
}

func listNarrowCopies(ctx context.Context, s *engine.Snapshot, in *narrowCopiesInput) (*page.KeyPage[narrowCopy], error) {
	limit := page.LimitOr(in.Limit, auditLimit)
	seq, err := in.Cursor.parse()
	if err != nil {
		return nil, err
	}
	key := func(n narrowCopy) string { return strconv.FormatInt(n.Seq, 10) }
	if _, ok := s.Tip("chain"); !ok {
		return page.NewKeyPage(limit, nil, key), nil
	}
	b := s.Batch()
	found := engine.QueryPage(b, limit, func(r *narrowCopyRow) []any {
		return []any{&r.Seq, &r.BlockHeight, &r.block, &r.TxCount, &r.EventCount, &r.ContentSeq}
	}, `
		SELECT {chain.narrow_copy n}, n.source_seq, b.height, n.index_block_hash, n.tx_count, n.event_count, nullif(b.source_seq, n.source_seq)
		FROM (SELECT * FROM {chain}.narrow_copy WHERE source_seq >= $1 ORDER BY source_seq LIMIT $2) n
		JOIN {chain}.block b USING (index_block_hash)
		ORDER BY n.source_seq`, seq, limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := make([]narrowCopy, len(found.Rows))
	for i, r := range found.Rows {
		rows[i] = r.shape()
	}
	return page.NewKeyPage(limit, rows, key), nil
}

type narrowCopyRow struct {
	narrowCopy
	block hash.Hash32
}

func (r narrowCopyRow) shape() narrowCopy {
	n := r.narrowCopy
	n.IndexBlockHash = r.block.String()
	n.Event = engine.EventLink(n.Seq)
	return n
}

var tracedNarrowCopy = &engine.TraceTable{
	Projection: "chain", Name: "narrow_copy", Key: "source_seq", Values: "tx_count event_count index_block_hash:hex",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions', '/events']`}},
}
