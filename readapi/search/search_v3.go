package search

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/trigram"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// Types of what a search of version 3 finds, in their order among results that match equally well.
const (
	typeBlock         = "block"
	typeBitcoinBlock  = "bitcoin_block"
	typeTransaction   = "transaction"
	typeAddress       = "address"
	typeSmartContract = "smart_contract"
	typeToken         = "token"
	typeMempool       = "mempool_transaction"
	typeName          = "name"
	typeTokenMetadata = "token_metadata"
	typeBRC20Token    = "brc20_token"
)

var (
	// described are the types that a search for all types finds.
	described = []string{typeBlock, typeBitcoinBlock, typeTransaction, typeAddress, typeSmartContract, typeToken}
	allTypes  = append(slices.Clone(described), typeMempool, typeName, typeTokenMetadata, typeBRC20Token)
)

// searchTypes is the query parameter that names the types to search. It may be repeated, and each text may hold several
// types separated by commas.
type searchTypes []string

// Schema implements huma.SchemaProvider.
func (searchTypes) Schema(huma.Registry) *huma.Schema {
	one := `(` + strings.Join(allTypes, "|") + `)`
	return schema.ListOf("Types to search: "+strings.Join(allTypes, ", ")+"; by default all but the last four, which Strata adds. To name several, repeat the parameter or separate the types with commas.",
		&huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^` + one + `(,` + one + `)*$`), Examples: []any{typeTransaction}})
}

type searchV3Input struct {
	Term  string      `query:"q" required:"true" maxLength:"200" doc:"The hash of a block or transaction or at least 8 digits of its beginning; a height; an address or at least 6 characters of its beginning; the beginning of a contract's or asset's identifier, with its dot; at least 3 characters of a name, wherever they are in it; or, for token_metadata and brc20_token, the beginning of a name, symbol or ticker, in any case. Whitespace around it is ignored."`
	Types searchTypes `query:"type,explode"`
}

// text returns the term as it is searched.
func (in *searchV3Input) text() string { return strings.TrimSpace(in.Term) }

// wants reports whether the search includes a type.
func (in *searchV3Input) wants(kind string) bool {
	types := param.SplitList(in.Types)
	return len(types) == 0 && slices.Contains(described, kind) || slices.Contains(types, kind)
}

// searchResults is what a search of version 3 found.
type searchResults struct {
	Results []searchResult `json:"results" nullable:"false" doc:"At most 20: what equals the term, what begins with it, and what has it elsewhere. Empty when nothing was found."`
}

// searchResult is one thing that a search found: one of the types below.
type searchResult struct{ any }

type (
	blockResult struct {
		Type   string            `json:"type" enum:"block"`
		Result view.BlockSummary `json:"result"`
	}
	bitcoinResult struct {
		Type   string       `json:"type" enum:"bitcoin_block"`
		Result bitcoinMatch `json:"result"`
	}
	transactionResult struct {
		Type   string                  `json:"type" enum:"transaction"`
		Result view.TransactionSummary `json:"result"`
	}
	addressResult struct {
		Type   string       `json:"type" enum:"address"`
		Result addressMatch `json:"result"`
	}
	contractResult struct {
		Type   string               `json:"type" enum:"smart_contract"`
		Result view.ContractSummary `json:"result"`
	}
	tokenResult struct {
		Type   string     `json:"type" enum:"token"`
		Result tokenMatch `json:"result"`
	}
	waitingResult struct {
		Type   string              `json:"type" enum:"mempool_transaction"`
		Result view.WaitingSummary `json:"result" doc:"One that waits or was dropped."`
	}
	nameResult struct {
		Type   string    `json:"type" enum:"name"`
		Result nameMatch `json:"result" doc:"A name in a registry of the Bitcoin Name System; BNS-V2 comes first."`
	}
	metadataResult struct {
		Type   string        `json:"type" enum:"token_metadata"`
		Result metadataMatch `json:"result" doc:"A fungible token whose name or symbol begins with the term."`
	}
	brc20Result struct {
		Type   string     `json:"type" enum:"brc20_token"`
		Result brc20Match `json:"result" doc:"A BRC-20 token whose ticker begins with the term."`
	}
)

// Schema implements huma.SchemaProvider.
func (searchResult) Schema(r huma.Registry) *huma.Schema {
	return view.OneOf(r, "SearchResult", "type", reflect.TypeFor[blockResult](), reflect.TypeFor[bitcoinResult](), reflect.TypeFor[transactionResult](),
		reflect.TypeFor[addressResult](), reflect.TypeFor[contractResult](), reflect.TypeFor[tokenResult](), reflect.TypeFor[waitingResult](), reflect.TypeFor[nameResult](),
		reflect.TypeFor[metadataResult](), reflect.TypeFor[brc20Result]())
}

// MarshalJSON implements json.Marshaler.
func (r searchResult) MarshalJSON() ([]byte, error) { return engine.Encode(r.any) }

type bitcoinMatch struct {
	Height int64       `json:"height"`
	Hash   hash.Hash32 `json:"hash"`
}

type addressMatch struct {
	Principal string `json:"principal"`
}

type tokenMatch struct {
	AssetIdentifier string `json:"asset_identifier"`
	AssetType       string `json:"asset_type" enum:"ft,nft"`
	ContractID      string `json:"contract_id"`
	AssetName       string `json:"asset_name"`
}

type nameMatch struct {
	Name string `json:"name"`
	view.RegisteredName
}

func (a *api) registerSearchV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "search-v3", Path: "/extended/v3/search", Tag: "Status", Summary: "Find blocks, transactions, accounts, contracts and tokens",
		Description: "Only what is canonical is found, unless type asks for more. A term may be meant in several ways, and finds all of them.",
		Statuses:    []int{http.StatusBadRequest},
	}, searchV3)
}

// most is the largest number of results, of each type and of all.
const most = 20

// How well a result matches.
const (
	exact = iota
	beginning
	anywhere
)

// matches are what a search found, by how well it matches.
type matches [anywhere + 1][]searchResult

func (m *matches) add(rank int, result any) { m[rank] = append(m[rank], searchResult{result}) }

// best returns the results that match best, as many as an answer has.
func (m *matches) best() []searchResult {
	all := append([]searchResult{}, slices.Concat(m[:]...)...)
	return all[:min(len(all), most)]
}

func searchV3(ctx context.Context, s *engine.Snapshot, in *searchV3Input) (*searchResults, error) {
	t := parseTerm(in.text())
	var all matches
	for _, find := range []func(context.Context, *engine.Snapshot, *searchV3Input, *term, *matches) error{
		findChain, findAddresses, findNamed, findWaiting, findNames, findTokens, findBRC20Tokens,
	} {
		if err := find(ctx, s, in, &t, &all); err != nil {
			return nil, err
		}
	}
	results := all.best()
	if t.senseless() && len(results) == 0 && !in.takesAnyText() {
		return nil, engine.BadRequest("The term is not a block or transaction hash, a block height, an address, a contract id, or an asset identifier. " +
			"It needs at least 8 digits of a hash, 6 characters of an address, or 3 of a name.")
	}
	return &searchResults{Results: results}, nil
}

// rankOfBeginning returns how well what begins with the term matches it.
func rankOfBeginning(whole bool) int {
	if whole {
		return exact
	}
	return beginning
}

// findChain finds blocks, Bitcoin blocks and transactions.
func findChain(ctx context.Context, s *engine.Snapshot, in *searchV3Input, t *term, found *matches) error {
	if t.hashes == nil && t.height == nil || !engine.Ready(s, "chain", "accounts") {
		return nil
	}
	rank := exact
	var first, last any
	if t.hashes != nil {
		if !t.hashes.whole {
			rank = beginning
		}
		first, last = t.hashes.first, t.hashes.last
	}
	rankOf := func(height int64) int {
		if t.height != nil && *t.height == height {
			return exact
		}
		return rank
	}
	b := s.Batch()
	blocks, transactions := &engine.Result[view.BlockRow]{}, &engine.Result[view.TransactionRow]{}
	var bitcoin []*engine.Result[bitcoinMatch]
	if in.wants(typeBlock) {
		blocks = engine.Query(b, view.BlockColumns, view.OfChain.SQL(`
			WHERE b.index_block_hash BETWEEN $1 AND $2 OR b.block_hash BETWEEN $1 AND $2 OR b.height = $3
			ORDER BY b.height = $3 DESC NULLS LAST, b.height DESC LIMIT $4`), first, last, t.height, most)
	}
	if in.wants(typeBitcoinBlock) {
		columns := func(r *bitcoinMatch) []any { return []any{&r.Height, &r.Hash} }
		bitcoin = append(bitcoin, engine.Query(b, columns, `
			SELECT {chain.burn_block k}, k.height, k.burn_block_hash FROM {chain}.burn_block k
			WHERE k.canonical AND (k.burn_block_hash BETWEEN $1 AND $2 OR k.height = $3) ORDER BY k.height DESC LIMIT $4`, first, last, t.height, most))
		// The node announces no Bitcoin blocks from before it posted to the log.
		bitcoin = append(bitcoin, engine.Query(b, columns, `
			SELECT DISTINCT ON (k.burn_block_height) {accounts.block k}, k.burn_block_height, k.burn_block_hash FROM {accounts}.block k
			WHERE k.burn_block_hash BETWEEN $1 AND $2 OR k.burn_block_height = $3 ORDER BY k.burn_block_height DESC, k.height LIMIT $4`, first, last, t.height, most))
	}
	if t.hashes != nil && in.wants(typeTransaction) {
		transactions = engine.Query(b, view.TransactionColumns, `
			SELECT `+view.TransactionSQL+`FROM {chain}.transaction t`+view.TransactionBlocksSQL+`
			WHERE t.txid BETWEEN $1 AND $2 AND c.height IS NOT NULL ORDER BY c.height DESC, t.execution_index DESC LIMIT $3`, first, last, most)
	}
	if len(b.Queries) == 0 {
		return nil
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	for i := range blocks.Rows {
		block := view.SummarizeBlock(blocks.Rows[i].Shape())
		found.add(rankOf(block.Height), blockResult{typeBlock, block})
	}
	var known []bitcoinMatch
	for _, r := range bitcoin {
		known = append(known, r.Rows...)
	}
	slices.SortStableFunc(known, func(a, b bitcoinMatch) int { return cmp.Compare(b.Height, a.Height) })
	known = slices.CompactFunc(known, func(a, b bitcoinMatch) bool { return a.Height == b.Height })
	for _, block := range known[:min(len(known), most)] {
		found.add(rankOf(block.Height), bitcoinResult{typeBitcoinBlock, block})
	}
	rows := view.RowsOf(transactions)
	if len(rows) == 0 {
		return nil
	}
	if _, err := view.Complete(ctx, s, rows, true, nil); err != nil {
		return err
	}
	for _, row := range rows {
		found.add(rank, transactionResult{typeTransaction, view.Summarize(row)})
	}
	return nil
}

// addressesMost bounds the addresses that begin alike and are ordered by what they did.
const addressesMost = 200

// findAddresses finds the addresses of the canonical chain.
func findAddresses(ctx context.Context, s *engine.Snapshot, in *searchV3Input, t *term, found *matches) error {
	if t.address == "" || !in.wants(typeAddress) || !engine.Ready(s, "accounts") {
		return nil
	}
	b := s.Batch()
	rows := engine.Query(b, func(r *addressMatch) []any { return []any{&r.Principal} }, `
		SELECT {accounts.account a}, a.account
		FROM (
			SELECT * FROM {accounts}.account a WHERE a.account >= $1 AND a.account < $2 AND strpos(a.account, '.') = 0 ORDER BY a.account LIMIT $3
		) a
		CROSS JOIN LATERAL (SELECT n FROM {accounts}.account_transaction t WHERE t.account = a.id ORDER BY n DESC LIMIT 1) t
		ORDER BY a.account = $1 DESC, t.n DESC, a.account LIMIT $4`, t.address, param.AfterPrefix(t.address), addressesMost, most)
	if err := b.Run(ctx); err != nil {
		return err
	}
	for _, match := range rows.Rows {
		found.add(rankOfBeginning(match.Principal == t.address), addressResult{typeAddress, match})
	}
	return nil
}

// nameRow is a name of the projection search.
type nameRow struct {
	view.RowKey
	fungible bool
	name     string
}

func nameColumns(r *nameRow) []any { return []any{&r.Seq, &r.Index, &r.fungible, &r.name} }

// What is looked at of the names that begin alike, or have the same sequences of characters. Of more, the first are ordered.
const namesMost = 2000

// queueNames adds the query for the names of a class that a text is part of. Those whose last part begins with the text come
// first, in the order of that part and then of age; then the shortest.
func queueNames(b *engine.Batch, r reading, class int32) *engine.Result[nameRow] {
	const fields = `SELECT {search.name n}, n.source_seq, n.tx_index, n.fungible, n.name FROM `
	switch {
	case r.beginning != "":
		order := `n.name`
		if class == trigram.Contract {
			order = `n.name = $1 DESC, n.height DESC, n.tx_index DESC`
		}
		return engine.Query(b, nameColumns, fields+`(SELECT * FROM {search}.name n WHERE n.name >= $1 AND n.name < $2 AND n.class = $3 ORDER BY n.name LIMIT $4) n
			ORDER BY `+order+` LIMIT $5`, r.beginning, param.AfterPrefix(r.beginning), class, namesMost, most)
	case r.part != "":
		return engine.Query(b, nameColumns, `
			WITH first AS MATERIALIZED (
				SELECT n.name FROM {search}.name n WHERE n.class = $1 AND n.last >= $2 AND n.last < $3 ORDER BY n.last, n.height, n.name LIMIT $6
			), part AS (
				SELECT name FROM first
				UNION
				SELECT name FROM (
					SELECT n.name FROM (SELECT n.name, n.length FROM {search}.name n WHERE n.trigrams @> $4 LIMIT $5) n
					WHERE (SELECT count(*) FROM first) < $6 AND strpos(lower(n.name), $2) > 0 ORDER BY n.length, n.name LIMIT $6
				) n
			)
			`+fields+`{search}.name n WHERE n.name IN (SELECT name FROM part)
			ORDER BY CASE WHEN starts_with(n.last, $2) THEN n.last END NULLS LAST, CASE WHEN starts_with(n.last, $2) THEN n.height ELSE n.length END, n.name LIMIT $6`,
			class, r.part, param.AfterPrefix(r.part), append(trigram.Of(r.part), class), namesMost, most)
	}
	return &engine.Result[nameRow]{}
}

// findNamed finds contracts and tokens by their identifiers.
func findNamed(ctx context.Context, s *engine.Snapshot, in *searchV3Input, t *term, found *matches) error {
	if !engine.Ready(s, "chain", "search") {
		return nil
	}
	contracts, tokens := &engine.Result[nameRow]{}, &engine.Result[nameRow]{}
	b := s.Batch()
	if in.wants(typeSmartContract) {
		contracts = queueNames(b, t.contract, trigram.Contract)
	}
	if in.wants(typeToken) {
		tokens = queueNames(b, t.asset, trigram.Asset)
	}
	if len(b.Queries) == 0 {
		return nil
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	rankOf := func(name string) int {
		switch t.asset.beginning { // the whole term, if it has a dot
		case name:
			return exact
		case "":
			return anywhere
		}
		return beginning
	}
	summaries, err := summarizeContracts(ctx, s, contracts.Rows)
	if err != nil {
		return err
	}
	for i, summary := range summaries {
		found.add(rankOf(contracts.Rows[i].name), contractResult{typeSmartContract, summary})
	}
	for _, row := range tokens.Rows {
		kind := "nft"
		if row.fungible {
			kind = "ft"
		}
		contract, asset, _ := strings.Cut(row.name, "::")
		found.add(rankOf(row.name), tokenResult{typeToken, tokenMatch{row.name, kind, contract, asset}})
	}
	return nil
}

// summarizeContracts reads the deployments of contracts.
func summarizeContracts(ctx context.Context, s *engine.Snapshot, rows []nameRow) ([]view.ContractSummary, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	keys := make([]view.RowKey, len(rows))
	for i := range rows {
		keys[i] = rows[i].RowKey
	}
	type version struct {
		view.RowKey
		clarity *int16
	}
	b := s.Batch()
	places := view.QueuePlaces(b, keys)
	seqs, indexes := view.KeyColumns(keys)
	versions := engine.Query(b, func(v *version) []any { return []any{&v.Seq, &v.Index, &v.clarity} }, `
		SELECT {chain.contract d}, d.source_seq, d.tx_index, d.clarity_version
		FROM unnest($1::text[], $2::bigint[], $3::int[]) AS k (name, seq, tx)
		JOIN {chain}.contract d ON d.contract_id = k.name AND d.source_seq = k.seq AND d.tx_index = k.tx`, namesOf(rows), seqs, indexes)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	clarity := map[view.RowKey]*int16{}
	for _, v := range versions.Rows {
		clarity[v.RowKey] = v.clarity
	}
	at := view.PlacesOf(places)
	all := make([]view.ContractSummary, len(rows))
	for i, row := range rows {
		all[i] = view.ContractSummary{ContractID: row.name, ClarityVersion: clarity[row.RowKey], DeploymentPlace: at[row.RowKey].Deployment()}
	}
	return all, nil
}

func namesOf(rows []nameRow) []string {
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].name
	}
	return names
}

// findNames finds names of the Bitcoin Name System, which only a search for their type does.
func findNames(ctx context.Context, s *engine.Snapshot, in *searchV3Input, _ *term, found *matches) error {
	part := strings.ToLower(in.text())
	if !in.wants(typeName) || len(part) < partLeast || !namePart.MatchString(part) || !engine.Ready(s, "search") {
		return nil
	}
	b := s.Batch()
	rows := queueNames(b, reading{part: part}, trigram.Name)
	if err := b.Run(ctx); err != nil {
		return err
	}
	if len(rows.Rows) == 0 {
		return nil
	}
	b = s.Batch()
	registered := make([][2]*engine.Result[view.RegisteredName], len(rows.Rows))
	for i, row := range rows.Rows {
		registered[i] = [2]*engine.Result[view.RegisteredName]{view.QueueSecondName(b, row.name), view.QueueFirstName(b, row.name)}
	}
	if len(b.Queries) == 0 {
		return nil
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	for i, row := range rows.Rows {
		rank := anywhere
		if row.name == part {
			rank = exact
		}
		for _, registry := range registered[i] {
			for _, name := range registry.Rows {
				found.add(rank, nameResult{typeName, nameMatch{row.name, name}})
			}
		}
	}
	return nil
}

// findWaiting finds a transaction of the mempool, which only a search for its type does.
func findWaiting(ctx context.Context, s *engine.Snapshot, in *searchV3Input, t *term, found *matches) error {
	if t.hashes == nil || !t.hashes.whole || !in.wants(typeMempool) {
		return nil
	}
	all, err := view.FindTransactions(ctx, s, t.hashes.first)
	if err != nil {
		return err
	}
	waiting := all[t.hashes.first].Waiting
	if waiting == nil {
		return nil
	}
	if _, err := view.Complete(ctx, s, []*view.TransactionRow{&waiting.TransactionRow}, true, nil); err != nil {
		return err
	}
	found.add(exact, waitingResult{typeMempool, view.WaitingSummary{WaitingBase: view.NewWaitingBase(waiting), SummaryPayload: view.SummarizePayload(waiting.Tx)}})
	return nil
}

var (
	// tracedName traces the names of contracts and tokens.
	tracedName = &engine.TraceTable{
		Projection: "search", Name: "name", Key: "name", Order: "t.name", Values: "class fungible height",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}},
	}
	// tracedBitcoinBlock traces the Bitcoin blocks that a node has announced.
	tracedBitcoinBlock = &engine.TraceTable{
		Projection: "chain", Name: "burn_block", Key: "burn_block_hash:hex consensus_hash:hex", Order: "t.height DESC", Values: "height",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}, {Column: "changed_seq", Pointers: engine.WholeEvent}},
	}
)
