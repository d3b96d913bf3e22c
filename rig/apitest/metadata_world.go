package apitest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/readapi"
)

// The contracts of the reference's tests.
const (
	P1 = "SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"
	P2 = "SP3K8BC0PPEVCV7NZ6QSRWPQ2JE9E5B6N3PA0KBR9.key-alex-autoalex-v1"
	N1 = "SP1K1A1PMGW2ZJCNF46NWZWHG8TS1D23EGH1KNK60.friedger-pool-nft"
)

const (
	URI      = "http://test.com/uri.json"
	ImageURI = "http://test.com/image.png"
	Images   = "https://images.example"
)

var Kinds = []token.Kind{token.FT, token.NFT, token.SFT}

// columns of a row to insert.
type Columns map[string]any

// newTokenSite is a site with the empty tables of tokens, where images are copied.
func NewTokenSite(t testing.TB) *Site {
	t.Helper()
	return NewSiteOn(t, tokenTables.New(t), readapi.Config{ImageBase: Images})
}

// tokenTables are databases with the empty tables of tokens.
var tokenTables = filled("tokens", (*Site).tokenTables)

func NewTokenSiteOn(t testing.TB, pool *pgxpool.Pool, config readapi.Config) *Site {
	t.Helper()
	s := NewSiteOn(t, pool, config)
	s.tokenTables()
	return s
}

func (s *Site) tokenTables() {
	s.T.Helper()
	for _, kind := range Kinds {
		s.tables(string(kind), "chain_v1", "projections", "internal", "token", "tables.sql")
	}
}

// tokenTip moves all projections of tokens to a block.
func (s *Site) TokenTip(height int) {
	s.T.Helper()
	s.Exec(`UPDATE strata.projection SET position = position + 1, log_seq = log_seq + 1, changes_from = position + 1, changes_to = position + 1,
			block_height = $1, index_block_hash = $2, block_hash = $3, burn_block_height = $1 WHERE name IN ('ft', 'nft', 'sft')`,
		height, ID(IndexHash, height), ID(BlockHash, height))
}

// insert adds a row; given columns go before the defaults.
func (s *Site) Insert(table string, given, defaults Columns) {
	s.T.Helper()
	row := maps.Clone(defaults)
	maps.Copy(row, given)
	names := slices.Sorted(maps.Keys(row))
	values, places := make([]any, len(names)), make([]string, len(names))
	for i, name := range names {
		values[i], places[i] = row[name], fmt.Sprintf("$%d", i+1)
	}
	s.Exec(fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, table, strings.Join(names, ", "), strings.Join(places, ", ")), values...)
}

// tokenSchema returns the schema of the active version of a kind: a made-up one, or that of the projection's own rules.
func (s *Site) tokenSchema(kind token.Kind) string {
	s.T.Helper()
	schema := string(kind) + "_v1"
	err := s.Pool.QueryRow(s.T.Context(), `SELECT name || '_v' || version FROM strata.active WHERE name = $1`, string(kind)).Scan(&schema)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		s.T.Fatal(err)
	}
	return schema
}

func (s *Site) Contract(kind token.Kind, contract string, given Columns) {
	s.T.Helper()
	s.Insert(s.tokenSchema(kind)+".contract", given, Columns{
		"height": 5, "source_seq": 105, "tx_index": 0, "reason": 0, "txid": []byte{0x12, 0x34, 0x56}, "contract_id": contract, "fungible_token": "ft-token",
	})
}

// unread adds a token that was never read.
func (s *Site) Unread(kind token.Kind, contract, id string, given Columns) {
	s.T.Helper()
	s.Insert(s.tokenSchema(kind)+".token", given, Columns{"height": 6, "source_seq": 106, "reason": 0, "contract_id": contract, "token_id": id})
}

// read adds a token that was.
func (s *Site) Read(kind token.Kind, contract, id string, given Columns) {
	s.T.Helper()
	row := Columns{"read_height": 7, "read_seq": 201, "read_at": time.Unix(1_700_000_000, 0), "uri": URI}
	maps.Copy(row, given)
	if kind == token.FT {
		row["name_key"], row["symbol_key"] = keyOf(row["name"]), keyOf(row["symbol"])
	}
	s.Unread(kind, contract, id, row)
}

func keyOf(text any) string {
	if text == nil || text == "" {
		return "1"
	}
	return "0" + strings.ToLower(text.(string))
}

func URIHash(uri string) []byte {
	digest := sha256.Sum256([]byte(uri))
	return digest[:]
}

// document adds a document; nil for one without content.
func (s *Site) Document(kind token.Kind, uri string, d *document.Document, given Columns) {
	s.T.Helper()
	row := Columns{"reason": 0, "uri_hash": URIHash(uri), "uri": uri}
	if d != nil {
		row["source_seq"], row["fetched_at"], row["content"] = 202, time.Unix(1_700_000_060, 0), string(d.Encode())
	}
	s.Insert(s.tokenSchema(kind)+".document", given, row)
}

// image adds an image; its bytes are its URI. Without bytes, they were never had.
func (s *Site) Image(kind token.Kind, uri string, had bool, given Columns) {
	s.T.Helper()
	row := Columns{"reason": 0, "uri_hash": URIHash(uri), "uri": uri}
	if had {
		row["source_seq"], row["sha256"], row["content_type"], row["width"], row["height"] = 203, URIHash(uri), "image/png", 400, 300
	}
	s.Insert(s.tokenSchema(kind)+".image", given, row)
}

func (s *Site) Refer(kind token.Kind, contract, id, role, locale, uri string) {
	s.T.Helper()
	s.Insert(s.tokenSchema(kind)+".reference", nil, Columns{
		"contract_id": contract, "token_id": id, "role": role, "locale": locale, "uri_hash": URIHash(uri),
	})
}

// want adds what is to be fetched.
func (s *Site) Want(kind token.Kind, w fetch.Want, severity fetch.Severity, attempts int) {
	s.T.Helper()
	s.Insert(s.tokenSchema(kind)+".want", nil, Columns{
		"source_seq": 204, "due_at": time.Unix(1_700_003_600, 0), "attempts": attempts, "waits": 0, "priority": 3, "reason": 107, "severity": int(severity),
		"key_hash": URIHash(w.Key()), "kind": string(w.Kind), "wanted_by": w.Contract, "want": "{}",
	})
}

func TokenWant(kind token.Kind, contract string, id int64) fetch.Want {
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: token.Calls(kind, big.NewInt(id))}
}

func Text(s string) *string { return &s }

// fullDocument is what the reference's tests have.
func FullDocument(properties ...document.Property) *document.Document {
	return &document.Document{
		Name: Text("hello-world"), Description: Text("test"), Image: Text(ImageURI),
		Attributes: []document.Attribute{
			{TraitType: "strength", DisplayType: Text("number"), Value: []byte("105")},
			{TraitType: "powers", DisplayType: Text("array"), Value: []byte("[1,2,4]")},
		},
		Properties: append([]document.Property{{Name: "prop1", Value: []byte(`"ABC"`)}, {Name: "prop2", Value: []byte("1")}}, properties...),
	}
}

// full adds a contract, its token 1, its document and image.
func (s *Site) Full(kind token.Kind, contract string, d *document.Document, given Columns) {
	s.T.Helper()
	s.Contract(kind, contract, nil)
	s.Read(kind, contract, "1", given)
	s.Document(kind, URI, d, nil)
	s.Refer(kind, contract, "1", "document", "", URI)
	if d.Image != nil {
		s.Image(kind, *d.Image, true, nil)
		s.Refer(kind, contract, "1", "image", "", *d.Image)
	}
}

func (s *Site) Expect(target string, status int, body string) Reply {
	s.T.Helper()
	got := s.Get(target)
	if got.Status != status || got.Body != body {
		s.T.Errorf("GET %s\n got %d %s\nwant %d %s", target, got.Status, got.Body, status, body)
	}
	return got
}
