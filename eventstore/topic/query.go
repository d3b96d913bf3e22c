package topic

import (
	"fmt"
	"strconv"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
)

// bounds of one query. They are written into its text, not passed as arguments: a LIMIT that the planner does not
// know is taken for a tenth of the log.
type bounds struct {
	events int   // messages
	bytes  int64 // of bodies, for more than one message
	window int   // positions to look through for a path
}

// eventColumns are the columns of a row as UnmarshalMessage reads them; three about the window follow. The body is
// looked up for those rows alone that are returned.
const eventColumns = `seq, received_at, source, path, content_type, origin,
       CASE WHEN wanted THEN (SELECT holder.body FROM log.event holder WHERE holder.seq = counted.body_seq) END AS body`

// pageColumns of log.event; $%d is the paths whose bodies are wanted.
const pageColumns = `seq, received_at, source, path, content_type, coalesce(origin, '') AS origin, size,
           coalesce(body_seq, seq) AS body_seq, ($%[1]d::text[] IS NULL OR path = ANY ($%[1]d)) AS wanted`

// countedSQL numbers the rows and adds up the sizes of the bodies that are wanted.
const countedSQL = `SELECT *, row_number() OVER rising AS number,
           sum(CASE WHEN wanted THEN size ELSE 0 END) OVER rising AS total
    FROM page %s WINDOW rising AS (ORDER BY seq ROWS UNBOUNDED PRECEDING)`

// selectAll reads every event after the position that next selects. When next selects nothing there is nothing to
// read: the position is not known, or somebody else has it.
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

// selectPath reads the events of one path among the next b.window positions. There is no index on the path. When
// these positions hold none of it, one row with seq 0 comes back, which says which positions they were, and whether
// there may be more. known is what such a row said before: it need not be looked through again.
func selectPath(next wsql.Query, b bounds, paths []string, path string, known span) wsql.Query {
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
		Args: append(append([]any{}, next.Args...), paths, path, known.after, known.to),
	}
}

func placeholder(n int) string { return "$" + strconv.Itoa(n) }
