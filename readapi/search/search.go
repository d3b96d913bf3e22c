package search

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// searchAllInput holds the parameters of a search.
type searchAllInput struct {
	Term            string `path:"id" doc:"A transaction id, a block hash, an index block hash, a contract, an address or a name."`
	IncludeMetadata bool   `query:"include_metadata" default:"false" doc:"Add the whole transaction, block or balance to the result."`
}

// Dependencies returns the tip of the chain, and what the mempool has of the transaction or contract; for a name the tips
// of both registries.
func (in *searchAllInput) Dependencies() engine.Dependencies {
	term := strings.TrimSpace(in.Term)
	if _, ok := nameOf(term); ok {
		return engine.OnTip("names", "bns")
	}
	d := engine.OnTip("chain", "accounts", "balances")
	if id, err := hash.Parse32(term); err == nil {
		return d.With("mempool", shard.Transaction(id))
	}
	return d.With("mempool", shard.Account(term))
}

// searchAnswer is the answer to a search, successful or not.
type searchAnswer struct {
	Found  bool        `json:"found"`
	Result foundEntity `json:"result"`
	Error  string      `json:"error,omitempty" doc:"Why nothing was found."`
}

// foundEntity describes what a search found. For a search that found nothing it has only the type of the term.
type foundEntity struct {
	EntityID   string                `json:"entity_id,omitempty"`
	EntityType string                `json:"entity_type" enum:"tx_id,mempool_tx_id,block_hash,contract_address,standard_address,name,unknown_hash,invalid_term"`
	TxData     *foundTx              `json:"tx_data,omitempty" doc:"Present for a transaction, and for a contract, whose deployment it describes. For a pending transaction it has only the type, and the id for a contract."`
	BlockData  *foundBlock           `json:"block_data,omitempty"`
	NameData   []view.RegisteredName `json:"name_data,omitempty" doc:"Present for a name: the registries that have it, BNS-V2 first."`
	Metadata   any                   `json:"metadata,omitempty" doc:"The transaction, the block, or the account's STX balance, as their own endpoints return them."`
}

// foundTx describes a transaction. The fields of its block are absent while it is pending.
type foundTx struct {
	Canonical     *bool        `json:"canonical,omitempty"`
	BlockHash     *hash.Hash32 `json:"block_hash,omitempty"`
	BurnBlockTime *int64       `json:"burn_block_time,omitempty"`
	BlockHeight   *int64       `json:"block_height,omitempty"`
	TxType        string       `json:"tx_type"`
	TxID          *hash.Hash32 `json:"tx_id,omitempty" doc:"Id of the transaction that deployed the contract; absent for a transaction."`
}

type foundBlock struct {
	Canonical       bool        `json:"canonical"`
	Hash            hash.Hash32 `json:"hash"`
	ParentBlockHash hash.Hash32 `json:"parent_block_hash"`
	BurnBlockTime   int64       `json:"burn_block_time"`
	Height          int64       `json:"height"`
}

func (a *api) registerSearch() {
	engine.Get(a.Engine, engine.Operation{
		ID: "search", Path: "/extended/v1/search/{id}", Tag: "Status", Summary: "Find a transaction, block, contract, account or name",
		Description: "If a transaction or block has several copies, returns the canonical one, otherwise the newest; a pending transaction precedes its orphaned copies. Whitespace around the term is ignored.", FailureBody: reflect.TypeFor[searchAnswer](),
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, a.search)
}

// search finds a transaction, block or principal. A transaction takes precedence over a block with the same hash. The
// reference returns an arbitrary one of several copies.
func (a *api) search(ctx context.Context, s *engine.Snapshot, in *searchAllInput) (*searchAnswer, error) {
	term := strings.TrimSpace(in.Term)
	if len(term) == 64 || len(term) == 66 && strings.HasPrefix(term, "0x") {
		if id, err := hash.Parse32(term); err == nil {
			return a.searchHash(ctx, s, id, in.IncludeMetadata)
		}
	}
	if p, err := clarity.ParsePrincipal(term); err == nil && p.String() == term {
		return a.searchPrincipal(ctx, s, p, in.IncludeMetadata)
	}
	if name, ok := nameOf(term); ok {
		all, err := findName(ctx, s, name)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 {
			return &searchAnswer{Found: true, Result: foundEntity{EntityID: name, EntityType: "name", NameData: all}}, nil
		}
	}
	return nil, newSearchError("invalid_term", `The term "`+in.Term+`" is not a valid block hash, transaction ID, contract principal, or account address principal`)
}

// newSearchError returns the answer to a search that found nothing.
func newSearchError(entityType, why string) error {
	return &searchError{searchAnswer{Result: foundEntity{EntityType: entityType}, Error: why}}
}

// searchError is the error of a search that found nothing. Its body is the answer.
type searchError struct{ body searchAnswer }

func (e *searchError) Error() string { return e.body.Error }

// Answer implements engine.AnswerError.
func (e *searchError) Answer() (status int, body any) { return http.StatusNotFound, &e.body }

func (a *api) searchHash(ctx context.Context, s *engine.Snapshot, id hash.Hash32, whole bool) (*searchAnswer, error) {
	missing := newSearchError("unknown_hash", `No block or transaction found with hash "`+id.String()+`"`)
	if !engine.Ready(s, "chain") {
		return nil, missing
	}
	b := s.Batch()
	txs, blocks := view.QueueTransactions(b, []hash.Hash32{id}), view.QueueBlocksV1(b, view.AnyBlock(id))
	waiting := queuePending(b, `w.txid = $1`, id)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows, pending := view.RowsOf(txs), len(waiting.Rows) > 0
	switch {
	case len(rows) > 0 && (rows[0].Canonical || !pending):
		return a.answerTransaction(ctx, s, foundEntity{EntityID: id.String(), EntityType: "tx_id"}, rows[0], whole)
	case pending:
		return a.answerPending(ctx, s, foundEntity{EntityID: id.String(), EntityType: "mempool_tx_id"}, &waiting.Rows[0], whole)
	}
	all := blocks.Shape()
	if len(all) == 0 {
		return nil, missing
	}
	block := &all[0]
	found := &searchAnswer{Found: true, Result: foundEntity{
		EntityID: id.String(), EntityType: "block_hash",
		BlockData: &foundBlock{block.Canonical, block.Hash, block.ParentBlockHash, block.BurnBlockTime, block.Height},
	}}
	if whole {
		found.Result.Metadata = block
	}
	return found, nil
}

// answerTransaction builds the answer for a transaction that was found by its id or as the deployment of a contract.
func (a *api) answerTransaction(ctx context.Context, s *engine.Snapshot, entity foundEntity, row *view.TransactionRow, whole bool) (*searchAnswer, error) {
	interfaces, err := view.Complete(ctx, s, []*view.TransactionRow{row}, !whole, nil)
	if err != nil {
		return nil, err
	}
	body := view.RenderTransaction(row, view.Rendering{Interfaces: interfaces})
	entity.TxData = &foundTx{&row.Canonical, &row.Block, &row.BurnBlockTime, &row.Height, body.TxType, nil}
	if entity.EntityType == "contract_address" {
		entity.TxData.TxID = &row.ID
	}
	if whole {
		entity.Metadata = &body
	}
	return &searchAnswer{Found: true, Result: entity}, nil
}

// queuePending adds the query for the pending transaction w that a condition on it selects; of several, the one with the
// lowest nonce. The result is empty when there is no mempool to read.
func queuePending(b *engine.Batch, condition string, arg any) *engine.Result[view.WaitingRow] {
	if !view.KnowsMempool(b.Snapshot) {
		return &engine.Result[view.WaitingRow]{}
	}
	return engine.Query(b, view.WaitingColumns, `
		SELECT `+view.WaitingSQL+` FROM {mempool}.transaction w WHERE w.status = 'pending' AND `+condition+` ORDER BY w.nonce, w.txid LIMIT 1`, arg)
}

// answerPending builds the answer for a pending transaction that was found by its id or as the deployment of a contract.
func (a *api) answerPending(ctx context.Context, s *engine.Snapshot, entity foundEntity, row *view.WaitingRow, whole bool) (*searchAnswer, error) {
	interfaces, err := view.Complete(ctx, s, []*view.TransactionRow{&row.TransactionRow}, !whole, nil)
	if err != nil {
		return nil, err
	}
	body := view.RenderWaiting(row, view.Rendering{Interfaces: interfaces})
	entity.TxData = &foundTx{TxType: body.TxType}
	if entity.EntityType == "contract_address" {
		entity.TxData.TxID = &row.ID
	}
	if whole {
		entity.Metadata = &body
	}
	return &searchAnswer{Found: true, Result: entity}, nil
}

func (a *api) searchPrincipal(ctx context.Context, s *engine.Snapshot, p clarity.Principal, whole bool) (*searchAnswer, error) {
	entity := foundEntity{EntityID: p.String(), EntityType: "standard_address"}
	if p.Contract != "" {
		entity.EntityType = "contract_address"
	}
	missing := newSearchError(entity.EntityType, `No principal found with address "`+p.String()+`"`)
	if !engine.Ready(s, "chain", "accounts") {
		return nil, missing
	}
	b := s.Batch()
	accounts := engine.Query(b, func(name *string) []any { return []any{name} }, `
		SELECT {accounts.account a}, a.account FROM {accounts}.account a WHERE a.account = $1`, p.String())
	deployments := engine.Query(b, view.TransactionColumns, `
		SELECT `+view.TransactionSQL+`
		FROM (
			SELECT d.source_seq, d.tx_index FROM {chain}.contract d LEFT JOIN {chain}.canonical c ON c.block_seq = d.source_seq
			WHERE d.contract_id = $1 ORDER BY c.height IS NOT NULL DESC, d.source_seq DESC LIMIT 1
		) d
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = d.source_seq AND t.tx_index = d.tx_index LIMIT 1) t`+view.TransactionBlocksSQL, p.String())
	waiting := &engine.Result[view.WaitingRow]{}
	if p.Contract != "" {
		waiting = queuePending(b, `w.type_id IN (1, 6) AND w.contract_id = $1`, p.String())
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows, pending := view.RowsOf(deployments), len(waiting.Rows) > 0
	switch {
	case len(rows) > 0 && (rows[0].Canonical || !pending):
		return a.answerTransaction(ctx, s, entity, rows[0], whole)
	case pending:
		return a.answerPending(ctx, s, entity, &waiting.Rows[0], whole)
	}
	if _, ok := accounts.First(); !ok {
		return nil, missing
	}
	found := &searchAnswer{Found: true, Result: entity}
	if tip, ok := s.Tip("balances"); whole && ok {
		b := s.Batch()
		stx := view.QueueSTX(b, p.String(), param.Moment{Height: *tip.Height, Latest: true})
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		balance, err := stx.Shape()
		if err != nil {
			return nil, err
		}
		found.Result.Metadata = balance
	}
	return found, nil
}

// tracedAccount traces the accounts that appear on the chain.
var tracedAccount = &engine.TraceTable{
	Projection: "accounts", Name: "account", Key: "account", Order: "t.id", Values: "id first_height",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}
