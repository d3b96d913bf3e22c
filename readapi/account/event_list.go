package account

import (
	"context"
	"math"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/view"
)

// accountEventKinds are the numbers that the projection accounts has for kinds of events of accounts, by the types of events
// of nodes.
var accountEventKinds = map[string]int16{
	"stx_transfer_event": 1, "stx_mint_event": 2, "stx_burn_event": 3, "ft_transfer_event": 4, "ft_mint_event": 5, "ft_burn_event": 6,
	"nft_transfer_event": 7, "nft_mint_event": 8, "nft_burn_event": 9, "stx_lock_event": 10,
}

// Two lists of events of an account: those that move or lock something of it, and what it prints, if it is a contract.
var (
	movesOf  = view.AccountEvents.WithOwner("$1")
	printsOf = (&page.Numbered{Table: `{accounts}.contract_event`, Number: "n", Tx: "tx", Rows: `r.contract = ` + view.AccountID}).WithOwner("$1")
)

// eventPlace is where an event stands among all: the place of its transaction, and its index in that.
type eventPlace struct{ place, index *int64 }

func parseEventPlace(cursor string) (p eventPlace) {
	place, index, ok := strings.Cut(cursor, ":")
	if !ok {
		return p
	}
	n, _ := strconv.ParseInt(place, 10, 64) // the pattern has been checked
	i, _ := strconv.ParseInt(index, 10, 64)
	return eventPlace{&n, &i}
}

func (p eventPlace) text() *string {
	if p.place == nil {
		return nil
	}
	text := strconv.FormatInt(*p.place, 10) + ":" + strconv.FormatInt(*p.index, 10)
	return &text
}

// eventsUpTo is SQL for how many rows of a list of events there are up to the place $2, $3; without one, all.
func eventsUpTo(l *page.Numbered) string {
	return l.Sql(`CASE WHEN $2::bigint IS NULL THEN coalesce((SELECT r.n FROM {table} r WHERE {rows} ORDER BY r.n DESC LIMIT 1), 0)::bigint ELSE (
					SELECT tx.low + (SELECT count(*) FROM {table} r WHERE {rows} AND r.n > tx.low AND r.n <= tx.high AND r.event_index <= $3::bigint)
					FROM (SELECT {low} AS low, {high} AS high OFFSET 0) tx
				) END`, "{low}", l.Before("$2::bigint"), "{high}", l.Before("($2::bigint + 1)"))
}

// mergedPage is SQL for where a page of both lists together begins: with the rows page.moves and page.prints of them. Of so
// many rows before the page, $4, it is found by halving how many are of the first list. Arguments:
//
//	$1      the account
//	$2, $3  where the event stands that rows are counted from; null for the newest
//	$4      rows before the page, of all
//	$5      kinds of moves that are listed; null for all
//	$6      whether prints are
//	$7      rows that are looked through in each list
//	$8      rows of them that are taken
//	$9, $10 rows before the page, of those that are listed, and rows of a page
var mergedPage = `(
			SELECT ends.moves - chosen.n AS moves, ends.prints - ($4::bigint - chosen.n) AS prints
			FROM (
				SELECT ` + eventsUpTo(movesOf) + ` AS moves, CASE WHEN $6::boolean THEN ` + eventsUpTo(printsOf) + ` ELSE 0 END AS prints
				WHERE ($5::smallint[], $7::bigint, $8::bigint, $9::bigint, $10::bigint) IS DISTINCT FROM (NULL::smallint[], 0, 0, 0, 0) OFFSET 0
			) ends
			CROSS JOIN LATERAL (
				WITH RECURSIVE halving (low, high) AS (
					SELECT greatest(0, $4::bigint - ends.prints), least($4::bigint, ends.moves) WHERE $4::bigint <= ends.moves + ends.prints
					UNION ALL
					SELECT CASE WHEN middle.enough THEN low ELSE middle.n + 1 END, CASE WHEN middle.enough THEN middle.n ELSE high END
					FROM halving
					CROSS JOIN LATERAL (SELECT (low + high) / 2 AS n OFFSET 0) half
					CROSS JOIN LATERAL (
						SELECT half.n, (m.tx, m.event_index) < (p.tx, p.event_index) AS enough
						FROM (` + movesOf.Sql(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = ends.moves - half.n LIMIT 1`) + `) m,
						     (` + printsOf.Sql(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = ends.prints - ($4::bigint - half.n) + 1 LIMIT 1`) + `) p
					) middle
					WHERE low < high
				)
				SELECT low AS n FROM halving WHERE low = high LIMIT 1
			) chosen
		) page
		LEFT JOIN LATERAL (
			SELECT r.tx, r.event_index FROM (
				(` + movesOf.Sql(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = page.moves - $7::bigint LIMIT 1`) + `)
				UNION ALL
				(` + printsOf.Sql(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = page.prints - $7::bigint LIMIT 1`) + `)
			) r ORDER BY r.tx DESC, r.event_index DESC LIMIT 1
		) unseen ON true `

// mergedRows is SQL for the rows of the page, and one more, from both lists.
var mergedRows = `
		CROSS JOIN LATERAL (
			SELECT * FROM (
				(` + movesOf.Sql(`SELECT r.n::bigint AS number, r.tx AS place, r.event_index, false AS printed FROM {table} r
				WHERE {rows} AND r.n <= page.moves AND r.n > page.moves - $7::bigint AND ($5::smallint[] IS NULL OR r.kind = ANY ($5)) ORDER BY r.n DESC LIMIT $8::bigint`) + `)
				UNION ALL
				(` + printsOf.Sql(`SELECT r.n::bigint, r.tx, r.event_index, true FROM {table} r
				WHERE {rows} AND $6::boolean AND r.n <= page.prints AND r.n > page.prints - $7::bigint ORDER BY r.n DESC LIMIT $8::bigint`) + `)
			) r
			WHERE unseen.tx IS NULL OR (r.place, r.event_index) > (unseen.tx, unseen.event_index)
			ORDER BY r.place DESC, r.event_index DESC OFFSET $9::bigint LIMIT $10::bigint + 1
		) r `

// mergedEvent is an event of either list.
type mergedEvent struct {
	listedEvent
	printed bool
}

// readMergedEvents reads a page of the events of an account, the newest first: those of some kinds, or all (nil). next is
// where the next page begins. With all kinds, or prints alone, a page costs the same wherever it is; else events are looked
// through, so many for a page, which may therefore have fewer rows than it could.
func readMergedEvents(ctx context.Context, s *engine.Snapshot, account string, nodeKinds []string, at eventPlace, offset int64, limit int) (events []mergedEvent, next eventPlace, err error) {
	kinds, prints := []int16(nil), nodeKinds == nil
	for _, kind := range nodeKinds {
		if number, ok := accountEventKinds[kind]; ok {
			kinds = append(kinds, number)
		} else {
			prints = true
		}
	}
	if len(kinds) == len(accountEventKinds) {
		kinds = nil
	} else if nodeKinds != nil && kinds == nil {
		kinds = []int16{0} // none
	}
	skipped, passed, examined, taken := min(offset, page.OffsetMax), int64(0), int64(math.MaxInt32), int64(limit)+1
	if kinds != nil {
		skipped, passed, examined, taken = 0, min(offset, page.OffsetMax), page.ExaminedMax, page.ExaminedMax
	}
	args := []any{account, at.place, at.index, skipped, kinds, prints, examined, taken, passed, int64(limit)}
	b := s.Batch()
	heads := engine.Query(b, func(p *eventPlace) []any { return []any{&p.place, &p.index} }, `
		SELECT ARRAY[]::bigint[], unseen.tx, unseen.event_index::bigint FROM (SELECT 1) one LEFT JOIN (`+`SELECT page.*, unseen.tx, unseen.event_index FROM `+mergedPage+`) unseen ON true`, args...)
	found := engine.QueryPage(b, limit, func(e *mergedEvent) []any {
		return append(listedEventColumns(&e.listedEvent), &e.printed)
	}, `
		SELECT `+placedEventSQL+`, r.printed
		FROM `+mergedPage+mergedRows+placedEvent+`ORDER BY r.place DESC, r.event_index DESC`, args...)
	if err := b.RunLast(ctx); err != nil {
		return nil, next, err
	}
	next, _ = heads.First()
	if len(found.Rows) > limit {
		more := found.Rows[limit]
		index := int64(more.EventRow.Number)
		next = eventPlace{&more.place, &index}
	}
	return found.Rows[:min(len(found.Rows), limit)], next, nil
}
