package readapi

import (
	"crypto/sha256"
	"strings"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
)

// contractRow is what the tables have of a contract.
type contractRow struct {
	kind       token.Kind
	id         string
	height     int64
	sourceSeq  int64
	readHeight *int64 // of the block at which it was asked for its tokens
	readSeq    *int64
	failedSeq  *int64
	reason     fetch.Reason
	txid       []byte
	fungible   *string
	nonFungible,
	lastTokenID *string
}

// tokenRow is what the tables have of a token.
type tokenRow struct {
	height      int64
	sourceSeq   int64
	readHeight  *int64
	readSeq     *int64
	readAt      *time.Time
	failedSeq   *int64
	reason      fetch.Reason
	decimals    *int32
	totalSupply *string
	uri         *string
	name        *string
	symbol      *string
	want        *wantRow
}

// resourceRow is what the tables have of a document or an image that a token refers to.
type resourceRow struct {
	role      fetch.Kind
	locale    string
	uri       string
	sourceSeq *int64 // nil: it was never had
	failedSeq *int64
	reason    fetch.Reason
	fetchedAt *time.Time
	content   *string
	facts     imageFacts
	want      *wantRow
}

// imageFacts are what was found in the bytes of an image.
type imageFacts struct {
	digest        []byte
	contentType   *string
	width, height *int32
}

// wantRow is when something is fetched next.
type wantRow struct {
	dueAt    time.Time
	attempts int32
	severity fetch.Severity
}

// knownToken is all that is known of a token that was asked for.
type knownToken struct {
	contract  *contractRow
	token     *tokenRow
	resources []resourceRow
}

// resource is a document or image; nil when the token has none in that locale.
func (k *knownToken) resource(role fetch.Kind, locale string) *resourceRow {
	for i := range k.resources {
		if r := &k.resources[i]; r.role == role && r.locale == locale {
			return r
		}
	}
	return nil
}

// kindSQL reads what the projection of one kind has of the token that asked names: a row for each document and image,
// or one without. A contract is of one kind, so that one of them has rows at most.
const kindSQL = `
	SELECT '{kind}'::text AS kind, c.contract_id, c.height, c.source_seq, c.read_height, c.read_seq, c.failed_seq, c.reason, c.txid,
	       c.fungible_token, c.non_fungible_token, c.last_token_id::text,
	       t.height AS t_height, t.source_seq AS t_source_seq, t.read_height AS t_read_height, t.read_seq AS t_read_seq, t.read_at, t.failed_seq AS t_failed_seq,
	       t.reason AS t_reason, t.decimals, t.total_supply::text AS total_supply, t.uri, t.name, t.symbol,
	       tw.due_at AS tw_due_at, tw.attempts AS tw_attempts, tw.severity AS tw_severity,
	       r.role, r.locale, coalesce(d.uri, i.uri) AS r_uri, coalesce(d.source_seq, i.source_seq) AS r_source_seq,
	       coalesce(d.failed_seq, i.failed_seq) AS r_failed_seq, coalesce(d.reason, i.reason) AS r_reason, coalesce(d.fetched_at, i.fetched_at) AS fetched_at, d.content,
	       i.sha256, i.content_type, i.width, i.height AS i_height,
	       rw.due_at AS rw_due_at, rw.attempts AS rw_attempts, rw.severity AS rw_severity
	FROM {projection}.contract c
	LEFT JOIN {projection}.token t ON t.contract_id = c.contract_id AND t.token_id = asked.token_id::numeric
	LEFT JOIN {projection}.want tw ON tw.key_hash = asked.{kind}_want
	LEFT JOIN {projection}.reference r ON r.contract_id = t.contract_id AND r.token_id = t.token_id AND ($6 OR r.locale IN ('', $7))
	LEFT JOIN {projection}.document d ON r.role = 'document' AND d.uri_hash = r.uri_hash
	LEFT JOIN {projection}.image i ON r.role = 'image' AND i.uri_hash = r.uri_hash
	LEFT JOIN {projection}.want rw ON rw.key_hash = sha256(convert_to(r.role || ' ' || coalesce(d.uri, i.uri), 'UTF8'))
	WHERE c.contract_id = asked.contract_id`

// Where the tokens that are asked for come from. One is the usual case, and without arrays Postgres plans it once for all.
const (
	askedOne  = `(VALUES ($1::text, $2::text, $3::bytea, $4::bytea, $5::bytea, 1::bigint))`
	askedMany = `ROWS FROM (unnest($1::text[]), unnest($2::text[]), unnest($3::bytea[]), unnest($4::bytea[]), unnest($5::bytea[])) WITH ORDINALITY`
)

// tokensSQL reads what is known of tokens in the projections of some kinds: at least one row for each that is asked.
func tokensSQL(asked string, kinds []token.Kind) string {
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, strings.NewReplacer("{kind}", string(kind), "{projection}", "{"+string(kind)+"}").Replace(kindSQL))
	}
	return `
SELECT array_remove(ARRAY[k.source_seq, k.read_seq, k.failed_seq, k.t_source_seq, k.t_read_seq, k.t_failed_seq, k.r_source_seq, k.r_failed_seq], NULL), asked.n, k.*
FROM ` + asked + ` AS asked (contract_id, token_id, ft_want, nft_want, sft_want, n)
LEFT JOIN LATERAL (` + strings.Join(parts, "\n\tUNION ALL") + `
) k ON true
ORDER BY asked.n, k.role, k.locale`
}

// foundRow is a row of tokensSQL.
type foundRow struct {
	n        int64
	kind     *string
	contract struct {
		id                             *string
		height, sourceSeq              *int64
		readHeight, readSeq, failedSeq *int64
		reason                         *int16
		txid                           []byte
		fungible, nonFungible, lastID  *string
	}
	token struct {
		height, sourceSeq              *int64
		readHeight, readSeq, failedSeq *int64
		readAt                         *time.Time
		reason                         *int16
		decimals                       *int32
		totalSupply, uri, name, symbol *string
		want                           foundWant
	}
	resource struct {
		role, locale, uri    *string
		sourceSeq, failedSeq *int64
		reason               *int16
		fetchedAt            *time.Time
		content              *string
		facts                imageFacts
		want                 foundWant
	}
}

type foundWant struct {
	dueAt    *time.Time
	attempts *int32
	severity *int16
}

func (w *foundWant) columns() []any { return []any{&w.dueAt, &w.attempts, &w.severity} }

func (w *foundWant) row() *wantRow {
	if w.dueAt == nil {
		return nil
	}
	return &wantRow{*w.dueAt, *w.attempts, fetch.Severity(*w.severity)}
}

func foundColumns(f *foundRow) []any {
	c, t, r := &f.contract, &f.token, &f.resource
	columns := []any{
		&f.n, &f.kind, &c.id, &c.height, &c.sourceSeq, &c.readHeight, &c.readSeq, &c.failedSeq, &c.reason, &c.txid, &c.fungible, &c.nonFungible, &c.lastID,
		&t.height, &t.sourceSeq, &t.readHeight, &t.readSeq, &t.readAt, &t.failedSeq, &t.reason, &t.decimals, &t.totalSupply, &t.uri, &t.name, &t.symbol,
	}
	columns = append(columns, t.want.columns()...)
	columns = append(columns, &r.role, &r.locale, &r.uri, &r.sourceSeq, &r.failedSeq, &r.reason, &r.fetchedAt, &r.content,
		&r.facts.digest, &r.facts.contentType, &r.facts.width, &r.facts.height)
	return append(columns, r.want.columns()...)
}

// add adds what a row has to what is known.
func (f *foundRow) add(k *knownToken) {
	if c := &f.contract; c.id != nil && k.contract == nil {
		k.contract = &contractRow{
			kind: token.Kind(*f.kind), id: *c.id, height: *c.height, sourceSeq: *c.sourceSeq, readHeight: c.readHeight, readSeq: c.readSeq,
			failedSeq: c.failedSeq, reason: fetch.Reason(*c.reason), txid: c.txid, fungible: c.fungible, nonFungible: c.nonFungible, lastTokenID: c.lastID,
		}
	}
	if t := &f.token; t.sourceSeq != nil && k.token == nil {
		k.token = &tokenRow{
			height: *t.height, sourceSeq: *t.sourceSeq, readHeight: t.readHeight, readSeq: t.readSeq, readAt: t.readAt, failedSeq: t.failedSeq,
			reason: fetch.Reason(*t.reason), decimals: t.decimals, totalSupply: t.totalSupply, uri: t.uri, name: t.name, symbol: t.symbol, want: t.want.row(),
		}
	}
	if r := &f.resource; r.uri != nil {
		k.resources = append(k.resources, resourceRow{
			role: fetch.Kind(*r.role), locale: *r.locale, uri: *r.uri, sourceSeq: r.sourceSeq, failedSeq: r.failedSeq, reason: fetch.Reason(*r.reason),
			fetchedAt: r.fetchedAt, content: r.content, facts: r.facts, want: r.want.row(),
		})
	}
}

// locales says of which documents and images to read.
type locales struct {
	all bool
	one string // and those of the token itself
}

// queryTokens adds a query for what is known of tokens to a batch. What it returns gives it, in the order of the request,
// once the batch has run. Contracts that are not known, or can't be while no projection is active, have none.
func queryTokens(b *batch, kinds []token.Kind, of locales, named ...namedToken) func() []knownToken {
	if len(kinds) == 0 {
		return func() []knownToken { return make([]knownToken, len(named)) }
	}
	contracts, ids := make([]string, len(named)), make([]*string, len(named))
	wants := map[token.Kind][][]byte{}
	for i, n := range named {
		contracts[i], ids[i] = n.contract, n.text()
		for _, kind := range tokenKinds {
			wants[kind] = append(wants[kind], readKey(kind, n))
		}
	}
	var found *result[foundRow]
	if ft, nft, sft := wants[token.FT], wants[token.NFT], wants[token.SFT]; len(named) == 1 {
		found = query(b, foundColumns, tokensSQL(askedOne, kinds), contracts[0], ids[0], ft[0], nft[0], sft[0], of.all, of.one)
	} else {
		found = query(b, foundColumns, tokensSQL(askedMany, kinds), contracts, ids, ft, nft, sft, of.all, of.one)
	}
	return func() []knownToken {
		known := make([]knownToken, len(named))
		for i := range found.rows {
			row := &found.rows[i]
			row.add(&known[row.n-1])
		}
		return known
	}
}

// readKey is where the table of wants has the reading of a token; nil for what can't be one.
func readKey(kind token.Kind, n namedToken) []byte {
	if n.id == nil {
		return nil
	}
	key := sha256.Sum256([]byte(fetch.Want{Kind: fetch.ContractRead, Contract: n.contract, Calls: token.Calls(kind, n.id)}.Key()))
	return key[:]
}
