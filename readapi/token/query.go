package token

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

// What is read of a contract and a token, and of each document and image that the token refers to. Queries of it have no
// events of their own in the first column: foundRow knows which they are. An index is not searched for a key that is null,
// as it would be to find out later that the role is another one.
const (
	tokenColumns = `c.contract_id, c.height, c.source_seq, c.read_height, c.read_seq, c.failed_seq, c.reason, c.txid,
	c.fungible_token, c.non_fungible_token, c.last_token_id::text,
	t.height, t.source_seq, t.read_height, t.read_seq, t.read_at, t.failed_seq, t.reason, t.decimals, t.total_supply::text, t.uri, t.name, t.symbol`
	resourceColumns = `r.role, r.locale, coalesce(d.uri, i.uri), coalesce(d.source_seq, i.source_seq), coalesce(d.failed_seq, i.failed_seq),
	coalesce(d.reason, i.reason), coalesce(d.fetched_at, i.fetched_at), d.content, i.sha256, i.content_type, i.width, i.height`
	resourceTables = `
LEFT JOIN {projection}.document d ON d.uri_hash = CASE r.role WHEN 'document' THEN r.uri_hash END
LEFT JOIN {projection}.image i ON i.uri_hash = CASE r.role WHEN 'image' THEN r.uri_hash END`
)

// Two texts for each kind: of one token, which is the usual case, and of many. There is a row for each document and image,
// or one without, in their order.
var (
	// oneTokenSQL reads a token with what is wanted, where that matters: it always does when everything is asked for, and
	// otherwise once something has failed. The sub-select keeps the many columns of the token out of the joins of its
	// resources: to make a plan ready takes longer than to run it, and as long as its joins are wide. In it the order is
	// that of the index, and a single row is joined with it, so the whole has it, too.
	oneTokenSQL = ofKinds(`
SELECT NULL::bigint[], 1::bigint, ` + tokenColumns + `, resource.*, w.due_at, w.attempts, w.severity
FROM (VALUES (1)) AS always
LEFT JOIN {projection}.contract c ON c.contract_id = $1
LEFT JOIN {projection}.token t ON t.contract_id = c.contract_id AND t.token_id = $2::text::numeric
LEFT JOIN {projection}.want w ON w.key_hash = CASE WHEN $4 OR t.reason <> 0 OR t.failed_seq IS NOT NULL THEN $3::bytea END
LEFT JOIN LATERAL (
	SELECT ` + resourceColumns + `, w.due_at, w.attempts, w.severity
	FROM {projection}.reference r` + resourceTables + `
	LEFT JOIN {projection}.want w ON w.key_hash =
		CASE WHEN $4 OR coalesce(d.reason, i.reason) <> 0 OR coalesce(d.failed_seq, i.failed_seq) IS NOT NULL
		THEN sha256(convert_to(r.role || ' ' || coalesce(d.uri, i.uri), 'UTF8')) END
	WHERE r.contract_id = t.contract_id AND r.token_id = t.token_id AND ($4::boolean OR r.locale IN ('', $5))
	ORDER BY r.role, r.locale
) AS resource ON true`)

	// manyTokensSQL has no rows for tokens of other kinds, but one in any case: the first query of a batch needs it. Its
	// arrays come from sub-selects, so that Postgres can't see how long they are: a plan of its own for each short list
	// would cost it more than to read the list.
	manyTokensSQL = ofKinds(`
SELECT NULL::bigint[], asked.n, ` + tokenColumns + `, ` + resourceColumns + `
FROM (VALUES (1)) AS always
LEFT JOIN (
	ROWS FROM (unnest((SELECT $1::text[])), unnest((SELECT $2::text[]))) WITH ORDINALITY AS asked (contract_id, token_id, n)
	JOIN {projection}.contract c ON c.contract_id = asked.contract_id
) ON true
LEFT JOIN {projection}.token t ON t.contract_id = c.contract_id AND t.token_id = asked.token_id::numeric
LEFT JOIN {projection}.reference r ON r.contract_id = t.contract_id AND r.token_id = t.token_id AND ($3 OR r.locale IN ('', $4))` + resourceTables + `
ORDER BY asked.n, r.role, r.locale`)
)

// ofKinds is a query for each kind, where {projection} stands for the kind's. Texts are made once: it is their text that
// prepared statements are found by.
func ofKinds(text string) map[token.Kind]string {
	texts := map[token.Kind]string{}
	for _, kind := range tokenKinds {
		texts[kind] = strings.ReplaceAll(text, "{projection}", "{"+string(kind)+"}")
	}
	return texts
}

// locales says of which documents and images to read.
type locales struct {
	all bool
	one string // and those of the token itself
}

// queryTokens adds queries for what is known of tokens to a batch. What it returns gives it, in the order of the request,
// once the batch has run. Contracts that are not known, or can't be while no projection is active, have none. A contract
// is of one kind.
func queryTokens(s *engine.Snapshot, b *engine.Batch, kinds []token.Kind, of locales, named ...namedToken) func() []knownToken {
	found := map[token.Kind]*engine.Result[foundRow]{}
	if len(named) == 1 {
		n := named[0]
		for _, kind := range kinds {
			found[kind] = engine.Query(b, foundColumnsWithWants, oneTokenSQL[kind], n.contract, n.text(), readKey(kind, n), of.all, of.one)
		}
	} else {
		contracts, ids := make([]string, len(named)), make([]*string, len(named))
		for i, n := range named {
			contracts[i], ids[i] = n.contract, n.text()
		}
		for _, kind := range kinds {
			found[kind] = engine.Query(b, foundColumns, manyTokensSQL[kind], contracts, ids, of.all, of.one)
		}
	}
	return func() []knownToken {
		known := make([]knownToken, len(named))
		for _, kind := range kinds {
			rows := found[kind].Rows
			for i := range rows {
				if n := rows[i].n; n != nil {
					rows[i].add(&known[*n-1], kind)
					s.Provenance.Sources = rows[i].appendSources(s.Provenance.Sources)
				}
			}
		}
		return known
	}
}

// findToken reads what is known of one token, which is most likely of a kind. Function also, unless it is nil, adds
// queries to the first batch.
func findToken(ctx context.Context, s *engine.Snapshot, likely token.Kind, of locales, named namedToken, also func(b *engine.Batch)) (known knownToken, err error) {
	for turn, kinds := range kindsInTurn(s, likely) {
		b := restrictedTo(s, kinds).Batch()
		if also != nil {
			b = s.Batch()
		}
		found := queryTokens(s, b, kinds, of, named)
		if turn == 0 && also != nil {
			also(b)
		}
		if err := b.RunLast(ctx); err != nil {
			return known, err
		}
		if known = found()[0]; known.contract != nil {
			break
		}
	}
	return known, nil
}

// ofKinds is the snapshot for batches that read the tables of some kinds alone: where other projections stand says nothing
// about their rows, and is not asked.
func restrictedTo(s *engine.Snapshot, kinds []token.Kind) *engine.Snapshot {
	if s.Assumed == nil {
		return s
	}
	narrow := *s
	narrow.Assumed = make([]*register.Version, 0, len(kinds))
	for _, v := range s.Assumed {
		if slices.Contains(kinds, token.Kind(v.Name)) {
			narrow.Assumed = append(narrow.Assumed, v)
		}
	}
	return &narrow
}

// kindsInTurn are the active kinds in the order in which to look for a token. Most who ask know the kind, and tables that
// have no row of it cost as much as those that have one, so the likely kind comes first. Each turn is a round trip: a
// transaction, which ends with its only one, looks for all kinds at once.
func kindsInTurn(s *engine.Snapshot, likely token.Kind) [][]token.Kind {
	active := activeKinds(s)
	i := slices.Index(active, likely)
	if s.Assumed == nil || i < 0 || len(active) == 1 {
		return [][]token.Kind{active}
	}
	return [][]token.Kind{{likely}, slices.Delete(slices.Clone(active), i, i+1)}
}

// readKey is where the table of wants has the reading of a token; nil for what can't be one.
func readKey(kind token.Kind, n namedToken) []byte {
	if n.id == nil {
		return nil
	}
	key := sha256.Sum256([]byte(fetch.Want{Kind: fetch.ContractRead, Contract: n.contract, Calls: token.Calls(kind, n.id)}.Key()))
	return key[:]
}
