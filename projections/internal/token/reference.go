package token

import (
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
)

// references holds the URIs that a token refers to.
type references map[referenceKey]string

// urisOf returns the URIs of the tokens' own documents, in the order of tokens; empty for a token without one.
func (b *batch) urisOf(tokens []tokenKey) ([]string, error) {
	contracts, ids := columnsOf(tokens)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT coalesce(t.uri, '')
		FROM unnest($1::text[], $2::numeric[]) WITH ORDINALITY AS k (contract, id, place)
		LEFT JOIN {schema}.token t ON t.contract_id = k.contract AND t.token_id = k.id
		ORDER BY k.place`), contracts, ids)
	if err != nil {
		return nil, fmt.Errorf("read the URIs of %d tokens: %w", len(tokens), err)
	}
	uris, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read the URIs of %d tokens: %w", len(tokens), err)
	}
	return uris, nil
}

// referencesOf returns what tokens with these URIs refer to, as far as their documents are known.
func (b *batch) referencesOf(tokens []tokenKey, uris []string) ([]references, error) {
	all := make([]references, len(tokens))
	own, err := b.documents(uris)
	if err != nil {
		return nil, err
	}
	var localised []string
	for i, uri := range uris {
		all[i] = references{}
		if uri == "" {
			continue
		}
		all[i][referenceKey{"document", ""}] = uri
		if base := own[uri]; base != nil {
			b.localeURIs(all[i], base, tokens[i].id)
			for _, documentURI := range all[i] {
				localised = append(localised, documentURI)
			}
		}
	}
	others, err := b.documents(localised)
	if err != nil {
		return nil, err
	}
	for i, uri := range uris {
		base := own[uri]
		if base == nil {
			continue
		}
		for key, documentURI := range maps.Clone(all[i]) {
			content := base
			if key.locale != "" {
				if others[documentURI] == nil {
					continue
				}
				content = document.Localise(base, others[documentURI])
			}
			if image := b.substitute(content, tokens[i].id).Image; image != nil {
				all[i][referenceKey{"image", key.locale}] = *image
			}
		}
	}
	return all, nil
}

// localeMax is the length in bytes up to which the name of a locale counts. Language tags (BCP 47) are far shorter, and
// an index cannot hold names of any length.
const localeMax = 100

// localeURIs adds the URIs of a document's translations, which its localization lists.
func (b *batch) localeURIs(r references, base *document.Document, id string) {
	if base.Localization == nil {
		return
	}
	for _, locale := range base.Localization.Locales {
		if locale != base.Localization.Default && len(locale) <= localeMax {
			r[referenceKey{"document", locale}] = document.SubstituteURI(base.Localization.URI, id, locale)
		}
	}
}

// substitute returns a document with the token's id filled in. Documents of fungible tokens have no place for an id.
func (b *batch) substitute(d *document.Document, id string) *document.Document {
	if b.kind == token.FT {
		return d
	}
	return d.Substitute(id)
}

// documents returns the documents at those of the URIs whose content is known.
func (b *batch) documents(uris []string) (map[string]*document.Document, error) {
	hashes := make([][]byte, 0, len(uris))
	seen := map[string]bool{"": true}
	for _, uri := range uris {
		if !seen[uri] {
			seen[uri] = true
			hash := uriHash(uri)
			hashes = append(hashes, hash[:])
		}
	}
	documents := map[string]*document.Document{}
	if len(hashes) == 0 {
		return documents, nil
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`SELECT uri, content FROM {schema}.document WHERE uri_hash = ANY ($1) AND content IS NOT NULL`), hashes)
	if err != nil {
		return nil, fmt.Errorf("read %d documents: %w", len(hashes), err)
	}
	var uri, content string
	if _, err := pgx.ForEachRow(rows, []any{&uri, &content}, func() error {
		d, err := document.Decode([]byte(content))
		documents[uri] = d
		return err
	}); err != nil {
		return nil, fmt.Errorf("read %d documents: %w", len(hashes), err)
	}
	return documents, nil
}

// referencesIn returns the references that the table has for tokens; the values are hashes of URIs.
func (b *batch) referencesIn(tokens []tokenKey) (map[tokenKey]map[referenceKey][32]byte, error) {
	contracts, ids := columnsOf(tokens)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT r.contract_id, r.token_id::text, r.role, r.locale, r.uri_hash
		FROM unnest($1::text[], $2::numeric[]) AS k (contract, id)
		JOIN {schema}.reference r ON r.contract_id = k.contract AND r.token_id = k.id`), contracts, ids)
	if err != nil {
		return nil, fmt.Errorf("read the references of %d tokens: %w", len(tokens), err)
	}
	have := map[tokenKey]map[referenceKey][32]byte{}
	var (
		key  tokenKey
		ref  referenceKey
		hash []byte
	)
	if _, err := pgx.ForEachRow(rows, []any{&key.contract, &key.id, &ref.role, &ref.locale, &hash}, func() error {
		if have[key] == nil {
			have[key] = map[referenceKey][32]byte{}
		}
		have[key][ref] = [32]byte(hash)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the references of %d tokens: %w", len(tokens), err)
	}
	return have, nil
}

func columnsOf(tokens []tokenKey) (contracts, ids []string) {
	for _, key := range tokens {
		contracts, ids = append(contracts, key.contract), append(ids, key.id)
	}
	return contracts, ids
}

// referenceChanges holds the references to delete (gone) and to insert (came), and the documents and images that this
// adds and releases.
type referenceChanges struct {
	gone, came         []tokenKey
	goneRefs, cameRefs []referenceKey
	cameHashes         [][]byte
	resources          map[fetch.Kind]*resourceColumns // that the new references refer to
	causes             map[resource]cause              // the first record that refers to each resource
	released           [][]byte                        // hashes of the URIs that a token no longer refers to
}

// resource identifies a document or an image by its URI.
type resource struct {
	kind fetch.Kind
	uri  string
}

// cause is the record that first makes a token refer to a resource, and the contract of that token.
type cause struct {
	subject
	contract string
}

type resourceColumns struct {
	hashes [][]byte
	uris   []string
}

func newReferenceChanges() *referenceChanges {
	return &referenceChanges{
		resources: map[fetch.Kind]*resourceColumns{fetch.Document: {}, fetch.Image: {}},
		causes:    map[resource]cause{},
	}
}

// compare adds the difference between the references that a token has and those that it should have after a record.
func (c *referenceChanges) compare(key tokenKey, have map[referenceKey][32]byte, want references, by subject) {
	for ref, hash := range have {
		if uri, ok := want[ref]; !ok || uriHash(uri) != hash {
			c.gone, c.goneRefs, c.released = append(c.gone, key), append(c.goneRefs, ref), append(c.released, hash[:])
		}
	}
	for ref, uri := range want {
		hash := uriHash(uri)
		if old, ok := have[ref]; ok && old == hash {
			continue
		}
		c.came, c.cameRefs, c.cameHashes = append(c.came, key), append(c.cameRefs, ref), append(c.cameHashes, hash[:])
		r := resource{fetch.Kind(ref.role), uri}
		columns := c.resources[r.kind]
		columns.hashes, columns.uris = append(columns.hashes, hash[:]), append(columns.uris, uri)
		if _, ok := c.causes[r]; !ok {
			c.causes[r] = cause{by, key.contract}
		}
	}
}

// add appends the changes of a later record.
func (c *referenceChanges) add(later *referenceChanges) {
	c.gone, c.goneRefs = append(c.gone, later.gone...), append(c.goneRefs, later.goneRefs...)
	c.came, c.cameRefs, c.cameHashes = append(c.came, later.came...), append(c.cameRefs, later.cameRefs...), append(c.cameHashes, later.cameHashes...)
	c.released = append(c.released, later.released...)
	for kind, columns := range later.resources {
		own := c.resources[kind]
		own.hashes, own.uris = append(own.hashes, columns.hashes...), append(own.uris, columns.uris...)
	}
	for r, cause := range later.causes {
		if _, ok := c.causes[r]; !ok {
			c.causes[r] = cause
		}
	}
}

// releasedAndTaken says whether one record releases a URI that a later record refers to again. Between the two, no
// token may refer to that URI.
func releasedAndTaken(changes []*referenceChanges) bool {
	released := map[[32]byte]bool{}
	for _, c := range changes {
		for _, hash := range c.cameHashes {
			if released[[32]byte(hash)] {
				return true
			}
		}
		for _, hash := range c.released {
			released[[32]byte(hash)] = true
		}
	}
	return false
}

func (b *batch) writeReferences(c *referenceChanges) error {
	if len(c.gone) > 0 {
		contracts, ids := columnsOf(c.gone)
		roles, locales := refColumns(c.goneRefs)
		if _, err := b.tx.Exec(b.ctx, b.sql(`
			DELETE FROM {schema}.reference r USING unnest($1::text[], $2::numeric[], $3::text[], $4::text[]) AS gone (contract, id, role, locale)
			WHERE r.contract_id = gone.contract AND r.token_id = gone.id AND r.role = gone.role AND r.locale = gone.locale`),
			contracts, ids, roles, locales); err != nil {
			return fmt.Errorf("delete %d references: %w", len(c.gone), err)
		}
	}
	if len(c.came) > 0 {
		contracts, ids := columnsOf(c.came)
		roles, locales := refColumns(c.cameRefs)
		if _, err := b.tx.Exec(b.ctx, b.sql(`
			INSERT INTO {schema}.reference (contract_id, token_id, role, locale, uri_hash)
			SELECT * FROM unnest($1::text[], $2::numeric[], $3::text[], $4::text[], $5::bytea[])`),
			contracts, ids, roles, locales, c.cameHashes); err != nil {
			return fmt.Errorf("write %d references: %w", len(c.came), err)
		}
	}
	return nil
}

func refColumns(refs []referenceKey) (roles, locales []string) {
	for _, ref := range refs {
		roles, locales = append(roles, ref.role), append(locales, ref.locale)
	}
	return roles, locales
}

// addResources writes rows for documents and images that no token referred to before, and returns these.
func (b *batch) addResources(c *referenceChanges) ([]resource, error) {
	var fresh []resource
	for _, kind := range []fetch.Kind{fetch.Document, fetch.Image} {
		columns := c.resources[kind]
		if len(columns.hashes) == 0 {
			continue
		}
		rows, err := b.tx.Query(b.ctx, b.sql(`
			INSERT INTO {schema}.`+string(kind)+` (uri_hash, uri, reason)
			SELECT DISTINCT hash, uri, 0 FROM unnest($1::bytea[], $2::text[]) AS came (hash, uri)
			ON CONFLICT (uri_hash) DO NOTHING RETURNING uri`), columns.hashes, columns.uris)
		if err != nil {
			return nil, fmt.Errorf("write %d URIs of kind %s: %w", len(columns.uris), kind, err)
		}
		uris, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, fmt.Errorf("write %d URIs of kind %s: %w", len(columns.uris), kind, err)
		}
		slices.Sort(uris)
		for _, uri := range uris {
			fresh = append(fresh, resource{kind, uri})
		}
	}
	return fresh, nil
}

// dropReferences deletes the references of deleted tokens.
func (b *batch) dropReferences(tokens []tokenKey) error {
	if len(tokens) == 0 {
		return nil
	}
	contracts, ids := columnsOf(tokens)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		DELETE FROM {schema}.reference r USING unnest($1::text[], $2::numeric[]) AS gone (contract, id)
		WHERE r.contract_id = gone.contract AND r.token_id = gone.id RETURNING r.uri_hash`), contracts, ids)
	if err != nil {
		return fmt.Errorf("delete the references of %d tokens: %w", len(tokens), err)
	}
	released, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return fmt.Errorf("delete the references of %d tokens: %w", len(tokens), err)
	}
	return b.collect(released)
}

// collect deletes those of the documents and images that no token refers to any more, and their wants.
func (b *batch) collect(hashes [][]byte) error {
	if len(hashes) == 0 {
		return nil
	}
	var wants [][]byte
	for _, kind := range []fetch.Kind{fetch.Document, fetch.Image} {
		rows, err := b.tx.Query(b.ctx, b.sql(`
			DELETE FROM {schema}.`+string(kind)+` x WHERE x.uri_hash = ANY ($1)
			  AND NOT EXISTS (SELECT FROM {schema}.reference r WHERE r.uri_hash = x.uri_hash AND r.role = $2)
			RETURNING x.uri`), hashes, string(kind))
		if err != nil {
			return fmt.Errorf("delete documents and images without references: %w", err)
		}
		uris, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("delete documents and images without references: %w", err)
		}
		for _, uri := range uris {
			key := keyHash(fetch.Want{Kind: kind, URI: uri})
			wants = append(wants, key[:])
		}
	}
	return b.dropWants(wants)
}
