package token

import (
	"fmt"
	"strings"

	"strata/domain/token"
	"strata/readapi/internal/engine"
)

// tracedTokenTables holds the tables of a kind of token.
type tracedTokenTables struct {
	contract, token, mintedToken, reference, document, image, want, rest, notification *engine.TraceTable
}

var tracedTokens = func() map[token.Kind]*tracedTokenTables {
	tables := map[token.Kind]*tracedTokenTables{}
	for _, kind := range tokenKinds {
		tables[kind] = newTracedTokenTables(kind)
	}
	return tables
}()

// firstMint is an SQL expression for the JSON pointers of the mints of a non-fungible token t in its block, from the
// events of the projection chain. Their values are serialised numbers (SIP-005); it finds token ids below 2^63 only.
const firstMint = `(
	SELECT array_agg('/events/' || e.pointer ORDER BY e.tx_index, e.event_index)
	FROM {chain}.event e
	WHERE e.source_seq = t.source_seq AND e.type = 'nft_mint_event' AND split_part(e.asset_identifier, '::', 1) = t.contract_id
	  AND e.value = CASE WHEN t.token_id < 9223372036854775808 THEN '\x01'::bytea || decode(lpad(to_hex(t.token_id::bigint), 32, '0'), 'hex') END)`

func newTracedTokenTables(kind token.Kind) *tracedTokenTables {
	report := func(column string) engine.TraceSource { return engine.TraceSource{Column: column, Report: true} }
	projection := string(kind)
	// The reference to a token's own document comes from its contract, any other from the document that has it.
	const referrer = `CASE WHEN t.role = 'document' AND t.locale = '' THEN k.read_seq ELSE d.source_seq END`
	tables := &tracedTokenTables{
		contract: &engine.TraceTable{
			Name: "contract", Key: "contract_id", Values: "height txid:hex fungible_token non_fungible_token last_token_id:text read_height reason",
			Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}, report("interface_seq"), report("read_seq"), report("failed_seq")},
		},
		token: &engine.TraceTable{
			Name: "token", Key: "contract_id token_id:text", Join: `JOIN {` + projection + `}.contract c ON c.contract_id = t.contract_id`,
			Values: "height read_height uri name symbol decimals total_supply:text reason",
			Sources: []engine.TraceSource{
				// The source is the block that deployed the contract, a block with a mint, or a report of the number of
				// tokens.
				{Column: "source_seq", Pointers: `CASE t.source_seq WHEN c.source_seq THEN ARRAY['/transactions/' || c.tx_index] ELSE ` + engine.WholeEvent + ` END`, Report: true},
				report("read_seq"), report("supply_seq"), report("failed_seq"),
			},
		},
		reference: &engine.TraceTable{
			Name: "reference", Key: "contract_id token_id:text role locale", Values: "uri_hash:hex",
			Join: `JOIN {` + projection + `}.token k ON k.contract_id = t.contract_id AND k.token_id = t.token_id
				LEFT JOIN {` + projection + `}.reference o ON o.contract_id = t.contract_id AND o.token_id = t.token_id AND o.role = 'document'
					AND o.locale = CASE t.role WHEN 'image' THEN t.locale ELSE '' END
				LEFT JOIN {` + projection + `}.document d ON d.uri_hash = o.uri_hash`,
			Sources: []engine.TraceSource{{Column: "said", SQL: referrer, Report: true}},
		},
		document: &engine.TraceTable{
			Name: "document", Key: "uri_hash:hex", Values: "uri reason",
			Sources: []engine.TraceSource{report("source_seq"), report("failed_seq")},
		},
		image: &engine.TraceTable{
			Name: "image", Key: "uri_hash:hex", Values: "uri sha256:hex content_type width height reason",
			Sources: []engine.TraceSource{report("source_seq"), report("failed_seq")},
		},
		want: &engine.TraceTable{
			Name: "want", Key: "key_hash:hex", Values: "kind due_at attempts priority reason severity",
			Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent, Report: true}},
		},
		rest: &engine.TraceTable{
			Name: "rest", Key: "contract_id", Values: "until",
			Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
		},
		notification: &engine.TraceTable{
			Name: "notification", Key: "contract_id token_id:text height tx_index event_index", Values: "mode ttl:text",
			Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
		},
	}
	minted := *tables.token
	minted.Sources = append([]engine.TraceSource{{Column: "source_seq", Pointers: `coalesce(` + firstMint + `, ` + engine.WholeEvent + `)`, Report: true}}, tables.token.Sources[1:]...)
	tables.mintedToken = &minted
	for _, t := range []*engine.TraceTable{tables.contract, tables.token, tables.mintedToken, tables.reference, tables.document, tables.image, tables.want, tables.rest, tables.notification} {
		t.Projection = projection
	}
	return tables
}

// listLookups returns the look-ups of the rows of fungible tokens in the list.
func listLookups(s *engine.Snapshot, shown []listedToken) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	refs := make([]tokenRef, len(shown))
	for i, t := range shown {
		refs[i] = newTokenRef(t.ContractPrincipal, "1")
	}
	return tokenLookups(s, []token.Kind{token.FT}, locales{}, refs...)
}

// tokenLookups returns the look-ups of the rows of tokens: contracts, tokens, references, documents and images; for a
// single token also its wants.
func tokenLookups(s *engine.Snapshot, kinds []token.Kind, of locales, refs ...tokenRef) (lookups []engine.Lookup) {
	contracts, ids := make([]string, len(refs)), make([]*string, len(refs))
	for i, n := range refs {
		contracts[i], ids[i] = n.contract, n.text()
	}
	for _, kind := range kinds {
		tables := tracedTokens[kind]
		tokens := tables.token
		if kind == token.NFT && s.Active("chain") != nil {
			tokens = tables.mintedToken
		}
		sql := strings.NewReplacer("{projection}", "{"+string(kind)+"}")
		const requested = `(t.contract_id, t.token_id) IN (SELECT contract_id, token_id::numeric FROM unnest($1::text[], $2::text[]) AS requested (contract_id, token_id))`
		const ofLocale = ` AND ($3::boolean OR t.locale IN ('', $4::text))`
		resource := func(role string) string {
			return sql.Replace(fmt.Sprintf(`t.uri_hash IN (SELECT t.uri_hash FROM {projection}.reference t WHERE t.role = '%s' AND %s%s)`, role, requested, ofLocale))
		}
		args := []any{contracts, ids, of.all, of.one}
		add := func(table *engine.TraceTable, where, order string, args ...any) {
			lookups = append(lookups, engine.Lookup{Name: string(kind) + " " + table.Name, Table: table, Where: where, Args: args, Order: order})
		}
		add(tables.contract, `t.contract_id = ANY ($1)`, `t.contract_id`, contracts)
		add(tokens, requested, `t.contract_id, t.token_id`, contracts, ids)
		add(tables.reference, requested+ofLocale, `t.contract_id, t.token_id, t.role, t.locale`, args...)
		add(tables.document, resource("document"), `t.uri_hash`, args...)
		add(tables.image, resource("image"), `t.uri_hash`, args...)
		if len(refs) == 1 {
			add(tables.want, sql.Replace(`t.key_hash = ANY ($5) OR t.key_hash IN (
				SELECT sha256(convert_to(r.role || ' ' || coalesce(d.uri, i.uri), 'UTF8'))
				FROM (SELECT t.* FROM {projection}.reference t WHERE `+requested+ofLocale+`) r`+resourceTables+`)`), `t.key_hash`, append(args, readKeys(kind, refs[0]))...)
		}
	}
	return lookups
}

// notificationLookups returns the look-ups of the notification in force, as queryNotification selects it.
func notificationLookups(kinds []token.Kind, ref tokenRef) (lookups []engine.Lookup) {
	for _, kind := range kinds {
		lookups = append(lookups, engine.Lookup{
			Name: string(kind) + " notification", Table: tracedTokens[kind].notification, Args: []any{ref.contract, ref.text()}, Order: `t.height`,
			Where: `t.ctid = (
				SELECT ctid FROM {` + string(kind) + `}.notification
				WHERE contract_id = $1 AND (token_id IS NULL OR token_id = $2::text::numeric)
				ORDER BY mode = 'frozen' DESC, height DESC, tx_index DESC, event_index DESC LIMIT 1)`,
		})
	}
	return lookups
}
