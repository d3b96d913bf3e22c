package topic

import (
	"fmt"
	"strconv"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
)

// bounds are the limits of one query. They are written into its text, not passed as arguments, because the planner takes
// an unknown LIMIT for a tenth of the table.
type bounds struct {
	events int   // maximum number of messages
	bytes  int64 // maximum size of all bodies, if there is more than one message
	window int   // number of positions to search for events of a path
}

// eventColumns are the columns that UnmarshalMessage reads; three columns about the window follow them. The query looks
// up the bodies only for the rows that it returns.
const eventColumns = `seq, received_at, source, path, content_type, origin,
       CASE WHEN wanted THEN (SELECT holder.body FROM log.event holder WHERE holder.seq = counted.body_seq) END AS body`

// pageColumns are columns of log.event. The parameter %[1]d holds the paths whose bodies are fetched.
const pageColumns = `seq, received_at, source, path, content_type, coalesce(origin, '') AS origin, size,
           coalesce(body_seq, seq) AS body_seq, ($%[1]d::text[] IS NULL OR path = ANY ($%[1]d)) AS wanted`

// countedSQL numbers the rows and sums up the sizes of the bodies to fetch.
const countedSQL = `SELECT *, row_number() OVER rising AS number,
           sum(CASE WHEN wanted THEN size ELSE 0 END) OVER rising AS total
    FROM page %s WINDOW rising AS (ORDER BY seq ROWS UNBOUNDED PRECEDING)`

// selectAll reads every event after the position that the query next selects. If next selects nothing, it reads nothing:
// the position does not exist, or another subscriber has locked it.
func selectAll(next wsql.Query, b bounds, paths []string) wsql.Query {
	n := len(next.Args)
	return wsql.Query{
		Query: `
WITH start (position) AS MATERIALIZED (
    ` + next.Query + `
), page AS MATERIALIZED (
    SELECT ` + fmt.Sprintf(pageColumns, n+1) + `
    FROM log.event
    WHERE seq > (SELECT position FROM start)
    ORDER BY seq LIMIT ` + strconv.Itoa(b.events) + `
), counted AS (
    ` + fmt.Sprintf(countedSQL, ``) + `
)
SELECT ` + eventColumns + `, 0::bigint AS scanned_after, 0::bigint AS scanned_to, false AS window_full
FROM counted
WHERE number = 1 OR total <= ` + strconv.FormatInt(b.bytes, 10) + `
ORDER BY seq`,
		Args: append(append([]any{}, next.Args...), paths),
	}
}

// selectPath reads the events of one path among the next b.window positions, since there is no index on the path. If
// these positions hold no such event, it returns one row with seq 0. That row holds the span of the positions, and
// whether there may be more. The query skips the span searched, which an earlier query found without such an event.
func selectPath(next wsql.Query, b bounds, paths []string, path string, searched span) wsql.Query {
	n := len(next.Args)
	return wsql.Query{
		Query: `
WITH start (position) AS MATERIALIZED (
    ` + next.Query + `
), page AS MATERIALIZED (
    SELECT ` + fmt.Sprintf(pageColumns, n+1) + `, path = ` + placeholder(n+2) + ` AS matching
    FROM log.event
    WHERE seq > (SELECT CASE WHEN position >= ` + placeholder(n+3) + `::bigint THEN greatest(position, ` + placeholder(n+4) + `::bigint) ELSE position END FROM start)
    ORDER BY seq LIMIT ` + strconv.Itoa(b.window) + `
), counted AS (
    ` + fmt.Sprintf(countedSQL, `WHERE matching`) + `
)
SELECT ` + eventColumns + `, 0::bigint AS scanned_after, 0::bigint AS scanned_to, false AS window_full
FROM counted
WHERE number = 1 OR (number <= ` + strconv.Itoa(b.events) + ` AND total <= ` + strconv.FormatInt(b.bytes, 10) + `)
UNION ALL
SELECT 0, now(), '', ` + placeholder(n+2) + `, '', '', NULL,
       (SELECT position FROM start), max(seq), count(*) = ` + strconv.Itoa(b.window) + `
FROM page HAVING count(*) > 0 AND NOT bool_or(matching)
ORDER BY seq`,
		Args: append(append([]any{}, next.Args...), paths, path, searched.after, searched.to),
	}
}

func placeholder(n int) string { return "$" + strconv.Itoa(n) }
