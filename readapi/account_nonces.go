package readapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

type noncesInput struct {
	Principal   principalParameter `path:"principal"`
	BlockHeight optionalNumber     `query:"block_height" doc:"The state after the block at this height, without what is pending."`
	BlockHash   string             `query:"block_hash" doc:"The same of the block with this hash or index block hash."`
}

func (in *noncesInput) Dependencies() dependencies {
	d := on("balances", shard.Account(string(in.Principal))).with("mempool", shard.Account(string(in.Principal)))
	if id, err := hash.Parse32(in.BlockHash); err == nil {
		d = d.and("balances", shard.Block(id))
	}
	if height := in.BlockHeight.number(); height != nil {
		d = d.and("balances", shard.Height(*height))
	}
	return d
}

// accountNonces are the nonces of an account in version 1 of the API.
type accountNonces struct {
	LastMempool     *uint64  `json:"last_mempool_tx_nonce" doc:"The greatest of a pending transaction; null for none."`
	LastExecuted    *uint64  `json:"last_executed_tx_nonce" doc:"The last one that was used; null when none was."`
	PossibleNext    uint64   `json:"possible_next_nonce" doc:"The one after the greatest that is used or pending, whatever is missing below it."`
	DetectedMissing []uint64 `json:"detected_missing_nonces" nullable:"false" doc:"Those between what is used and what is pending that no transaction has, the greatest first."`
	DetectedMempool []uint64 `json:"detected_mempool_nonces" nullable:"false" doc:"Those of pending transactions, the greatest first."`
}

// principalNonces are the same in version 3.
type principalNonces struct {
	Next          uint64        `json:"next_nonce" doc:"The one after the greatest that is used or pending, whatever is missing below it."`
	LastConfirmed *uint64       `json:"last_confirmed_nonce" doc:"The last one that was used; null when none was."`
	Mempool       mempoolNonces `json:"mempool"`
}

type mempoolNonces struct {
	Last    *uint64  `json:"last_nonce" doc:"The greatest of a pending transaction; null for none."`
	Pending []uint64 `json:"pending_nonces" nullable:"false" doc:"The greatest first."`
	Missing []uint64 `json:"missing_nonces" nullable:"false" doc:"Those between what is used and what is pending that no transaction has, the greatest first."`
}

var tracedNonce = &tracedTable{
	projection: "balances", name: "nonce", key: "account height", values: "next_nonce:text",
	sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
}

func (a *API) registerNonces() {
	v1 := resource{
		id: "get-nonces", path: "/extended/v1/address/{principal}/nonces", tag: "Accounts", summary: "Nonces of an account",
		about:    instead("/extended/v3/principals/{principal}/nonces"),
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, brief: true, deprecated: true,
	}
	get(a.Engine, v1, a.getNonces)
	traced(a.Engine, v1.id, func(ctx context.Context, s *snapshot, in *noncesInput, found *accountNonces) ([]lookup, error) {
		if found == nil {
			return nil, nil
		}
		at, err := in.moment(ctx, s)
		return nonceLookups(string(in.Principal), at), err
	})
	v3 := resource{
		id: "get-principal-nonces", path: "/extended/v3/principals/{principal}/nonces", tag: "Accounts", summary: "Nonces of an account",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, brief: true,
	}
	get(a.Engine, v3, a.getPrincipalNonces)
	traced(a.Engine, v3.id, func(ctx context.Context, s *snapshot, in *PrincipalInput, found *principalNonces) ([]lookup, error) {
		account, at, err := in.resolve(ctx, s)
		if found == nil || err != nil {
			return nil, err
		}
		return nonceLookups(account, at), nil
	})
}

// nonceLookups find the last nonce that an account has used up to a block.
func nonceLookups(account string, at moment) []lookup {
	return []lookup{{
		name: "nonce", table: tracedNonce,
		where: `t.account = $1 AND t.height = (SELECT n.height FROM {balances}.nonce n WHERE n.account = $1 AND n.height <= $2 ORDER BY n.height DESC LIMIT 1)`,
		args:  []any{account, at.height}, order: `t.height`,
	}}
}

// moment finds the block that is asked for.
func (in *noncesInput) moment(ctx context.Context, s *snapshot) (moment, error) {
	height := in.BlockHeight.number()
	if height != nil && in.BlockHash != "" {
		return moment{}, badRequest("Multiple block query parameters specified")
	}
	id, err := hash.Parse32(in.BlockHash)
	if in.BlockHash != "" && err != nil {
		return moment{}, badRequest("Query parameter 'block_hash' is not a valid block hash hex string")
	}
	tip, ok := s.tip("balances")
	if in.BlockHash == "" && height == nil {
		if !ok {
			return moment{}, errNoChain
		}
		return moment{height: *tip.Height, latest: true}, nil
	}
	var where, named string
	var arg any
	if height != nil {
		where, arg, named = `b.height = $1`, *height, fmt.Sprintf(`{"height":%d}`, *height)
	} else {
		where, arg, named = `b.index_block_hash = $1 OR b.block_hash = $1`, id, fmt.Sprintf(`{"hash":"%s"}`, id)
	}
	missing := notFound("No block found for %s", named)
	if !ok {
		return moment{}, missing
	}
	b := s.batch()
	found := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[b.source_seq], b.height FROM {balances}.block b WHERE `+where+` LIMIT 1`, arg)
	if err := b.run(ctx); err != nil {
		return moment{}, err
	}
	at, ok := found.first()
	if !ok {
		return moment{}, missing
	}
	return moment{height: at}, nil
}

// readNonces is the next nonce of an account after what is mined, and the nonces of what is pending, the least first.
func (a *API) readNonces(ctx context.Context, s *snapshot, account string, at moment) (next uint64, pending []uint64, err error) {
	b := s.batch()
	found := query(b, func(text *string) []any { return []any{text} }, `
		SELECT array_remove(ARRAY[n.source_seq], NULL), coalesce(n.next_nonce, 0)::text
		FROM (SELECT 1) one
		LEFT JOIN LATERAL (
			SELECT * FROM {balances}.nonce n WHERE n.account = $1 AND n.height <= $2 ORDER BY n.height DESC LIMIT 1
		) n ON true`, account, at.height)
	take := func() []uint64 { return nil }
	if at.latest {
		take = waitingNonces{}.queue(b, account)
	}
	if err := b.runLast(ctx); err != nil {
		return 0, nil, err
	}
	text, _ := found.first()
	if next, err = strconv.ParseUint(text, 10, 64); err != nil {
		return 0, nil, err
	}
	return next, take(), nil
}

func (a *API) getNonces(ctx context.Context, s *snapshot, in *noncesInput) (*accountNonces, error) {
	account, err := in.Principal.account()
	if err != nil {
		return nil, err
	}
	at, err := in.moment(ctx, s)
	if err != nil {
		return nil, err
	}
	next, pending, err := a.readNonces(ctx, s, account, at)
	if err != nil {
		return nil, err
	}
	v3 := newNonces(next, pending)
	return &accountNonces{v3.Mempool.Last, v3.LastConfirmed, v3.Next, v3.Mempool.Missing, v3.Mempool.Pending}, nil
}

func (a *API) getPrincipalNonces(ctx context.Context, s *snapshot, in *PrincipalInput) (*principalNonces, error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	next, pending, err := a.readNonces(ctx, s, account, at)
	if err != nil {
		return nil, err
	}
	return newNonces(next, pending), nil
}

// missingMost is how many missing nonces are told: the greatest.
const missingMost = 1000

// newNonces tells what there is to say of the next nonce after what is mined, and of the nonces of what is pending.
func newNonces(next uint64, pending []uint64) *principalNonces {
	n := &principalNonces{Next: next, Mempool: mempoolNonces{Pending: []uint64{}, Missing: []uint64{}}}
	if next > 0 {
		last := next - 1
		n.LastConfirmed = &last
	}
	if len(pending) == 0 {
		return n
	}
	n.Mempool.Pending = append(n.Mempool.Pending, pending...)
	slices.Reverse(n.Mempool.Pending)
	last := pending[len(pending)-1]
	n.Mempool.Last, n.Next = &last, max(next, last+1)
	for above := last; above > next && len(n.Mempool.Missing) < missingMost; above-- {
		if _, found := slices.BinarySearch(pending, above-1); !found {
			n.Mempool.Missing = append(n.Mempool.Missing, above-1)
		}
	}
	return n
}
