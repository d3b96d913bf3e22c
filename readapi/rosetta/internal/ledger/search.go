package ledger

import (
	"cmp"
	"context"
	"slices"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// Query says which transactions to find. All of its conditions must hold.
type Query struct {
	Transaction   *hash.Hash32
	Account       string // empty for any
	MaxBlock      *int64
	Offset, Limit int64
}

// Match is a page of transactions, the newest first.
type Match struct {
	Blocks []*Block // each with the transactions found in it
	Total  int64
	Next   *int64 // offset of the next page; nil for none
}

// place is where a transaction is.
type place struct {
	key    view.RowKey
	height int64
}

// Search finds transactions. A page costs the same at any offset: the lists of the projection accounts are numbered, and
// a binary search finds the length of a list at an earlier block.
func (r *Reader) Search(ctx context.Context, s *engine.Snapshot, q Query) (*Match, error) {
	frame, _, err := ReadFrame(ctx, s, Ref{})
	if err != nil {
		return nil, err
	}
	var places []place
	m := &Match{}
	if q.Transaction != nil {
		places, err = r.findOne(ctx, s, q)
		m.Total = int64(len(places))
		places = places[min(q.Offset, m.Total):]
	} else {
		m.Total, places, err = readList(ctx, s, q)
		if next := q.Offset + int64(len(places)); err == nil && next < m.Total {
			m.Next = &next
		}
	}
	if err != nil || len(places) == 0 {
		return m, err
	}
	var ids []ID
	var keys []view.RowKey
	b := s.Batch()
	heights := make([]int64, len(places))
	for i, p := range places {
		keys, heights[i] = append(keys, p.key), max(p.height, frame.Genesis.Index)
	}
	found := engine.Query(b, idColumns, `SELECT ARRAY[source_seq], height, block_hash, index_block_hash FROM {balances}.block WHERE height = ANY ($1) ORDER BY height DESC`, heights)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	ids = found.Rows
	if m.Blocks, err = r.read(ctx, s, &frame, ids, keys); err != nil {
		return nil, err
	}
	for _, block := range m.Blocks {
		slices.Reverse(block.Transactions)
	}
	slices.SortStableFunc(m.Blocks, func(a, b *Block) int { return cmp.Compare(b.Index, a.Index) })
	return m, nil
}

// findOne finds a transaction by its hash, if the other conditions hold.
func (r *Reader) findOne(ctx context.Context, s *engine.Snapshot, q Query) ([]place, error) {
	row, err := view.FindTransaction(ctx, s, *q.Transaction)
	if err != nil || row == nil || !row.Canonical || q.MaxBlock != nil && row.Height > *q.MaxBlock {
		return nil, err
	}
	if q.Account != "" {
		b := s.Batch()
		involved := engine.Query(b, func(n *int32) []any { return []any{n} }, `
			SELECT ARRAY[t.source_seq], t.n
			FROM {accounts}.account a
			JOIN {accounts}.block c ON c.height = $2
			JOIN {accounts}.account_transaction t ON t.account = a.id AND t.tx BETWEEN c.first_tx AND c.last_tx
			JOIN {accounts}.transaction x ON x.n = t.tx AND x.tx_index = $3 AND x.source_seq = $4
			WHERE a.account = $1`, q.Account, row.Height, row.Index, row.Seq)
		if err := b.Run(ctx); err != nil || len(involved.Rows) == 0 {
			return nil, err
		}
	}
	return []place{{row.RowKey, row.Height}}, nil
}

// readList reads a page of all transactions, or of an account's, and their number.
func readList(ctx context.Context, s *engine.Snapshot, q Query) (total int64, places []place, err error) {
	b := s.Batch()
	count := func(n *int64) []any { return []any{n} }
	var length *engine.Result[int64]
	// The number of transactions up to the block. Numbers of transactions are in the order of the chain.
	const until = `coalesce((SELECT last_tx FROM {accounts}.block WHERE height <= $1 ORDER BY height DESC LIMIT 1), 0)`
	highest := int64(1) << 62
	if q.MaxBlock != nil {
		highest = *q.MaxBlock
	}
	if q.Account == "" {
		length = engine.Query(b, count, `SELECT {}, `+until, highest)
	} else {
		length = engine.Query(b, count, `
			WITH RECURSIVE list AS (
				SELECT a.id, `+until+` AS last_tx FROM {accounts}.account a WHERE a.account = $2
			), halving (low, high) AS (
				SELECT 0::bigint, coalesce((SELECT t.n FROM {accounts}.account_transaction t WHERE t.account = list.id ORDER BY t.n DESC LIMIT 1), 0)::bigint FROM list
				UNION ALL
				SELECT CASE WHEN middle.tx <= list.last_tx THEN middle.n ELSE low END, CASE WHEN middle.tx <= list.last_tx THEN high ELSE middle.n - 1 END
				FROM halving CROSS JOIN list
				CROSS JOIN LATERAL (SELECT t.n::bigint, t.tx FROM {accounts}.account_transaction t WHERE t.account = list.id AND t.n = (low + high + 1) / 2) middle
				WHERE low < high
			)
			SELECT {}, low FROM halving WHERE low = high`, highest, q.Account)
	}
	if err := b.Run(ctx); err != nil {
		return 0, nil, err
	}
	total, _ = length.First()
	last := total - q.Offset
	if last <= 0 {
		return total, nil, nil
	}
	from := `{accounts}.transaction x WHERE x.n BETWEEN $1 AND $2`
	arguments := []any{max(last-q.Limit+1, 1), last}
	if q.Account != "" {
		from = `{accounts}.account a JOIN {accounts}.account_transaction t ON t.account = a.id AND t.n BETWEEN $1 AND $2
			JOIN {accounts}.transaction x ON x.n = t.tx WHERE a.account = $3`
		arguments = append(arguments, q.Account)
	}
	b = s.Batch()
	found := engine.Query(b, func(p *place) []any { return []any{&p.key.Seq, &p.key.Index, &p.height} },
		`SELECT ARRAY[x.source_seq], x.source_seq, x.tx_index, x.height FROM `+from+` ORDER BY x.n DESC`, arguments...)
	if err := b.Run(ctx); err != nil {
		return 0, nil, err
	}
	return total, found.Rows, nil
}
