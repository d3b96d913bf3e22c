package token

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/shard"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// tokenOrder is the order of the list of fungible tokens, which is also the name of a list in the table stretch.
type tokenOrder string

// Schema implements huma.SchemaProvider.
func (tokenOrder) Schema(huma.Registry) *huma.Schema {
	return param.Constants("name", "name", "symbol")
}

type tokenListInput struct {
	Name              string          `query:"name" doc:"Text that the name contains; case-insensitive."`
	Symbol            string          `query:"symbol" doc:"The symbol; case-insensitive."`
	Address           addressPrefix   `query:"address"`
	Contracts         listedContracts `query:"contract,explode"`
	ValidMetadataOnly bool            `query:"valid_metadata_only" default:"false" doc:"Only tokens whose document was fetched."`
	Offset            int64           `query:"offset" minimum:"0" default:"0" doc:"Number of rows before the page."`
	Limit             int             `query:"limit" minimum:"1" maximum:"60" default:"20" doc:"Maximum number of rows of the page."`
	OrderBy           tokenOrder      `query:"order_by"`
	Order             param.Direction `query:"order"`
}

// listedContracts are the contracts to list; none for all.
type listedContracts []string

// Schema implements huma.SchemaProvider.
func (listedContracts) Schema(huma.Registry) *huma.Schema {
	most := searchMax
	return &huma.Schema{
		Type: huma.TypeArray, MaxItems: &most, Description: "Only the tokens of these contracts. Repeat the parameter to name several. The peer has no such parameter.",
		Items: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(schema.ContractPattern + `$`), Examples: []any{"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"}},
	}
}

// addressPrefix is a prefix of contract ids; empty for any contract.
type addressPrefix string

// Schema implements huma.SchemaProvider.
func (addressPrefix) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "Prefix of the contract's id: an address, or more.", Extensions: schema.Matching(`^` + schema.AddressPattern),
		Examples: []any{"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS"},
	}
}

// tokenPage is a page of the list of fungible tokens.
type tokenPage struct {
	Limit   int           `json:"limit"`
	Offset  int64         `json:"offset"`
	Total   int64         `json:"total" doc:"Number of rows of the whole list."`
	Results []listedToken `json:"results" nullable:"false"`
}

// listedToken is a fungible token in the list. Unknown fields are absent.
type listedToken struct {
	TxID              string        `json:"tx_id" doc:"The transaction that deployed the contract."`
	SenderAddress     string        `json:"sender_address" doc:"The address that deployed the contract."`
	AssetIdentifier   string        `json:"asset_identifier"`
	ContractPrincipal string        `json:"contract_principal"`
	Name              string        `json:"name,omitempty"`
	Symbol            string        `json:"symbol,omitempty"`
	Decimals          *int32        `json:"decimals,omitempty"`
	TotalSupply       schema.Amount `json:"total_supply,omitempty" doc:"In base units."`
	TokenURI          string        `json:"token_uri,omitempty"`
	Description       string        `json:"description,omitempty"`
	ImageURI          string        `json:"image_uri,omitempty"`
	ImageCanonicalURI string        `json:"image_canonical_uri,omitempty"`
	ImageThumbnailURI string        `json:"image_thumbnail_uri,omitempty"`
}

func (a *api) registerTokenList() {
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "getFungibleTokens", Path: "/ft", Summary: "List fungible tokens", Statuses: []int{http.StatusBadRequest},
		Description:  "One row for each token, whether or not its metadata is known. Tokens without the name or symbol that is sorted by come last; equal ones are sorted by contract.",
		Dependencies: engine.On(string(token.FT), shard.Tokens),
	}), a.listTokens)
}

// listedRow is a row of the list. A page without tokens is one row with nothing but the total.
type listedRow struct {
	total    int64
	id       *string // of the contract
	contract contractRow
	token    tokenRow
	document resourceRow
	image    resourceRow
}

func listedColumns(r *listedRow) []any {
	return []any{
		&r.total, &r.id, &r.contract.txid, &r.contract.fungible, &r.contract.nonFungible,
		&r.token.name, &r.token.symbol, &r.token.decimals, &r.token.totalSupply, &r.token.uri, &r.document.content, &r.image.facts.digest,
	}
}

func (a *api) listTokens(ctx context.Context, s *engine.Snapshot, in *tokenListInput) (*tokenPage, error) {
	page := &tokenPage{Limit: in.Limit, Offset: in.Offset, Results: []listedToken{}}
	if s.Active(string(token.FT)) == nil {
		return page, nil
	}
	b := s.Batch()
	var found *engine.Result[listedRow]
	if in.filtered() {
		found = in.queryFiltered(b)
	} else {
		found = in.queryStretch(b)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if in.Order == param.Descending && !in.filtered() {
		slices.Reverse(found.Rows)
	}
	for i := range found.Rows {
		row := &found.Rows[i]
		page.Total = row.total
		if row.id == nil {
			continue // nothing but the total
		}
		listed, err := row.shape(&a.metadata)
		if err != nil {
			return nil, err
		}
		page.Results = append(page.Results, listed)
	}
	s.TraceRows(func() []engine.Lookup { return listLookups(s, page.Results) })
	return page, nil
}

func (r *listedRow) shape(config *Config) (listedToken, error) {
	c, t := &r.contract, &r.token
	c.id, c.kind = *r.id, token.FT
	r.document.uri = schema.OrEmpty(t.uri)
	d, err := r.document.decode()
	if err != nil {
		return listedToken{}, err
	}
	v := &tokenView{document: d, image: &r.image}
	links := v.links(config)
	return listedToken{
		TxID: c.txID(), SenderAddress: c.sender(), AssetIdentifier: c.asset(), ContractPrincipal: c.id,
		Name: schema.OrEmpty(t.name), Symbol: schema.OrEmpty(t.symbol), Decimals: t.decimals, TotalSupply: schema.Amount(schema.OrEmpty(t.totalSupply)), TokenURI: schema.OrEmpty(t.uri),
		Description: v.description(), ImageURI: links.image, ImageThumbnailURI: links.thumbnail, ImageCanonicalURI: links.canonical,
	}, nil
}

func (in *tokenListInput) filtered() bool {
	return in.Name != "" || in.Symbol != "" || in.Address != "" || in.ValidMetadataOnly || len(in.Contracts) > 0
}

// keyColumn returns the column that the list is sorted by.
func (in *tokenListInput) keyColumn() string {
	if in.OrderBy == "symbol" {
		return "symbol_key"
	}
	return "name_key"
}

// listSQL returns a query that completes the rows of a page with all columns of the list. page is a query for total,
// contract_id, token_id and key. The LIMIT 1 changes no result: it keeps Postgres from reading all contracts and
// tokens.
func listSQL(page, direction string) string {
	return `
SELECT array_remove(ARRAY[r.contract_seq, r.token_seq, r.read_seq, r.document_seq, r.image_seq], NULL),
       p.total, p.contract_id, r.txid, r.fungible_token, r.non_fungible_token, r.name, r.symbol, r.decimals, r.total_supply, r.uri, r.content, r.sha256
FROM (` + page + `) p
LEFT JOIN LATERAL (
	SELECT c.source_seq AS contract_seq, t.source_seq AS token_seq, t.read_seq, d.source_seq AS document_seq, i.source_seq AS image_seq,
	       c.txid, c.fungible_token, c.non_fungible_token, t.name, t.symbol, t.decimals, t.total_supply::text AS total_supply, t.uri, d.content, i.sha256
	FROM {ft}.contract c
	JOIN {ft}.token t ON t.contract_id = c.contract_id AND t.token_id = p.token_id
	LEFT JOIN {ft}.reference dr ON dr.contract_id = t.contract_id AND dr.token_id = t.token_id AND dr.role = 'document' AND dr.locale = ''
	LEFT JOIN {ft}.document d ON d.uri_hash = dr.uri_hash
	LEFT JOIN {ft}.reference ir ON ir.contract_id = t.contract_id AND ir.token_id = t.token_id AND ir.role = 'image' AND ir.locale = ''
	LEFT JOIN {ft}.image i ON i.uri_hash = ir.uri_hash
	WHERE c.contract_id = p.contract_id LIMIT 1
) r ON true
ORDER BY p.key ` + direction + `, p.contract_id COLLATE "C" ` + direction
}

// queryStretch queues the query for a page of the unfiltered list. The table stretch says where the page begins, so
// that a deep page costs no more than skipping the rows of one stretch. A page in descending order is read in ascending
// order, and listTokens reverses it.
func (in *tokenListInput) queryStretch(b *engine.Batch) *engine.Result[listedRow] {
	return engine.Query(b, listedColumns, listSQL(strings.ReplaceAll(`
	SELECT n.total, page.contract_id, page.token_id, page.key
	FROM (
		SELECT total,
		       CASE WHEN $4 THEN greatest(total - $2 - $3, 0) ELSE $2 END AS start,
		       greatest(least(total - $2, $3), 0) AS length
		FROM (SELECT coalesce(sum(n), 0)::bigint AS total FROM {ft}.stretch WHERE list = $1) AS whole
	) n
	LEFT JOIN LATERAL (
		SELECT first_key, first_contract, before
		FROM (
			SELECT first_key, first_contract, (sum(n) OVER (ORDER BY first_key, first_contract) - n)::bigint AS before
			FROM {ft}.stretch WHERE list = $1
		) AS stretches
		WHERE before <= n.start
		ORDER BY before DESC, first_key DESC, first_contract DESC LIMIT 1
	) s ON true
	LEFT JOIN LATERAL (
		SELECT t.contract_id, t.token_id, t.{key} AS key
		FROM {ft}.token t
		WHERE t.{key} IS NOT NULL AND (t.{key}, t.contract_id COLLATE "C") >= (s.first_key, s.first_contract)
		ORDER BY t.{key}, t.contract_id COLLATE "C" OFFSET n.start - s.before LIMIT n.length
	) page ON true`, "{key}", in.keyColumn()), ""),
		string(in.orderBy()), min(in.Offset, page.RankedOffsetMax), int64(in.Limit), in.Order == param.Descending)
}

// queryFiltered queues the query for a page of the tokens that match the filters. It reads all matches, to count them.
func (in *tokenListInput) queryFiltered(b *engine.Batch) *engine.Result[listedRow] {
	direction := ""
	if in.Order == param.Descending {
		direction = param.Descending
	}
	of, args := "", []any{namePattern(in.Name), keyOfText(in.Symbol), string(in.Address), in.ValidMetadataOnly, min(in.Offset, page.RankedOffsetMax), int64(in.Limit)}
	if len(in.Contracts) > 0 {
		of, args = `t.contract_id = ANY ($7::text[]) AND `, append(args, []string(in.Contracts))
	}
	return engine.Query(b, listedColumns, listSQL(strings.NewReplacer("{key}", in.keyColumn(), "{direction}", direction, "{of}", of).Replace(`
	WITH matching AS MATERIALIZED (
		SELECT t.contract_id, t.token_id, t.{key} AS key
		FROM {ft}.token t
		WHERE {of}t.{key} IS NOT NULL AND ($1 = '' OR t.name_key LIKE $1) AND ($2 = '' OR t.symbol_key = $2) AND starts_with(t.contract_id, $3)
		  AND (NOT $4 OR EXISTS (
		      SELECT FROM {ft}.reference r JOIN {ft}.document d ON d.uri_hash = r.uri_hash
		      WHERE r.contract_id = t.contract_id AND r.token_id = t.token_id AND r.role = 'document' AND r.locale = '' AND d.content IS NOT NULL))
	)
	SELECT n.total, page.*
	FROM (SELECT count(*) AS total FROM matching) n
	LEFT JOIN (
		SELECT * FROM matching ORDER BY key {direction}, contract_id COLLATE "C" {direction} OFFSET $5 LIMIT $6
	) page ON true`), direction),
		args...)
}

func (in *tokenListInput) orderBy() tokenOrder {
	if in.OrderBy == "" {
		return "name"
	}
	return in.OrderBy
}

// keyOfText returns the key of a name or symbol as the tables store it; empty for an empty text.
func keyOfText(text string) string {
	if text == "" {
		return ""
	}
	return view.TokenKey(text)
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// namePattern returns the LIKE pattern for the keys of names that contain a text; empty for an empty text.
func namePattern(text string) string {
	if text == "" {
		return ""
	}
	return "0%" + escapeLike.Replace(strings.ToLower(text)) + "%"
}
