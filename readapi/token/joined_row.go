package token

import (
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
)

// joinedRow is a row of oneTokenSQL or manyTokensSQL: a contract, a token, and one document or image of the token.
type joinedRow struct {
	n        *int64 // number of the token in the request, from 1; nil when none of the requested tokens is known
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
		want                           joinedWant
	}
	resource struct {
		role, locale, uri    *string
		sourceSeq, failedSeq *int64
		reason               *int16
		fetchedAt            *time.Time
		content              *string
		facts                imageFacts
		want                 joinedWant
	}
}

// joinedWant is a want in a joinedRow; its fields are nil when there is none.
type joinedWant struct {
	dueAt    *time.Time
	attempts *int32
	severity *int16
}

func (w *joinedWant) row() *wantRow {
	if w.dueAt == nil {
		return nil
	}
	return &wantRow{*w.dueAt, *w.attempts, fetch.Severity(*w.severity)}
}

// joinedColumns returns the destinations of the columns of manyTokensSQL, which has no wants.
func joinedColumns(f *joinedRow) []any {
	c, t, r := &f.contract, &f.token, &f.resource
	return []any{
		&f.n, &c.id, &c.height, &c.sourceSeq, &c.readHeight, &c.readSeq, &c.failedSeq, &c.reason, &c.txid, &c.fungible, &c.nonFungible, &c.lastID,
		&t.height, &t.sourceSeq, &t.readHeight, &t.readSeq, &t.readAt, &t.failedSeq, &t.reason, &t.decimals, &t.totalSupply, &t.uri, &t.name, &t.symbol,
		&r.role, &r.locale, &r.uri, &r.sourceSeq, &r.failedSeq, &r.reason, &r.fetchedAt, &r.content,
		&r.facts.digest, &r.facts.contentType, &r.facts.width, &r.facts.height,
	}
}

// joinedColumnsWithWants returns the destinations of the columns of oneTokenSQL.
func joinedColumnsWithWants(f *joinedRow) []any {
	t, r := &f.token.want, &f.resource.want
	return append(joinedColumns(f), &r.dueAt, &r.attempts, &r.severity, &t.dueAt, &t.attempts, &t.severity)
}

// appendSources appends the seqs of the events behind the row.
func (f *joinedRow) appendSources(sources []int64) []int64 {
	c, t, r := &f.contract, &f.token, &f.resource
	for _, seq := range [...]*int64{c.sourceSeq, c.readSeq, c.failedSeq, t.sourceSeq, t.readSeq, t.failedSeq, r.sourceSeq, r.failedSeq} {
		if seq != nil {
			sources = append(sources, *seq)
		}
	}
	return sources
}

// add adds the row, which is of the projection of a kind, to a token.
func (f *joinedRow) add(k *knownToken, kind token.Kind) {
	if c := &f.contract; c.id != nil && k.contract == nil {
		k.contract = &contractRow{
			kind: kind, id: *c.id, height: *c.height, sourceSeq: *c.sourceSeq, readHeight: c.readHeight, readSeq: c.readSeq,
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
