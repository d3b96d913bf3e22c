package readapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/readapi"
)

// The contracts of the reference's tests.
const (
	p1 = "SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"
	p2 = "SP3K8BC0PPEVCV7NZ6QSRWPQ2JE9E5B6N3PA0KBR9.key-alex-autoalex-v1"
	n1 = "SP1K1A1PMGW2ZJCNF46NWZWHG8TS1D23EGH1KNK60.friedger-pool-nft"
)

const (
	uri      = "http://test.com/uri.json"
	imageURI = "http://test.com/image.png"
	images   = "https://images.example"
)

var kinds = []token.Kind{token.FT, token.NFT, token.SFT}

// columns of a row to insert.
type columns map[string]any

// newTokenSite is a site with the empty tables of tokens, where images are copied.
func newTokenSite(t testing.TB) *site {
	t.Helper()
	return newSiteOn(t, tokenTables.New(t), readapi.Config{ImageBase: images})
}

// tokenTables are databases with the empty tables of tokens.
var tokenTables = filled("tokens", (*site).tokenTables)

func newTokenSiteOn(t testing.TB, pool *pgxpool.Pool, config readapi.Config) *site {
	t.Helper()
	s := newSiteOn(t, pool, config)
	s.tokenTables()
	return s
}

func (s *site) tokenTables() {
	s.t.Helper()
	ddl, err := os.ReadFile(filepath.Join("..", "projections", "internal", "token", "tables.sql"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, kind := range kinds {
		schema := string(kind) + "_v1"
		s.exec("CREATE SCHEMA " + schema)
		s.exec(strings.ReplaceAll(string(ddl), "{schema}", schema))
		s.exec(`INSERT INTO strata.projection (name, version, input, state) VALUES ($1, 1, 'chain_v1', 'live')`, string(kind))
		s.exec(`INSERT INTO strata.active (name, version) VALUES ($1, 1)`, string(kind))
	}
}

// tokenTip moves all projections of tokens to a block.
func (s *site) tokenTip(height int) {
	s.t.Helper()
	s.exec(`UPDATE strata.projection SET position = position + 1, log_seq = log_seq + 1, shards_from = position + 1,
			block_height = $1, index_block_hash = $2, block_hash = $3, burn_block_height = $1 WHERE name IN ('ft', 'nft', 'sft')`,
		height, id(indexHash, height), id(blockHash, height))
}

// insert adds a row; given columns go before the defaults.
func (s *site) insert(table string, given, defaults columns) {
	s.t.Helper()
	row := maps.Clone(defaults)
	maps.Copy(row, given)
	names := slices.Sorted(maps.Keys(row))
	values, places := make([]any, len(names)), make([]string, len(names))
	for i, name := range names {
		values[i], places[i] = row[name], fmt.Sprintf("$%d", i+1)
	}
	s.exec(fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, table, strings.Join(names, ", "), strings.Join(places, ", ")), values...)
}

func (s *site) contract(kind token.Kind, contract string, given columns) {
	s.t.Helper()
	s.insert(string(kind)+"_v1.contract", given, columns{
		"height": 5, "source_seq": 105, "tx_index": 0, "reason": 0, "txid": []byte{0x12, 0x34, 0x56}, "contract_id": contract, "fungible_token": "ft-token",
	})
}

// unread adds a token that was never read.
func (s *site) unread(kind token.Kind, contract, id string, given columns) {
	s.t.Helper()
	s.insert(string(kind)+"_v1.token", given, columns{"height": 6, "source_seq": 106, "reason": 0, "contract_id": contract, "token_id": id})
}

// read adds a token that was.
func (s *site) read(kind token.Kind, contract, id string, given columns) {
	s.t.Helper()
	row := columns{"read_height": 7, "read_seq": 201, "read_at": time.Unix(1_700_000_000, 0), "uri": uri}
	maps.Copy(row, given)
	if kind == token.FT {
		row["name_key"], row["symbol_key"] = keyOf(row["name"]), keyOf(row["symbol"])
	}
	s.unread(kind, contract, id, row)
}

func keyOf(text any) string {
	if text == nil || text == "" {
		return "1"
	}
	return "0" + strings.ToLower(text.(string))
}

func uriHash(uri string) []byte {
	digest := sha256.Sum256([]byte(uri))
	return digest[:]
}

// document adds a document; nil for one without content.
func (s *site) document(kind token.Kind, uri string, d *document.Document, given columns) {
	s.t.Helper()
	row := columns{"reason": 0, "uri_hash": uriHash(uri), "uri": uri}
	if d != nil {
		row["source_seq"], row["fetched_at"], row["content"] = 202, time.Unix(1_700_000_060, 0), string(d.Encode())
	}
	s.insert(string(kind)+"_v1.document", given, row)
}

// image adds an image; its bytes are its URI. Without bytes, they were never had.
func (s *site) image(kind token.Kind, uri string, had bool, given columns) {
	s.t.Helper()
	row := columns{"reason": 0, "uri_hash": uriHash(uri), "uri": uri}
	if had {
		row["source_seq"], row["sha256"], row["content_type"], row["width"], row["height"] = 203, uriHash(uri), "image/png", 400, 300
	}
	s.insert(string(kind)+"_v1.image", given, row)
}

func imageLink(uri string) string { return images + "/images/" + hex.EncodeToString(uriHash(uri)) }

func (s *site) refer(kind token.Kind, contract, id, role, locale, uri string) {
	s.t.Helper()
	s.insert(string(kind)+"_v1.reference", nil, columns{
		"contract_id": contract, "token_id": id, "role": role, "locale": locale, "uri_hash": uriHash(uri),
	})
}

// want adds what is to be fetched.
func (s *site) want(kind token.Kind, w fetch.Want, severity fetch.Severity, attempts int) {
	s.t.Helper()
	s.insert(string(kind)+"_v1.want", nil, columns{
		"source_seq": 204, "due_at": time.Unix(1_700_003_600, 0), "attempts": attempts, "waits": 0, "priority": 3, "reason": 107, "severity": int(severity),
		"key_hash": uriHash(w.Key()), "kind": string(w.Kind), "want": "{}",
	})
}

func tokenWant(kind token.Kind, contract string, id int64) fetch.Want {
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: token.Calls(kind, big.NewInt(id))}
}

func (s *site) counter(kind token.Kind, name string, n int) {
	s.t.Helper()
	s.exec(`INSERT INTO `+string(kind)+`_v1.counter (name, n) VALUES ($1, $2)`, name, n)
}

// stretches fills the table from the tokens that there are, with so many to a stretch.
func (s *site) stretches(size int) {
	s.t.Helper()
	s.exec(`DELETE FROM ft_v1.stretch`)
	for _, list := range []string{"name", "symbol"} {
		s.exec(strings.ReplaceAll(`
			INSERT INTO ft_v1.stretch (list, n, first_key, first_contract)
			SELECT '{list}', count(*), CASE WHEN stretch = 0 THEN '' ELSE (array_agg({list}_key ORDER BY place))[1] END,
			       CASE WHEN stretch = 0 THEN '' ELSE (array_agg(contract_id ORDER BY place))[1] END
			FROM (
				SELECT {list}_key, contract_id, row_number() OVER w AS place, (row_number() OVER w - 1) / $1 AS stretch
				FROM ft_v1.token WINDOW w AS (ORDER BY {list}_key, contract_id COLLATE "C")
			) t GROUP BY stretch`, "{list}", list), size)
	}
}

func text(s string) *string { return &s }

// fullDocument is what the reference's tests have.
func fullDocument(properties ...document.Property) *document.Document {
	return &document.Document{
		Name: text("hello-world"), Description: text("test"), Image: text(imageURI),
		Attributes: []document.Attribute{
			{TraitType: "strength", DisplayType: text("number"), Value: []byte("105")},
			{TraitType: "powers", DisplayType: text("array"), Value: []byte("[1,2,4]")},
		},
		Properties: append([]document.Property{{Name: "prop1", Value: []byte(`"ABC"`)}, {Name: "prop2", Value: []byte("1")}}, properties...),
	}
}

// full adds a contract, its token 1, its document and image.
func (s *site) full(kind token.Kind, contract string, d *document.Document, given columns) {
	s.t.Helper()
	s.contract(kind, contract, nil)
	s.read(kind, contract, "1", given)
	s.document(kind, uri, d, nil)
	s.refer(kind, contract, "1", "document", "", uri)
	if d.Image != nil {
		s.image(kind, *d.Image, true, nil)
		s.refer(kind, contract, "1", "image", "", *d.Image)
	}
}

// hello is what the contract of the reference's fungible token says.
var hello = columns{"name": "hello-world", "symbol": "HELLO", "decimals": 6, "total_supply": "1"}

func (s *site) expect(target string, status int, body string) reply {
	s.t.Helper()
	got := s.get(target)
	if got.status != status || got.body != body {
		s.t.Errorf("GET %s\n got %d %s\nwant %d %s", target, got.status, got.body, status, body)
	}
	return got
}
