package readapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/readapi/internal/answer"
)

type searchAllInput struct {
	Term            string `path:"id" doc:"The id of a transaction, the hash or index block hash of a block, a contract or an address."`
	IncludeMetadata bool   `query:"include_metadata" default:"false" doc:"Add all there is to say of what is found."`
}

// searchAnswer is the answer to a search, whether or not there is anything.
type searchAnswer struct {
	Found  bool        `json:"found"`
	Result foundEntity `json:"result"`
	Error  string      `json:"error,omitempty" doc:"Why nothing is found."`

	lookups []lookup
}

// foundEntity is what is found, or what it would have been.
type foundEntity struct {
	EntityID   string      `json:"entity_id,omitempty"`
	EntityType string      `json:"entity_type" enum:"tx_id,block_hash,contract_address,standard_address,unknown_hash,invalid_term"`
	TxData     *foundTx    `json:"tx_data,omitempty" doc:"Of a transaction, or of the deployment of a contract."`
	BlockData  *foundBlock `json:"block_data,omitempty"`
	Metadata   any         `json:"metadata,omitempty" doc:"The transaction, the block, or the STX of the account, as their own resources show them."`
}

type foundTx struct {
	Canonical     bool         `json:"canonical"`
	BlockHash     hash.Hash32  `json:"block_hash"`
	BurnBlockTime int64        `json:"burn_block_time"`
	BlockHeight   int64        `json:"block_height"`
	TxType        string       `json:"tx_type"`
	TxID          *hash.Hash32 `json:"tx_id,omitempty" doc:"Of the deployment."`
}

type foundBlock struct {
	Canonical       bool        `json:"canonical"`
	Hash            hash.Hash32 `json:"hash"`
	ParentBlockHash hash.Hash32 `json:"parent_block_hash"`
	BurnBlockTime   int64       `json:"burn_block_time"`
	Height          int64       `json:"height"`
}

func (a *API) registerSearch() {
	get(a.Engine, resource{
		id: "search", path: "/extended/v1/search/{id}", tag: "Status", summary: "A transaction, block, contract or account",
		about: "Of copies of a transaction or a block the canonical one, else the newest. Blanks around the term don't count.", failure: reflect.TypeFor[searchAnswer](),
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("chain", "accounts", "balances"), taggedByContent: true,
	}, a.search)
	traced(a.Engine, "search", func(_ context.Context, _ *snapshot, _ *searchAllInput, f *searchAnswer) ([]lookup, error) {
		if f == nil {
			return nil, nil
		}
		return f.lookups, nil
	})
}

// search looks for transactions before blocks. The reference takes any of several copies.
func (a *API) search(ctx context.Context, s *snapshot, in *searchAllInput) (*searchAnswer, error) {
	term := strings.TrimSpace(in.Term)
	if len(term) == 64 || len(term) == 66 && strings.HasPrefix(term, "0x") {
		if id, err := hash.Parse32(term); err == nil {
			return a.searchHash(ctx, s, id, in.IncludeMetadata)
		}
	}
	if p, err := clarity.ParsePrincipal(term); err == nil && p.String() == term {
		return a.searchPrincipal(ctx, s, p, in.IncludeMetadata)
	}
	return nil, nothingFound("invalid_term", `The term "`+in.Term+`" is not a valid block hash, transaction ID, contract principal, or account address principal`)
}

// nothingFound is the answer to a search for what there isn't.
func nothingFound(entityType, why string) error {
	return &searchError{searchAnswer{Result: foundEntity{EntityType: entityType}, Error: why}}
}

// searchError is a search that found nothing.
type searchError struct{ body searchAnswer }

func (e *searchError) Error() string { return e.body.Error }

// Answer implements engine.AnswerError.
func (e *searchError) Answer() (status int, body any) { return http.StatusNotFound, &e.body }

func (a *API) searchHash(ctx context.Context, s *snapshot, id hash.Hash32, whole bool) (*searchAnswer, error) {
	missing := nothingFound("unknown_hash", `No block or transaction found with hash "`+id.String()+`"`)
	if !ready(s, "chain") {
		return nil, missing
	}
	b := s.batch()
	txs, blocks := queueTransactions(b, []hash.Hash32{id}), queueBlocksV1(b, anyBlock(id))
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if rows := rowsOf(txs); len(rows) > 0 {
		return a.foundTransaction(ctx, s, foundEntity{EntityID: id.String(), EntityType: "tx_id"}, rows[0], whole)
	}
	all := blocks.shape()
	if len(all) == 0 {
		return nil, missing
	}
	one := &all[0]
	f := &searchAnswer{Found: true, lookups: blockV1Lookups(all[:1]), Result: foundEntity{
		EntityID: id.String(), EntityType: "block_hash", BlockData: &foundBlock{one.Canonical, one.Hash, one.ParentBlockHash, one.BurnBlockTime, one.Height},
	}}
	if whole {
		f.Result.Metadata = one
	}
	return f, nil
}

// foundTransaction shows a transaction that was found, of itself or as the deployment of a contract.
func (a *API) foundTransaction(ctx context.Context, s *snapshot, entity foundEntity, row *transactionRow, whole bool) (*searchAnswer, error) {
	interfaces, err := complete(ctx, s, []*transactionRow{row}, !whole, nil)
	if err != nil {
		return nil, err
	}
	shown := renderTransaction(row, rendering{interfaces: interfaces})
	entity.TxData = &foundTx{Canonical: row.canonical, BlockHash: row.block, BurnBlockTime: row.burnBlockTime, BlockHeight: row.height, TxType: shown.TxType}
	if entity.EntityType == "contract_address" {
		entity.TxData.TxID = &row.id
	}
	if whole {
		entity.Metadata = &shown
	}
	return &searchAnswer{Found: true, Result: entity, lookups: transactionLookups([]*transactionRow{row}, nil)}, nil
}

func (a *API) searchPrincipal(ctx context.Context, s *snapshot, p clarity.Principal, whole bool) (*searchAnswer, error) {
	entity := foundEntity{EntityID: p.String(), EntityType: "standard_address"}
	if p.Contract != "" {
		entity.EntityType = "contract_address"
	}
	missing := nothingFound(entity.EntityType, `No principal found with address "`+p.String()+`"`)
	if !ready(s, "chain", "accounts") {
		return nil, missing
	}
	type known struct{ height, seq int64 }
	b := s.batch()
	accounts := query(b, func(r *known) []any { return []any{&r.height, &r.seq} }, `
		SELECT ARRAY[source_seq], first_height, source_seq FROM {accounts}.account WHERE account = $1`, p.String())
	deployments := query(b, transactionColumns, `
		SELECT `+transactionSQL+`
		FROM (
			SELECT d.source_seq, d.tx_index FROM {chain}.contract d LEFT JOIN {chain}.canonical c ON c.block_seq = d.source_seq
			WHERE d.contract_id = $1 ORDER BY c.height IS NOT NULL DESC, d.source_seq DESC LIMIT 1
		) d
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = d.source_seq AND t.tx_index = d.tx_index LIMIT 1) t`+transactionBlocksSQL, p.String())
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if rows := rowsOf(deployments); len(rows) > 0 {
		return a.foundTransaction(ctx, s, entity, rows[0], whole)
	}
	if _, ok := accounts.first(); !ok {
		return nil, missing
	}
	f := &searchAnswer{Found: true, Result: entity, lookups: []lookup{{
		name: "account", table: tracedAccount, where: `t.account = $1`, args: []any{p.String()}, order: `t.id`,
	}}}
	if tip, ok := s.tip("balances"); whole && ok {
		b := s.batch()
		stx := queueSTX(b, p.String(), moment{height: *tip.Height}) // without what waits to be mined
		if err := b.run(ctx); err != nil {
			return nil, err
		}
		balance, err := stx.shape()
		if err != nil {
			return nil, err
		}
		f.Result.Metadata = balance
	}
	return f, nil
}

// tracedAccount is who appears on the chain.
var tracedAccount = &tracedTable{
	projection: "accounts", name: "account", key: "account", values: "id first_height",
	sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
}
