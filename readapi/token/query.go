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

// Columns of a contract and a token, and of each document and image that the token refers to. The first column of these
// queries, which otherwise has the events behind a row, is NULL: joinedRow.appendSources returns the events. The joins
// of resourceTables compare with NULL when the role is the other one, as Postgres does not search an index for NULL.
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

// Two queries for each kind: for one token, which is the usual case, and for many. Both return a row for each document
// and image of a token, by role and locale, or one row if it has none.
var (
	// oneTokenSQL reads a token and its wants; of the reads of its contract, the one that is due first. Unless all locales
	// are requested, it reads a want only after a failure, as nobody needs it otherwise. The sub-select keeps the many columns of the token out of the joins of its
	// resources: preparing the plan takes longer than running it, the more so the wider its joins are. The sub-select
	// is sorted as the index is; it is joined with a single row, so its order is that of the result.
	oneTokenSQL = queryByKind(`
SELECT NULL::bigint[], 1::bigint, ` + tokenColumns + `, resource.*, w.due_at, w.attempts, w.severity
FROM (VALUES (1)) AS always
LEFT JOIN {projection}.contract c ON c.contract_id = $1
LEFT JOIN {projection}.token t ON t.contract_id = c.contract_id AND t.token_id = $2::text::numeric
LEFT JOIN {projection}.want w ON w.key_hash = CASE WHEN $4 OR t.reason <> 0 OR t.failed_seq IS NOT NULL
	THEN (SELECT key_hash FROM {projection}.want WHERE key_hash = ANY ($3::bytea[]) ORDER BY due_at, key_hash LIMIT 1) END
LEFT JOIN LATERAL (
	SELECT ` + resourceColumns + `, w.due_at, w.attempts, w.severity
	FROM {projection}.reference r` + resourceTables + `
	LEFT JOIN {projection}.want w ON w.key_hash =
		CASE WHEN $4 OR coalesce(d.reason, i.reason) <> 0 OR coalesce(d.failed_seq, i.failed_seq) IS NOT NULL
		THEN sha256(convert_to(r.role || ' ' || coalesce(d.uri, i.uri), 'UTF8')) END
	WHERE r.contract_id = t.contract_id AND r.token_id = t.token_id AND ($4::boolean OR r.locale IN ('', $5))
	ORDER BY r.role, r.locale
) AS resource ON true`)

	// manyTokensSQL returns no rows for tokens of other kinds, but always at least one row, as the first query of a
	// batch must. Its arrays come from sub-selects, so that Postgres cannot see their lengths: planning anew for each
	// short list would cost more than reading the list.
	manyTokensSQL = queryByKind(`
SELECT NULL::bigint[], requested.n, ` + tokenColumns + `, ` + resourceColumns + `
FROM (VALUES (1)) AS always
LEFT JOIN (
	ROWS FROM (unnest((SELECT $1::text[])), unnest((SELECT $2::text[]))) WITH ORDINALITY AS requested (contract_id, token_id, n)
	JOIN {projection}.contract c ON c.contract_id = requested.contract_id
) ON true
LEFT JOIN {projection}.token t ON t.contract_id = c.contract_id AND t.token_id = requested.token_id::numeric
LEFT JOIN {projection}.reference r ON r.contract_id = t.contract_id AND r.token_id = t.token_id AND ($3 OR r.locale IN ('', $4))` + resourceTables + `
ORDER BY requested.n, r.role, r.locale`)
)

// queryByKind returns the query for each kind, with {projection} replaced by the kind's. The texts are made once, as
// prepared statements are looked up by text.
func queryByKind(text string) map[token.Kind]string {
	texts := map[token.Kind]string{}
	for _, kind := range tokenKinds {
		texts[kind] = strings.ReplaceAll(text, "{projection}", "{"+string(kind)+"}")
	}
	return texts
}

// locales says which documents and images to read besides the token's own.
type locales struct {
	all bool
	one string // the only one, unless all is set; empty for none
}

// queryTokens adds queries for tokens to a batch. The function that it returns gives the tokens once the batch has run,
// in the order of refs; a token whose contract is not known, or whose projection has no active version, is a zero
// knownToken. A contract is of one kind, so at most one projection has it.
func queryTokens(s *engine.Snapshot, b *engine.Batch, kinds []token.Kind, of locales, refs ...tokenRef) func() []knownToken {
	found := map[token.Kind]*engine.Result[joinedRow]{}
	if len(refs) == 1 {
		n := refs[0]
		for _, kind := range kinds {
			found[kind] = engine.Query(b, joinedColumnsWithWants, oneTokenSQL[kind], n.contract, n.text(), readKeys(kind, n), of.all, of.one)
		}
	} else {
		contracts, ids := make([]string, len(refs)), make([]*string, len(refs))
		for i, n := range refs {
			contracts[i], ids[i] = n.contract, n.text()
		}
		for _, kind := range kinds {
			found[kind] = engine.Query(b, joinedColumns, manyTokensSQL[kind], contracts, ids, of.all, of.one)
		}
	}
	return func() []knownToken {
		known := make([]knownToken, len(refs))
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

// findToken reads one token, and says that the answer shows it, even if the answer is a failure. likely is the kind that it probably has, and also, unless it is nil, adds queries to the
// first batch.
func findToken(ctx context.Context, s *engine.Snapshot, likely token.Kind, of locales, ref tokenRef, also func(b *engine.Batch)) (known knownToken, err error) {
	s.TraceRows(func() []engine.Lookup { return tokenLookups(s, activeKinds(s), of, ref) })
	for turn, kinds := range kindsInTurn(s, likely) {
		b := restrictedTo(s, kinds).Batch()
		if also != nil {
			b = s.Batch()
		}
		found := queryTokens(s, b, kinds, of, ref)
		if turn == 0 && also != nil {
			also(b)
		}
		if err := b.Run(ctx); err != nil {
			return known, err
		}
		if known = found()[0]; known.contract != nil {
			break
		}
	}
	return known, nil
}

// restrictedTo returns the snapshot for batches that read the tables of the given kinds only, so that they do not check
// the positions of other projections.
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

// kindsInTurn returns the active kinds in the order in which to look for a token. The likely kind comes first: most
// clients know the kind, and a table without the token costs as much to read as the one that has it. Each turn is a
// round trip, so in a transaction, which ends with its only batch, all kinds are one turn.
func kindsInTurn(s *engine.Snapshot, likely token.Kind) [][]token.Kind {
	active := activeKinds(s)
	i := slices.Index(active, likely)
	if s.Assumed == nil || i < 0 || len(active) == 1 {
		return [][]token.Kind{active}
	}
	return [][]token.Kind{{likely}, slices.Delete(slices.Clone(active), i, i+1)}
}

// readKeys returns the keys of the wants to read a token, or its supply alone, from its contract; nil for a nil id.
func readKeys(kind token.Kind, n tokenRef) (keys [][]byte) {
	if n.id == nil {
		return nil
	}
	for _, calls := range [][]fetch.Call{token.Calls(kind, n.id), token.SupplyCalls(kind, n.id)} {
		key := sha256.Sum256([]byte(fetch.Want{Kind: fetch.ContractRead, Contract: n.contract, Calls: calls}.Key()))
		keys = append(keys, key[:])
	}
	return keys
}
