package account

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
)

type noncesInput struct {
	Principal   param.PrincipalParameter `path:"principal"`
	BlockHeight param.OptionalNumber     `query:"block_height" doc:"Answer for the state after the block at this height, without pending transactions."`
	BlockHash   param.HashText           `query:"block_hash" doc:"Answer for the state after the block with this hash or index block hash, without pending transactions."`
}

func (in *noncesInput) Dependencies() engine.Dependencies {
	d := engine.On("balances", shard.Account(string(in.Principal))).With("mempool", shard.Account(string(in.Principal)))
	if id, err := hash.Parse32(string(in.BlockHash)); err == nil {
		d = d.And("balances", shard.Block(id))
	}
	if height := in.BlockHeight.Number(); height != nil {
		d = d.And("balances", shard.Height(*height))
	}
	return d
}

// accountNonces is the answer of version 1 of the API about the nonces of an account.
type accountNonces struct {
	LastMempool     *uint64  `json:"last_mempool_tx_nonce" doc:"Greatest nonce of a pending transaction; null when none is pending."`
	LastExecuted    *uint64  `json:"last_executed_tx_nonce" doc:"Last nonce that was used; null when none was."`
	PossibleNext    uint64   `json:"possible_next_nonce" doc:"One more than the greatest nonce that is used or pending, even if nonces below it are missing; 2^64-1 if that is the greatest one, as none follows it."`
	DetectedMissing []uint64 `json:"detected_missing_nonces" nullable:"false" doc:"Nonces below the greatest pending one that no transaction uses, greatest first; at most 1000."`
	DetectedMempool []uint64 `json:"detected_mempool_nonces" nullable:"false" doc:"Nonces of pending transactions, greatest first."`
}

// principalNonces is the answer of version 3 of the API about the nonces of an account.
type principalNonces struct {
	Next          uint64        `json:"next_nonce" doc:"One more than the greatest nonce that is used or pending, even if nonces below it are missing; 2^64-1 if that is the greatest one, as none follows it."`
	LastConfirmed *uint64       `json:"last_confirmed_nonce" doc:"Last nonce that was used; null when none was."`
	Mempool       mempoolNonces `json:"mempool"`
}

type mempoolNonces struct {
	Last    *uint64  `json:"last_nonce" doc:"Greatest nonce of a pending transaction; null when none is pending."`
	Pending []uint64 `json:"pending_nonces" nullable:"false" doc:"Nonces of pending transactions between last_confirmed_nonce and last_nonce, greatest first."`
	Missing []uint64 `json:"missing_nonces" nullable:"false" doc:"Nonces below the greatest pending one that no transaction uses, greatest first; at most 1000."`
}

var tracedNonce = &engine.TraceTable{
	Projection: "balances", Name: "nonce", Key: "account height", Values: "next_nonce:text",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}

func (a *api) registerNonces() {
	v1 := engine.Operation{
		ID: "get-nonces", Path: "/extended/v1/address/{principal}/nonces", Tag: "Accounts", Summary: "Nonces of an account",
		Description: engine.Instead("/extended/v3/principals/{principal}/nonces"),
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, PointRead: true, Deprecated: true,
	}
	engine.Get(a.Engine, v1, a.getNonces)
	v3 := engine.Operation{
		ID: "get-principal-nonces", Path: "/extended/v3/principals/{principal}/nonces", Tag: "Accounts", Summary: "Nonces of an account",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, PointRead: true,
	}
	engine.Get(a.Engine, v3, a.getPrincipalNonces)
}

// moment finds the block that the request names, or the tip when it names none.
func (in *noncesInput) moment(ctx context.Context, s *engine.Snapshot) (param.Moment, error) {
	height := in.BlockHeight.Number()
	if height != nil && in.BlockHash != "" {
		return param.Moment{}, engine.BadRequest("Multiple block query parameters specified")
	}
	id, err := hash.Parse32(string(in.BlockHash))
	if in.BlockHash != "" && err != nil {
		return param.Moment{}, engine.BadRequest("Query parameter 'block_hash' is not a valid block hash hex string")
	}
	tip, ok := s.Tip("balances")
	if in.BlockHash == "" && height == nil {
		if !ok {
			return param.Moment{}, engine.ErrNoChain
		}
		return param.Moment{Height: *tip.Height, Latest: true}, nil
	}
	var where, named string
	var arg any
	if height != nil {
		where, arg, named = `b.height = $1`, *height, fmt.Sprintf(`{"height":%d}`, *height)
	} else {
		where, arg, named = `b.index_block_hash = $1 OR b.block_hash = $1`, id, fmt.Sprintf(`{"hash":"%s"}`, id)
	}
	missing := engine.NotFound("No block found for %s", named)
	if !ok {
		return param.Moment{}, missing
	}
	b := s.Batch()
	found := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {balances.block b}, b.height FROM {balances}.block b WHERE `+where+` LIMIT 1`, arg)
	if err := b.Run(ctx); err != nil {
		return param.Moment{}, err
	}
	at, ok := found.First()
	if !ok {
		return param.Moment{}, missing
	}
	return param.Moment{Height: at}, nil
}

// readNonces reads the account's last nonce of a mined transaction, nil for none, and the nonces of its pending
// transactions in ascending order. There are pending ones for the tip only.
func readNonces(ctx context.Context, s *engine.Snapshot, account string, at param.Moment) (last *uint64, pending []uint64, err error) {
	b := s.Batch()
	// The next nonce may be 2^64, the last one is at most 2^64-1.
	found := engine.Query(b, func(text *string) []any { return []any{text} }, `
		SELECT {balances.nonce n}, coalesce((nullif(n.next_nonce, 0) - 1)::text, '')
		FROM (SELECT 1) one
		LEFT JOIN LATERAL (
			SELECT $1::text AS account, * FROM {balances}.signer_nonce n
			WHERE n.signer = (SELECT s.id FROM {balances}.signer s WHERE s.account = $1) AND n.height <= $2 ORDER BY n.height DESC LIMIT 1
		) n ON true`, account, at.Height)
	pendingNonces := func() []uint64 { return nil }
	if at.Latest {
		pendingNonces = queuePendingNonces(b, account)
	}
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if text, _ := found.First(); text != "" {
		nonce, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, nil, err
		}
		last = &nonce
	}
	return last, pendingNonces(), nil
}

func (a *api) getNonces(ctx context.Context, s *engine.Snapshot, in *noncesInput) (*accountNonces, error) {
	account, err := in.Principal.Account()
	if err != nil {
		return nil, err
	}
	at, err := in.moment(ctx, s)
	if err != nil {
		return nil, err
	}
	last, pending, err := readNonces(ctx, s, account, at)
	if err != nil {
		return nil, err
	}
	v3 := newNonces(last, pending)
	v1 := &accountNonces{v3.Mempool.Last, v3.LastConfirmed, v3.Next, v3.Mempool.Missing, append([]uint64{}, pending...)}
	slices.Reverse(v1.DetectedMempool)
	return v1, nil
}

func (a *api) getPrincipalNonces(ctx context.Context, s *engine.Snapshot, in *param.AddressInput) (*principalNonces, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	last, pending, err := readNonces(ctx, s, account, at)
	if err != nil {
		return nil, err
	}
	return newNonces(last, pending), nil
}

// missingNoncesMax is the maximum number of missing nonces in an answer, which has the greatest of them.
const missingNoncesMax = 1000

// newNonces builds the answer from the last nonce of the mined transactions, nil for none, and the nonces of the pending
// ones, which must be in ascending order.
func newNonces(confirmed *uint64, pending []uint64) *principalNonces {
	n := &principalNonces{LastConfirmed: confirmed, Mempool: mempoolNonces{Pending: []uint64{}, Missing: []uint64{}}}
	if confirmed != nil {
		n.Next = following(*confirmed)
	}
	if len(pending) == 0 {
		return n
	}
	last := pending[len(pending)-1]
	for _, nonce := range slices.Backward(pending[:len(pending)-1]) {
		if confirmed == nil || nonce > *confirmed {
			n.Mempool.Pending = append(n.Mempool.Pending, nonce)
		}
	}
	for above := last; above > n.Next && len(n.Mempool.Missing) < missingNoncesMax; above-- {
		if _, found := slices.BinarySearch(pending, above-1); !found {
			n.Mempool.Missing = append(n.Mempool.Missing, above-1)
		}
	}
	n.Mempool.Last, n.Next = &last, max(n.Next, following(last))
	return n
}

// following returns the nonce after another one; the greatest nonce has none, and is returned itself.
func following(nonce uint64) uint64 { return max(nonce, nonce+1) }
