package readapi

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"strata/domain/fetch"
	"strata/domain/token"
)

// tokenText reads what the projection of one kind has of tokens: a row for each document and image, or one without, in
// their order. There is at least one row.
const tokenText = `
SELECT array_remove(ARRAY[c.source_seq, c.read_seq, c.failed_seq, t.source_seq, t.read_seq, t.failed_seq,
	coalesce(d.source_seq, i.source_seq), coalesce(d.failed_seq, i.failed_seq)], NULL),
	asked.n, c.contract_id, c.height, c.source_seq, c.read_height, c.read_seq, c.failed_seq, c.reason, c.txid,
	c.fungible_token, c.non_fungible_token, c.last_token_id::text,
	t.height, t.source_seq, t.read_height, t.read_seq, t.read_at, t.failed_seq, t.reason, t.decimals, t.total_supply::text, t.uri, t.name, t.symbol,
	r.role, r.locale, coalesce(d.uri, i.uri), coalesce(d.source_seq, i.source_seq), coalesce(d.failed_seq, i.failed_seq),
	coalesce(d.reason, i.reason), coalesce(d.fetched_at, i.fetched_at), d.content, i.sha256, i.content_type, i.width, i.height{want columns}
FROM {contracts}
LEFT JOIN {projection}.token t ON t.contract_id = c.contract_id AND t.token_id = asked.token_id::numeric
LEFT JOIN {projection}.reference r ON r.contract_id = t.contract_id AND r.token_id = t.token_id AND ({all locales} OR r.locale IN ('', {locale}))
LEFT JOIN {projection}.document d ON r.role = 'document' AND d.uri_hash = r.uri_hash
LEFT JOIN {projection}.image i ON r.role = 'image' AND i.uri_hash = r.uri_hash{wants}
ORDER BY asked.n, r.role, r.locale`

// Two texts for each kind. That of one token is the usual case; only it has what is wanted. That of many has no rows for
// tokens of other kinds, but one in any case: the first query of a batch needs it. Its arrays come from sub-selects, so that
// Postgres can't see how long they are: a plan of its own for each short list would cost it more than to read the list.
var (
	oneTokenSQL = tokenTexts(
		"{contracts}", `(VALUES (1::bigint, $1::text, $2::text, $3::bytea)) AS asked (n, contract_id, token_id, want)
LEFT JOIN {projection}.contract c ON c.contract_id = asked.contract_id`,
		"{all locales}", "$4", "{locale}", "$5",
		"{want columns}", `,
	tw.due_at, tw.attempts, tw.severity, rw.due_at, rw.attempts, rw.severity`,
		"{wants}", `
LEFT JOIN {projection}.want tw ON tw.key_hash = asked.want
LEFT JOIN {projection}.want rw ON rw.key_hash = sha256(convert_to(r.role || ' ' || coalesce(d.uri, i.uri), 'UTF8'))`)
	manyTokensSQL = tokenTexts(
		"{contracts}", `(VALUES (1)) AS always
LEFT JOIN (
	ROWS FROM (unnest((SELECT $1::text[])), unnest((SELECT $2::text[]))) WITH ORDINALITY AS asked (contract_id, token_id, n)
	JOIN {projection}.contract c ON c.contract_id = asked.contract_id
) ON true`,
		"{all locales}", "$3", "{locale}", "$4", "{want columns}", "", "{wants}", "")
)

// tokenTexts fills in tokenText.
func tokenTexts(pairs ...string) map[token.Kind]string {
	return ofKinds(strings.NewReplacer(pairs...).Replace(tokenText))
}

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
func queryTokens(b *batch, kinds []token.Kind, of locales, named ...namedToken) func() []knownToken {
	found := map[token.Kind]*result[foundRow]{}
	if len(named) == 1 {
		n := named[0]
		for _, kind := range kinds {
			found[kind] = query(b, foundColumnsWithWants, oneTokenSQL[kind], n.contract, n.text(), readKey(kind, n), of.all, of.one)
		}
	} else {
		contracts, ids := make([]string, len(named)), make([]*string, len(named))
		for i, n := range named {
			contracts[i], ids[i] = n.contract, n.text()
		}
		for _, kind := range kinds {
			found[kind] = query(b, foundColumns, manyTokensSQL[kind], contracts, ids, of.all, of.one)
		}
	}
	return func() []knownToken {
		known := make([]knownToken, len(named))
		for _, kind := range kinds {
			rows := found[kind].rows
			for i := range rows {
				if n := rows[i].n; n != nil {
					rows[i].add(&known[*n-1], kind)
				}
			}
		}
		return known
	}
}

// findToken reads what is known of one token, which is most likely of a kind. Function also may add queries to the first
// batch.
func findToken(ctx context.Context, s *snapshot, likely token.Kind, of locales, named namedToken, also func(b *batch)) (known knownToken, err error) {
	for turn, kinds := range kindsInTurn(s, likely) {
		b := s.batch()
		found := queryTokens(b, kinds, of, named)
		if turn == 0 {
			also(b)
		}
		if err := b.runLast(ctx); err != nil {
			return known, err
		}
		if known = found()[0]; known.contract != nil {
			break
		}
	}
	return known, nil
}

// kindsInTurn are the active kinds in the order in which to look for a token. Most who ask know the kind, and tables that
// have no row of it cost as much as those that have one, so the likely kind comes first. Each turn is a round trip: a
// transaction, which ends with its only one, looks for all kinds at once.
func kindsInTurn(s *snapshot, likely token.Kind) [][]token.Kind {
	active := activeKinds(s)
	i := slices.Index(active, likely)
	if s.assumed == nil || i < 0 || len(active) == 1 {
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
