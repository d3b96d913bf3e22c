package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/activity"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// TransactionTypes is the query parameter that names types of transactions. It may be repeated, and each text may hold
// several names separated by commas.
type TransactionTypes []string

// Schema implements huma.SchemaProvider. The schema does not list the names, because a text may hold several; Numbers
// checks each name.
func (TransactionTypes) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Types of transactions to list: token_transfer, smart_contract, contract_call, poison_microblock, coinbase, tenure_change. To name several, repeat the parameter or separate the types with commas.",
		&huma.Schema{Type: huma.TypeString, Examples: []any{"token_transfer"}})
}

// Numbers returns the types as the projection numbers them, sorted and without duplicates; nil for all types.
func (p TransactionTypes) Numbers() (numbers []int16, err error) {
	for i, name := range param.SplitList(p) {
		before := len(numbers)
		for _, t := range activity.TxTypes {
			if t.String() == name {
				numbers = append(numbers, int16(t))
			}
		}
		if len(numbers) == before {
			return nil, engine.Invalid("querystring/type/%d must be equal to one of the allowed values", i)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// Typed is the list of the transactions of some types, which are the argument $9. Each block stores how many
// transactions of each type there are up to it, so a binary search finds the block with a row of any number; and the
// transactions of each type are numbered on their own. So a page costs the same at any depth.
type Typed struct{ OldestFirst bool }

// typedUpTo is the SQL expression for how many transactions of the requested types there are up to a block k. kindsOf
// is the FROM item that lists the count of each type.
var typedUpTo, kindsOf = func() (sum, kinds string) {
	var terms, rows []string
	for _, t := range activity.TxTypes {
		number := strconv.Itoa(int(t))
		terms = append(terms, "CASE WHEN "+number+" = ANY ($9::smallint[]) THEN k."+t.Column()+" ELSE 0 END")
		rows = append(rows, "("+number+"::smallint, coalesce(k."+t.Column()+", 0))")
	}
	return "(" + strings.Join(terms, " + ") + ")", "(VALUES " + strings.Join(rows, ", ") + ") kind (type, total)"
}()

// firstBlockOfPage is the SQL expression for the height of the first block with the page's first row at or below it.
var firstBlockOfPage = Bisection{
	Low:   `(SELECT k.height FROM {accounts}.block k ORDER BY k.height LIMIT 1)`,
	High:  `(SELECT k.height FROM {accounts}.block k ORDER BY k.height DESC LIMIT 1)`,
	If:    `page.start > page.low AND page.start <= page.high`,
	Probe: `SELECT k.height AS n, ` + typedUpTo + ` >= page.start AS holds FROM {accounts}.block k WHERE k.height = {middle} LIMIT 1`,
}.First()

// PageSQL implements List. It ignores positions in the chain: no page of this list begins at one.
func (l Typed) PageSQL() string {
	start := `least(bounds.high, $3::bigint) - $7::bigint`
	if l.OldestFirst {
		start = `greatest(bounds.low + 1, $3::bigint) + $7::bigint`
	}
	return `(
		SELECT bounds.low, bounds.high, ` + start + ` AS start
		FROM (
			SELECT coalesce((SELECT ` + typedUpTo + ` FROM {accounts}.block k WHERE k.height < $1::bigint ORDER BY k.height DESC LIMIT 1), 0) AS low,
			       coalesce((SELECT ` + typedUpTo + ` FROM {accounts}.block k WHERE k.height <= coalesce($2::bigint, 9223372036854775807) ORDER BY k.height DESC LIMIT 1), 0) AS high
			OFFSET 0
		) bounds
		WHERE ` + allArguments + ` OFFSET 0
	) page`
}

// RowsSQL implements List. The first row of the page is in the first block that has at least that many rows up to it;
// from there the lists of the types are merged.
func (l Typed) RowsSQL() string {
	const (
		newestFirst = `
				SELECT merged.*, merged.n AS place, k.upto + 1 - row_number() OVER (ORDER BY merged.n DESC) AS number
				FROM (SELECT k.*, ` + `{upto}` + ` AS upto FROM {accounts}.block k WHERE k.height = block.height OFFSET 0) k
				CROSS JOIN LATERAL {kinds}
				CROSS JOIN LATERAL (
					SELECT * FROM {accounts}.transaction t WHERE t.type = kind.type AND t.type_n <= kind.total
					ORDER BY t.type_n DESC LIMIT $8::bigint + k.upto - page.start
				) merged
				WHERE kind.type = ANY ($9::smallint[])`
		oldestFirst = `
				SELECT merged.*, merged.n AS place, k.upto + row_number() OVER (ORDER BY merged.n) AS number
				FROM (
					SELECT below.*, coalesce(below.total, 0) AS upto
					FROM (SELECT 1) one LEFT JOIN (SELECT k.*, {upto} AS total FROM {accounts}.block k WHERE k.height = block.height - 1) below ON true OFFSET 0
				) k
				CROSS JOIN LATERAL {kinds}
				CROSS JOIN LATERAL (
					SELECT * FROM {accounts}.transaction t WHERE t.type = kind.type AND t.type_n > kind.total
					ORDER BY t.type_n LIMIT $8::bigint + page.start - k.upto
				) merged
				WHERE kind.type = ANY ($9::smallint[])`
	)
	merged, window := newestFirst, `number <= page.start AND number > page.start - $8::bigint AND number > page.low`
	if l.OldestFirst {
		merged, window = oldestFirst, `number >= page.start AND number < page.start + $8::bigint AND number <= page.high`
	}
	return l.PageSQL() + `
		CROSS JOIN LATERAL (SELECT * FROM (SELECT ` + firstBlockOfPage + ` AS height OFFSET 0) found WHERE height IS NOT NULL) block
		CROSS JOIN LATERAL (
			SELECT * FROM (` + strings.NewReplacer("{upto}", typedUpTo, "{kinds}", kindsOf).Replace(merged) + `
			) typed WHERE ` + window + `
		) r `
}

// Order implements List.
func (l Typed) Order() string { return orderOf(l.OldestFirst) }

func (l Typed) neighboursSQL() string { return "" }

func (l Typed) ascends() bool { return l.OldestFirst }

func (l Typed) shown() string { return `{accounts.transaction r}` }
