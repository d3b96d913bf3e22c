package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"strata/internal/pause"
	"strata/internal/testkit/serverrig"
)

// subjects are what readers ask for: what the chain has had lately.
type subjects struct {
	Height   int64
	Blocks   []string
	TxIDs    []string
	Accounts []string
	Coins    []string // contracts of fungible tokens; none at first
	Pieces   []piece  // non-fungible tokens; none at first
}

// piece is a non-fungible token.
type piece struct{ contract, id string }

// metadataPrefix begins the paths of the metadata of tokens.
const metadataPrefix = "/metadata/v1/"

// scout keeps the subjects up to date, through the API itself.
type scout struct {
	api   string
	found atomic.Pointer[subjects]
}

func (s *scout) run(ctx context.Context) {
	for ; ctx.Err() == nil; pause.For(ctx, time.Second) {
		var blocks struct {
			Results []struct {
				Height int64
				Hash   string
			}
		}
		var transactions struct {
			Results []struct {
				TxID   string `json:"tx_id"`
				Sender string `json:"sender_address"`
			}
		}
		if s.ask(ctx, "/extended/v2/blocks?limit=20", &blocks) != nil || s.ask(ctx, "/extended/v1/tx?limit=50", &transactions) != nil {
			continue
		}
		if len(blocks.Results) == 0 || blocks.Results[0].Height < 1 || len(transactions.Results) == 0 {
			continue
		}
		n := &subjects{Height: blocks.Results[0].Height}
		for _, b := range blocks.Results {
			n.Blocks = append(n.Blocks, b.Hash)
		}
		for _, t := range transactions.Results {
			n.TxIDs = append(n.TxIDs, t.TxID)
			n.Accounts = append(n.Accounts, t.Sender)
		}
		s.findTokens(ctx, n)
		s.found.Store(n)
	}
}

// findTokens adds tokens: some of the fungible ones, and the others that an account holds.
func (s *scout) findTokens(ctx context.Context, n *subjects) {
	if before := s.found.Load(); before != nil {
		n.Pieces = before.Pieces
	}
	var coins struct {
		Results []struct {
			Contract string `json:"contract_principal"`
		}
	}
	if s.ask(ctx, metadataPrefix+"ft?limit=60", &coins) == nil {
		for _, c := range coins.Results {
			n.Coins = append(n.Coins, c.Contract)
		}
	}
	var held struct {
		Results []struct {
			Asset string `json:"asset_identifier"`
			Value struct{ Repr string }
		}
	}
	if s.ask(ctx, "/extended/v1/tokens/nft/holdings?limit=50&principal="+n.Accounts[rand.IntN(len(n.Accounts))], &held) == nil {
		for _, h := range held.Results {
			contract, _, _ := strings.Cut(h.Asset, "::")
			if id, ok := strings.CutPrefix(h.Value.Repr, "u"); ok {
				n.Pieces = append(n.Pieces, piece{contract, id})
			}
		}
		n.Pieces = n.Pieces[max(0, len(n.Pieces)-piecesKept):]
	}
}

// piecesKept bounds the number of pieces.
const piecesKept = 500

func (s *scout) ask(ctx context.Context, path string, into any) error {
	return serverrig.Read(ctx, 10*time.Second, s.api+path, into)
}

// target returns what a reader asks for next: mostly the read tables, sometimes a node. Nothing that it asks for is
// invalid, but a block that a fork has replaced is not found.
func (n *subjects) target(random *rand.Rand) (path string, forwarded bool) {
	block, tx, account := "/extended/v2/blocks/"+pick(random, n.Blocks), pick(random, n.TxIDs), pick(random, n.Accounts)
	address, node := "/extended/v1/address/"+account, "/v2/accounts/"+account+"?proof=0"
	coin, item := metadataPrefix, metadataPrefix
	if len(n.Coins) > 0 {
		coin += "ft/" + pick(random, n.Coins)
	}
	if len(n.Pieces) > 0 {
		p := pick(random, n.Pieces)
		item += "nft/" + p.contract + "/" + p.id
	}
	path = pick(random, []string{ // what comes twice or more is asked for as much more often
		"/extended/v1/status", "/extended/v2/blocks?limit=20", block, block, fmt.Sprintf("/extended/v2/blocks/%d", 1+random.Int64N(n.Height)),
		"/extended/v2/blocks/latest/transactions?limit=20", "/extended/v1/tx/" + tx, "/extended/v1/tx/" + tx, "/extended/v1/tx/mempool?limit=20",
		address + "/balances", address + "/balances", address + "/transactions?limit=20", address + "/stx", "/extended/v1/search/" + tx,
		"/extended/v2/burn-blocks?limit=10", "/extended/v1/stx_supply", "/v2/info", node, node, node, metadataPrefix + "ft?limit=20", coin, item,
	})
	return path, strings.HasPrefix(path, "/v2/")
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// costly returns a read that nobody has made before and that no cache has: a balance at a block of the past, a search,
// the trace of an answer.
func (n *subjects) costly(random *rand.Rand) string {
	account := pick(random, n.Accounts)
	return pick(random, []string{
		fmt.Sprintf("/extended/v1/address/%s/balances?until_block=%d", account, 1+random.Int64N(n.Height)),
		fmt.Sprintf("/extended/v1/address/%s/transactions_with_transfers?limit=20&offset=%d", account, random.IntN(500)),
		fmt.Sprintf("/extended/v1/search/0x%064x", random.Uint64()),
		fmt.Sprintf("/extended/v1/tx?limit=50&offset=%d", random.Int64N(1+3*n.Height)),
	})
}
