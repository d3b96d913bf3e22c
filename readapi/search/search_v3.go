package search

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// Types of what a search of version 3 finds.
const (
	typeTransaction   = "transaction"
	typeMempool       = "mempool_transaction"
	typeBlock         = "block"
	typeBitcoinBlock  = "bitcoin_block"
	typeSmartContract = "smart_contract"
	typePrincipal     = "principal"
	typeName          = "name"
)

// searchTypes is the query parameter that names the types to search. It may be repeated, and each text may hold several
// types separated by commas.
type searchTypes []string

// Schema implements huma.SchemaProvider.
func (searchTypes) Schema(huma.Registry) *huma.Schema {
	const one = `(` + typeTransaction + `|` + typeMempool + `|` + typeBlock + `|` + typeBitcoinBlock + `|` + typeSmartContract + `|` + typePrincipal + `|` + typeName + `)`
	return schema.ListOf("Types to search: transaction, mempool_transaction, block, bitcoin_block, smart_contract, principal, name; by default all. To name several, repeat the parameter or separate the types with commas.",
		&huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^` + one + `(,` + one + `)*$`), Examples: []any{typeTransaction}})
}

type searchV3Input struct {
	Term  string      `query:"q" required:"true" maxLength:"200" doc:"A transaction id, the hash or the height of a Stacks or a Bitcoin block, an index block hash, a contract, an address or a name. Whitespace around it is ignored."`
	Types searchTypes `query:"type,explode"`
}

// wants reports whether the search includes a type.
func (in *searchV3Input) wants(kind string) bool {
	types := param.SplitList(in.Types)
	return len(types) == 0 || slices.Contains(types, kind)
}

// searchResults is what a search of version 3 found.
type searchResults struct {
	Results []searchResult `json:"results" nullable:"false" doc:"Empty when nothing was found."`
}

// searchResult is one thing that a search found. It has the member that its type names.
type searchResult struct {
	Type               string                   `json:"type" enum:"transaction,mempool_transaction,block,bitcoin_block,smart_contract,principal,name"`
	Transaction        *view.TransactionSummary `json:"transaction,omitempty"`
	MempoolTransaction *view.WaitingSummary     `json:"mempool_transaction,omitempty" doc:"One that waits or was dropped."`
	Block              *view.BlockSummary       `json:"block,omitempty"`
	BitcoinBlock       *view.BitcoinSummary     `json:"bitcoin_block,omitempty" doc:"One that has Stacks blocks."`
	SmartContract      *contractMatch           `json:"smart_contract,omitempty"`
	Principal          *principalMatch          `json:"principal,omitempty" doc:"An address or contract that the chain knows."`
	Name               *nameMatch               `json:"name,omitempty" doc:"A name in a registry of the Bitcoin Name System; BNS-V2 comes first."`
}

type contractMatch struct {
	ContractID string      `json:"contract_id"`
	TxID       hash.Hash32 `json:"tx_id" doc:"The transaction that deployed it."`
}

type principalMatch struct {
	Address string `json:"address"`
}

type nameMatch struct {
	Name string `json:"name"`
	view.RegisteredName
}

func (a *api) registerSearchV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "search-v3", Path: "/extended/v3/search", Tag: "Status", Summary: "Find transactions, blocks, contracts, accounts and names",
		Description: "Only what is canonical or in the mempool is found. A hash may find several things, as a height does, which is one of Stacks blocks and one of Bitcoin blocks.",
		Statuses:    []int{http.StatusBadRequest},
	}, searchV3)
}

func searchV3(ctx context.Context, s *engine.Snapshot, in *searchV3Input) (*searchResults, error) {
	term := strings.TrimSpace(in.Term)
	found := &searchResults{Results: []searchResult{}}
	if len(term) == 64 || len(term) == 66 && strings.HasPrefix(term, "0x") {
		if id, err := hash.Parse32(term); err == nil {
			if err := found.transaction(ctx, s, in, id); err != nil {
				return nil, err
			}
			return found, found.blocks(ctx, s, in, `b.index_block_hash = $1 OR b.block_hash = $1`, `burn_block_hash = $1`, id)
		}
	}
	if n, err := strconv.ParseInt(term, 10, 64); err == nil && n >= 0 {
		return found, found.blocks(ctx, s, in, `c.height = $1`, `burn_block_height = $1`, n)
	}
	if p, err := clarity.ParsePrincipal(term); err == nil && p.String() == term {
		return found, found.principal(ctx, s, in, p)
	}
	if name, ok := nameOf(term); ok && in.wants(typeName) {
		names, err := findName(ctx, s, name)
		for i := range names {
			found.Results = append(found.Results, searchResult{Type: typeName, Name: &nameMatch{name, names[i]}})
		}
		return found, err
	}
	return found, nil
}

// transaction adds the transaction with an id: its canonical copy, or else the one of the mempool.
func (f *searchResults) transaction(ctx context.Context, s *engine.Snapshot, in *searchV3Input, id hash.Hash32) error {
	if !in.wants(typeTransaction) && !in.wants(typeMempool) {
		return nil
	}
	all, err := view.FindTransactions(ctx, s, id)
	if err != nil {
		return err
	}
	mined, waiting := all[id].Mined, all[id].Waiting
	row := all[id].Chosen()
	switch {
	case mined != nil && mined.Canonical && in.wants(typeTransaction):
	case waiting != nil && in.wants(typeMempool):
	default:
		return nil
	}
	if _, err := view.Complete(ctx, s, []*view.TransactionRow{row}, true, nil); err != nil {
		return err
	}
	if waiting != nil {
		f.Results = append(f.Results, searchResult{
			Type: typeMempool, MempoolTransaction: &view.WaitingSummary{WaitingBase: view.NewWaitingBase(waiting), SummaryPayload: view.SummarizePayload(waiting.Tx)},
		})
		return nil
	}
	summary := view.Summarize(mined)
	f.Results = append(f.Results, searchResult{Type: typeTransaction, Transaction: &summary})
	return nil
}

// bitcoinRow is a Bitcoin block with the highest of its Stacks blocks.
type bitcoinRow struct {
	burnHeight, time int64
	id               hash.Hash32
}

// blocks adds the Stacks block and the Bitcoin block that the conditions select, whose argument is $1.
func (f *searchResults) blocks(ctx context.Context, s *engine.Snapshot, in *searchV3Input, stacks, bitcoin string, arg any) error {
	blocks, bitcoins := &engine.Result[view.BlockRow]{}, &engine.Result[bitcoinRow]{}
	b := s.Batch()
	if _, ok := s.Tip("chain"); ok && in.wants(typeBlock) {
		blocks = engine.Query(b, view.BlockColumns, view.OfChain.SQL(`WHERE `)+stacks+` LIMIT 1`, arg)
	}
	if _, ok := s.Tip("accounts"); ok && in.wants(typeBitcoinBlock) {
		bitcoins = engine.Query(b, func(r *bitcoinRow) []any { return []any{&r.burnHeight, &r.time, &r.id} }, `
			SELECT {accounts.block k}, burn_block_height, burn_block_time, burn_block_hash
			FROM {accounts}.block k WHERE `+bitcoin+` ORDER BY height DESC LIMIT 1`, arg)
	}
	if len(b.Queries) == 0 {
		return nil
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	if row, ok := blocks.First(); ok {
		block := row.Shape()
		summary := view.SummarizeBlock(block)
		f.Results = append(f.Results, searchResult{Type: typeBlock, Block: &summary})
	}
	if row, ok := bitcoins.First(); ok {
		summary := view.NewBitcoinSummary(row.burnHeight, row.id, row.time)
		f.Results = append(f.Results, searchResult{Type: typeBitcoinBlock, BitcoinBlock: &summary})
	}
	return nil
}

// principal adds the contract, if it is one and deployed, and the account, if the chain knows it.
func (f *searchResults) principal(ctx context.Context, s *engine.Snapshot, in *searchV3Input, p clarity.Principal) error {
	name := p.String()
	contracts, accounts := &engine.Result[hash.Hash32]{}, &engine.Result[string]{}
	b := s.Batch()
	if _, ok := s.Tip("chain"); ok && p.Contract != "" && in.wants(typeSmartContract) {
		contracts = engine.Query(b, func(id *hash.Hash32) []any { return []any{id} }, `
			SELECT {chain.contract d, c.source_seq}, t.txid
			FROM {chain}.contract d
			JOIN {chain}.canonical c ON c.block_seq = d.source_seq
			CROSS JOIN LATERAL (SELECT t.txid FROM {chain}.transaction t WHERE t.source_seq = d.source_seq AND t.tx_index = d.tx_index LIMIT 1) t
			WHERE d.contract_id = $1 ORDER BY c.height DESC, d.tx_index DESC LIMIT 1`, name)
	}
	if _, ok := s.Tip("accounts"); ok && in.wants(typePrincipal) {
		accounts = engine.Query(b, func(name *string) []any { return []any{name} },
			`SELECT {accounts.account a}, a.account FROM {accounts}.account a WHERE a.account = $1`, name)
	}
	if len(b.Queries) == 0 {
		return nil
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	if id, ok := contracts.First(); ok {
		f.Results = append(f.Results, searchResult{Type: typeSmartContract, SmartContract: &contractMatch{name, id}})
	}
	if _, ok := accounts.First(); ok {
		f.Results = append(f.Results, searchResult{Type: typePrincipal, Principal: &principalMatch{name}})
	}
	return nil
}
