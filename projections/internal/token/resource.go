package token

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/projections"
)

// tokenURI returns the URI of a token's document: what the contract answered, with the id filled in. It returns nil if
// the contract's answer is empty.
func tokenURI(uri, id string) *string {
	return projections.NullText(strings.TrimSpace(document.SubstituteURI(uri, id, "")))
}

// parse returns the form in which the body of a document is stored. own is false for a translation, all of whose
// members are optional.
func parse(body []byte, own bool) ([]byte, *fetch.Problem) {
	read := document.ParseLocalised
	if own {
		read = document.Parse
	}
	parsed, err := read(body)
	if err != nil {
		return nil, &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonMetadataUnparsable, Detail: err.Error()}
	}
	return parsed.Encode(), nil
}

// imageDigest returns the SHA-256 of the image that a report brought.
func imageDigest(r *fetch.Report) ([]byte, *fetch.Problem) {
	if _, problem := r.ResourceBody(); problem != nil {
		return nil, problem
	}
	if r.Image != nil {
		if digest, err := hex.DecodeString(r.Image.SHA256); err == nil && len(digest) > 0 {
			return digest, nil
		}
	}
	return nil, &fetch.Problem{Severity: fetch.Wrong, Reason: fetch.ReasonImageUnparsable, Detail: "the report does not say what the image shows"}
}

// referral is a token that refers to a document or image. locale is empty for the token's own document and its image.
type referral struct {
	tokenKey
	locale string
}

// referrals returns the tokens that refer to documents and images.
func (b *batch) referrals(resources []resourceKey) (map[resourceKey][]referral, error) {
	referrals := map[resourceKey][]referral{}
	if len(resources) == 0 {
		return referrals, nil
	}
	roles, hashes := make([]string, len(resources)), make([][]byte, len(resources))
	for i := range resources {
		roles[i], hashes[i] = resources[i].role, resources[i].hash[:]
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT r.role, r.uri_hash, r.contract_id, r.token_id::text, r.locale
		FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::bytea[]) AS w (role, hash)) w
		JOIN {schema}.reference r ON r.uri_hash = w.hash AND r.role = w.role
		ORDER BY r.contract_id, r.token_id, r.locale`), roles, hashes)
	if err != nil {
		return nil, fmt.Errorf("find who refers to %d documents and images: %w", len(resources), err)
	}
	var key resourceKey
	var hash []byte
	var r referral
	if _, err := pgx.ForEachRow(rows, []any{&key.role, &hash, &r.contract, &r.id, &r.locale}, func() error {
		key.hash = [sha256.Size]byte(hash)
		referrals[key] = append(referrals[key], r)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find who refers to %d documents and images: %w", len(resources), err)
	}
	return referrals, nil
}

// resourceKey identifies a document or image by its role and the hash of its URI.
type resourceKey struct {
	role string
	hash [sha256.Size]byte
}

func scanTokenKey(row pgx.CollectableRow) (tokenKey, error) {
	var key tokenKey
	return key, row.Scan(&key.contract, &key.id)
}

// referenceKey identifies a reference of one token.
type referenceKey struct{ role, locale string }

// referMax is the number of tokens whose references are updated at a time.
const referMax = 1000

// subject holds the tokens whose references one record may have changed.
type subject struct {
	tokens []tokenKey
	number int64 // of the record's step
	seq    int64 // the record
	due    time.Time
}

// refer updates the references of tokens to what their contracts and documents say now. It deletes documents and images
// without references, and wants those that are new. The subjects must be in the order of their records.
func (b *batch) refer(subjects ...subject) error {
	var group []subject
	size := 0
	flush := func() error {
		for again := len(group) > 0; again; {
			var err error
			if again, err = b.referGroup(group); err != nil {
				return err
			}
		}
		group, size = nil, 0
		return nil
	}
	for _, s := range subjects {
		for chunk := range slices.Chunk(s.tokens, referMax) {
			if size+len(chunk) > referMax {
				if err := flush(); err != nil {
					return err
				}
			}
			group = append(group, subject{chunk, s.number, s.seq, s.due})
			size += len(chunk)
		}
	}
	return flush()
}

// referGroup updates the references of one group of tokens. again is true if it must run once more because it has
// learnt the content of data documents, which may refer to something in turn.
func (b *batch) referGroup(group []subject) (again bool, err error) {
	var tokens []tokenKey
	for _, s := range group {
		tokens = append(tokens, s.tokens...)
	}
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
	changes := make([]*referenceChanges, len(group))
	next := 0
	for i, s := range group {
		changes[i] = newReferenceChanges()
		for _, key := range s.tokens {
			changes[i].compare(key, have[key], wanted[next], s)
			next++
		}
	}
	if !releasedAndTaken(changes) { // then writing them together gives the same rows
		for _, c := range changes[1:] {
			changes[0].add(c)
		}
		changes = changes[:1]
	}
	for _, c := range changes {
		inURI, err := b.writeChanges(c)
		if err != nil {
			return false, err
		}
		again = again || inURI
	}
	return again, nil
}

// writeChanges writes changes of references. inURI is true if new data documents are among the resources, which have
// their content in their URI.
func (b *batch) writeChanges(c *referenceChanges) (inURI bool, err error) {
	if err := b.writeReferences(c); err != nil {
		return false, err
	}
	fresh, err := b.addResources(c)
	if err != nil {
		return false, err
	}
	var wants []raisedWant
	for _, w := range fresh {
		cause := c.causes[w]
		if w.kind == fetch.Document && document.IsData(w.uri) {
			inURI = true
			if err := b.documentInURI(w.uri, cause.seq, cause.due); err != nil {
				return false, err
			}
			continue
		}
		wants = append(wants, raisedWant{
			want: fetch.Want{Kind: w.kind, URI: w.uri}, contract: cause.contract, seq: cause.seq, due: cause.due, priority: priorityChain,
		})
	}
	if err := b.raise(wants); err != nil {
		return false, err
	}
	return inURI, b.collect(c.released)
}

// documentInURI stores the content of a data document, whose URI contains it.
func (b *batch) documentInURI(uri string, seq int64, at time.Time) error {
	hash := uriHash(uri)
	referrals, err := b.referrals([]resourceKey{{"document", hash}})
	if err != nil {
		return err
	}
	var content []byte
	_, body, err := document.ParseData(uri)
	bad := err != nil
	if !bad {
		var problem *fetch.Problem
		content, problem = parse(body, isOwn(referrals[resourceKey{"document", hash}]))
		bad = problem != nil
	}
	if bad {
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

// isOwn says whether a document is some token's own document, rather than only a translation.
func isOwn(referrals []referral) bool {
	return slices.ContainsFunc(referrals, func(r referral) bool { return r.locale == "" })
}
