package account

import (
	"context"
	"math"
	"strconv"
	"strings"

	"strata/domain/activity"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/view"
)

// An account, $1, has two lists of events: moveList has those that move or lock an asset of the account, printList
// those that the account printed, if it is a contract.
var (
	moveList  = ownEvents
	printList = (&page.Numbered{Table: `{accounts}.contract_event`, Number: "n", Tx: "tx", Rows: `r.contract = ` + view.AccountID}).WithOwner("$1")
)

// eventPlace is the position of an event in the whole chain: the number of its transaction and its index within that
// transaction. Both are nil for no position.
type eventPlace struct{ place, index *int64 }

// parseEventPlace parses a cursor. An empty cursor is no position.
func parseEventPlace(cursor string) (p eventPlace) {
	place, index, ok := strings.Cut(cursor, ":")
	if !ok {
		return p
	}
	n, _ := strconv.ParseInt(place, 10, 64) // the pattern has been checked
	i, _ := strconv.ParseInt(index, 10, 64)
	return eventPlace{&n, &i}
}

// text returns the position as a cursor; nil for no position.
func (p eventPlace) text() *string {
	if p.place == nil {
		return nil
	}
	text := strconv.FormatInt(*p.place, 10) + ":" + strconv.FormatInt(*p.index, 10)
	return &text
}

// eventsUpToSQL returns SQL for the number of rows of a list of events up to the event at place $2 and index $3, or of
// all rows when $2 is null.
func eventsUpToSQL(l *page.Numbered) string {
	return l.SQL(`CASE WHEN $2::bigint IS NULL THEN coalesce((SELECT r.n FROM {table} r WHERE {rows} ORDER BY r.n DESC LIMIT 1), 0)::bigint ELSE (
					SELECT tx.low + (SELECT count(*) FROM {table} r WHERE {rows} AND r.n > tx.low AND r.n <= tx.high AND r.event_index <= $3::bigint)
					FROM (SELECT {low} AS low, {high} AS high OFFSET 0) tx
				) END`, "{low}", l.Before("$2::bigint"), "{high}", l.Before("($2::bigint + 1)"))
}

// skippedMoves is an SQL expression for how many of the $4 skipped rows of both lists are moves; null when the lists have
// fewer rows. It is the least number of moves that leaves no print above the first move that is not skipped.
var skippedMoves = page.Bisection{
	Low: `greatest(0, $4::bigint - ends.prints)`, High: `least($4::bigint, ends.moves)`,
	If: `$4::bigint <= ends.moves + ends.prints`,
	Probe: `
				SELECT half.n, (m.tx, m.event_index) < (p.tx, p.event_index) AS holds
				FROM (SELECT {middle} AS n OFFSET 0) half
				CROSS JOIN LATERAL (` + moveList.SQL(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = ends.moves - half.n LIMIT 1`) + `) m
				CROSS JOIN LATERAL (` + printList.SQL(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = ends.prints - ($4::bigint - half.n) + 1 LIMIT 1`) + `) p`,
}.First()

// mergedPageSQL is SQL that finds where a page of both lists, merged newest first, begins: page.moves and page.prints
// are the numbers of the newest row of each list that may be on the page. A binary search finds how many of the $4
// skipped rows belong to the moves. unseen is the newest event that the page does not examine; null when it examines
// all. Arguments:
//
//	$1      account
//	$2, $3  position (place, index) of the event to count from; null for the newest
//	$4      number of rows to skip, whatever their kind
//	$5      kinds of moves to list; null for all
//	$6      whether to list prints
//	$7      maximum number of rows to examine in each list
//	$8      maximum number of matching rows to take from each list
//	$9, $10 number of matching rows to skip, and page size
var mergedPageSQL = `(
			SELECT ends.moves - chosen.n AS moves, ends.prints - ($4::bigint - chosen.n) AS prints
			FROM (
				SELECT ` + eventsUpToSQL(moveList) + ` AS moves, CASE WHEN $6::boolean THEN ` + eventsUpToSQL(printList) + ` ELSE 0 END AS prints
				WHERE ($5::smallint[], $7::bigint, $8::bigint, $9::bigint, $10::bigint) IS DISTINCT FROM (NULL::smallint[], 0, 0, 0, 0) OFFSET 0
			) ends
			CROSS JOIN LATERAL (SELECT * FROM (SELECT ` + skippedMoves + ` AS n OFFSET 0) found WHERE n IS NOT NULL) chosen
		) page
		LEFT JOIN LATERAL (
			SELECT r.tx, r.event_index FROM (
				(` + moveList.SQL(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = page.moves - $7::bigint LIMIT 1`) + `)
				UNION ALL
				(` + printList.SQL(`SELECT r.tx, r.event_index FROM {table} r WHERE {rows} AND r.n = page.prints - $7::bigint LIMIT 1`) + `)
			) r ORDER BY r.tx DESC, r.event_index DESC LIMIT 1
		) unseen ON true `

// mergedRowsSQL is SQL, to follow mergedPageSQL, for the rows of the page from both lists, and one more.
var mergedRowsSQL = `
		CROSS JOIN LATERAL (
			SELECT * FROM (
				(` + moveList.SQL(`SELECT {shown} AS shown, r.n::bigint AS number, r.tx AS place, r.event_index, false AS printed FROM {table} r
				WHERE {rows} AND r.n <= page.moves AND r.n > page.moves - $7::bigint AND ($5::smallint[] IS NULL OR r.kind = ANY ($5)) ORDER BY r.n DESC LIMIT $8::bigint`) + `)
				UNION ALL
				(` + printList.SQL(`SELECT {shown}, r.n::bigint, r.tx, r.event_index, true FROM {table} r
				WHERE {rows} AND $6::boolean AND r.n <= page.prints AND r.n > page.prints - $7::bigint ORDER BY r.n DESC LIMIT $8::bigint`) + `)
			) r
			WHERE unseen.tx IS NULL OR (r.place, r.event_index) > (unseen.tx, unseen.event_index)
			ORDER BY r.place DESC, r.event_index DESC OFFSET $9::bigint LIMIT $10::bigint + 1
		) r `

// unseenSQL selects the newest event that the page does not examine, and mergedSQL the rows of the page.
var (
	unseenSQL = `
		SELECT {}, unseen.tx, unseen.event_index::bigint
		FROM (SELECT 1) one LEFT JOIN (SELECT page.*, unseen.tx, unseen.event_index FROM ` + mergedPageSQL + `) unseen ON true`
	mergedSQL = `
		SELECT r.shown || ` + placedEventSQL + `, r.printed
		FROM ` + mergedPageSQL + mergedRowsSQL + placedEventJoin + `ORDER BY r.place DESC, r.event_index DESC`
)

func mergedColumns(e *listedEvent) []any { return append(listedEventColumns(e), &e.printed) }

// readMergedEvents reads a page of the events of an account, newest first. nodeKinds are the node's event types to
// list; nil lists all. next is where the next page begins. A page of all kinds of moves, with or without prints, costs
// the same at any depth. For other kinds the query examines at most page.ExaminedMax rows of each list, so the page may
// be short although more events match.
func readMergedEvents(
	ctx context.Context, s *engine.Snapshot, account string, nodeKinds []string, start eventPlace, offset int64, limit int,
) (events []listedEvent, next eventPlace, err error) {
	kinds, prints := []int16(nil), nodeKinds == nil
	for _, kind := range nodeKinds {
		if number, ok := activity.Kinds[kind]; ok {
			kinds = append(kinds, int16(number))
		} else {
			prints = true
		}
	}
	if len(kinds) == len(activity.Kinds) {
		kinds = nil
	} else if nodeKinds != nil && kinds == nil {
		kinds = []int16{0} // none
	}
	// With all kinds the offset is arithmetic on row numbers; with some, the query has to read the rows that it skips.
	skipped, skippedMatches, examined, taken := min(offset, page.OffsetMax), int64(0), int64(math.MaxInt32), int64(limit)+1
	if kinds != nil {
		skipped, skippedMatches, examined, taken = 0, min(offset, page.OffsetMax), page.ExaminedMax, page.ExaminedMax
	}
	args := []any{account, start.place, start.index, skipped, kinds, prints, examined, taken, skippedMatches, int64(limit)}
	b := s.Batch()
	unseen := engine.Query(b, func(p *eventPlace) []any { return []any{&p.place, &p.index} }, unseenSQL, args...)
	found := engine.QueryPage(b, limit, mergedColumns, mergedSQL, args...)
	if err := b.Run(ctx); err != nil {
		return nil, next, err
	}
	next, _ = unseen.First()
	if len(found.Rows) > limit {
		extra := found.Rows[limit]
		index := int64(extra.Number)
		next = eventPlace{&extra.place, &index}
	}
	return found.Rows[:min(len(found.Rows), limit)], next, nil
}
