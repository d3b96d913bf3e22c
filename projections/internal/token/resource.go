package token

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/projections"
)

// tokenURI is the address of a token's document: what the contract says, with the id filled in. Nil when it says nothing.
func tokenURI(uri, id string) *string {
	return projections.NullText(strings.TrimSpace(document.SubstituteURI(uri, id, "")))
}

// document takes in a document that was fetched, or that it could not be.
func (b *batch) document(step projections.Step, r *fetch.Report, s standing) error {
	hash := uriHash(r.Want.URI)
	body, problem := r.ResourceBody()
	var content []byte
	if problem == nil {
		var err error
		if content, problem, err = b.parse(hash[:], body); err != nil {
			return err
		}
	}
	if problem != nil {
		if _, err := b.tx.Exec(b.ctx, b.sql(`UPDATE {schema}.document SET failed_seq = $2, reason = $3 WHERE uri_hash = $1`),
			hash[:], step.SourceSeq, problem.Reason); err != nil {
			return fmt.Errorf("note that document %s can't be had: %w", r.Want.URI, err)
		}
		if err := b.fail(s, step.SourceSeq, r.FinishedAt, problem); err != nil {
			return err
		}
		_, err := b.referring("document", hash[:])
		return err
	}
	if err := b.settle(s); err != nil {
		return err
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.document SET source_seq = $2, fetched_at = $3, content = $4, failed_seq = NULL, reason = 0 WHERE uri_hash = $1`),
		hash[:], step.SourceSeq, r.FinishedAt, string(content)); err != nil {
		return fmt.Errorf("write document %s: %w", r.Want.URI, err)
	}
	tokens, err := b.referring("document", hash[:])
	if err != nil {
		return err
	}
	return b.refer(tokens, step.SourceSeq, r.FinishedAt)
}

// parse reads the body of a document into what is stored. Of documents in other locales everything is optional.
func (b *batch) parse(hash, body []byte) ([]byte, *fetch.Problem, error) {
	var own bool
	err := b.tx.QueryRow(b.ctx, b.sql(`
		SELECT EXISTS (SELECT FROM {schema}.reference WHERE uri_hash = $1 AND role = 'document' AND locale = '')`), hash).Scan(&own)
	if err != nil {
		return nil, nil, fmt.Errorf("look for tokens with a document: %w", err)
	}
	parse := document.ParseLocalised
	if own {
		parse = document.Parse
	}
	parsed, err := parse(body)
	if err != nil {
		return nil, &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonMetadataUnparsable, Detail: err.Error()}, nil
	}
	return parsed.Encode(), nil, nil
}

// image takes in an image that was fetched, or that it could not be.
func (b *batch) image(step projections.Step, r *fetch.Report, s standing) error {
	hash := uriHash(r.Want.URI)
	_, problem := r.ResourceBody()
	var digest []byte
	if problem == nil {
		var err error
		if r.Image != nil {
			digest, err = hex.DecodeString(r.Image.SHA256)
		}
		if err != nil || len(digest) == 0 {
			problem = &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonImageUnparsable, Detail: "the report does not say what the image shows"}
		}
	}
	if _, err := b.referring("image", hash[:]); err != nil {
		return err
	}
	if problem != nil {
		if _, err := b.tx.Exec(b.ctx, b.sql(`UPDATE {schema}.image SET failed_seq = $2, reason = $3 WHERE uri_hash = $1`),
			hash[:], step.SourceSeq, problem.Reason); err != nil {
			return fmt.Errorf("note that an image can't be had: %w", err)
		}
		return b.fail(s, step.SourceSeq, r.FinishedAt, problem)
	}
	if err := b.settle(s); err != nil {
		return err
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.image
		SET source_seq = $2, fetched_at = $3, sha256 = $4, content_type = $5, width = nullif($6, 0), height = nullif($7, 0),
		    failed_seq = NULL, reason = 0
		WHERE uri_hash = $1`),
		hash[:], step.SourceSeq, r.FinishedAt, digest, r.Image.ContentType, r.Image.Width, r.Image.Height); err != nil {
		return fmt.Errorf("write an image: %w", err)
	}
	return nil
}

// referring are the tokens that refer to a document or image; answers about them are not what they were.
func (b *batch) referring(role string, hash []byte) ([]tokenKey, error) {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT DISTINCT contract_id, token_id::text FROM {schema}.reference WHERE uri_hash = $1 AND role = $2 ORDER BY 1, 2`), hash, role)
	if err != nil {
		return nil, fmt.Errorf("find who refers to a %s: %w", role, err)
	}
	keys, err := pgx.CollectRows(rows, scanTokenKey)
	if err != nil {
		return nil, fmt.Errorf("find who refers to a %s: %w", role, err)
	}
	for _, key := range keys {
		b.touchToken(key)
	}
	return keys, nil
}

func scanTokenKey(row pgx.CollectableRow) (tokenKey, error) {
	var key tokenKey
	return key, row.Scan(&key.contract, &key.id)
}

// referenceKey names a reference of a token.
type referenceKey struct{ role, locale string }

// referMax is how many tokens' references are worked out at a time.
const referMax = 1000

// refer brings the references of tokens in line with what their contracts and documents say now: what is not referred to
// any more goes, what is new is wanted.
func (b *batch) refer(tokens []tokenKey, seq int64, due time.Time) error {
	for chunk := range slices.Chunk(tokens, referMax) {
		for again := true; again; {
			var err error
			if again, err = b.referChunk(chunk, seq, due); err != nil {
				return err
			}
		}
	}
	return nil
}

// referChunk reports whether it has to be done again, because documents that stand in their own address have become
// known with it.
func (b *batch) referChunk(tokens []tokenKey, seq int64, due time.Time) (again bool, err error) {
	uris, err := b.urisOf(tokens)
	if err != nil {
		return false, err
	}
	wanted, err := b.referencesOf(tokens, uris)
	if err != nil {
		return false, err
	}
	have, err := b.referencesIn(tokens)
	if err != nil {
		return false, err
	}
	var c referenceChanges
	for i, key := range tokens {
		c.compare(key, have[key], wanted[i])
	}
	if err := b.writeReferences(&c); err != nil {
		return false, err
	}
	fresh, err := b.addResources(&c)
	if err != nil {
		return false, err
	}
	var wants []raised
	for _, w := range fresh {
		if w.Kind == fetch.Document && document.IsData(w.URI) {
			again = true
			if err := b.documentInURI(w.URI, seq, due); err != nil {
				return false, err
			}
			continue
		}
		wants = append(wants, raised{want: w, seq: seq, due: due, priority: priorityChain})
	}
	if err := b.raise(wants); err != nil {
		return false, err
	}
	return again, b.collect(c.released)
}

// documentInURI takes in a document that needs no fetching.
func (b *batch) documentInURI(uri string, seq int64, at time.Time) error {
	hash := uriHash(uri)
	_, body, err := document.ParseData(uri)
	var content []byte
	if err == nil {
		var problem *fetch.Problem
		if content, problem, err = b.parse(hash[:], body); err == nil && problem != nil {
			err = errors.New(problem.Detail)
		}
	}
	if err != nil {
		_, err = b.tx.Exec(b.ctx, b.sql(`UPDATE {schema}.document SET failed_seq = $2, reason = $3 WHERE uri_hash = $1`),
			hash[:], seq, fetch.ReasonMetadataUnparsable)
	} else {
		_, err = b.tx.Exec(b.ctx, b.sql(`UPDATE {schema}.document SET source_seq = $2, fetched_at = $3, content = $4 WHERE uri_hash = $1`),
			hash[:], seq, at, string(content))
	}
	if err != nil {
		return fmt.Errorf("write a document that is in its URI: %w", err)
	}
	return nil
}
