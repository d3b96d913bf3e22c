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
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	switch random.IntN(23) {
	case 20:
		return metadataPrefix + "ft?limit=20", false
	case 21:
		if len(n.Coins) > 0 {
			return metadataPrefix + "ft/" + pick(n.Coins), false
		}
		return metadataPrefix, false
	case 22:
		if len(n.Pieces) > 0 {
			p := n.Pieces[random.IntN(len(n.Pieces))]
			return metadataPrefix + "nft/" + p.contract + "/" + p.id, false
		}
		return metadataPrefix, false
	case 0:
		return "/extended/v1/status", false
	case 1:
		return "/extended/v2/blocks?limit=20", false
	case 2, 3:
		return "/extended/v2/blocks/" + pick(n.Blocks), false
	case 4:
		return fmt.Sprintf("/extended/v2/blocks/%d", 1+random.Int64N(n.Height)), false
	case 5:
		return "/extended/v2/blocks/latest/transactions?limit=20", false
	case 6, 7:
		return "/extended/v1/tx/" + pick(n.TxIDs), false
	case 8:
		return "/extended/v1/tx/mempool?limit=20", false
	case 9, 10:
		return "/extended/v1/address/" + pick(n.Accounts) + "/balances", false
	case 11:
		return "/extended/v1/address/" + pick(n.Accounts) + "/transactions?limit=20", false
	case 12:
		return "/extended/v1/address/" + pick(n.Accounts) + "/stx", false
	case 13:
		return "/extended/v1/search/" + pick(n.TxIDs), false
	case 14:
		return "/extended/v2/burn-blocks?limit=10", false
	case 15:
		return "/extended/v1/stx_supply", false
	case 16:
		return "/v2/info", true
	default:
		return "/v2/accounts/" + pick(n.Accounts) + "?proof=0", true
	}
}

// costly returns a read that nobody has made before and that no cache has: a balance at a block of the past, a search,
// the trace of an answer.
func (n *subjects) costly(random *rand.Rand) string {
	account := n.Accounts[random.IntN(len(n.Accounts))]
	height := 1 + random.Int64N(n.Height)
	switch random.IntN(4) {
	case 0:
		return fmt.Sprintf("/extended/v1/address/%s/balances?until_block=%d", account, height)
	case 1:
		return fmt.Sprintf("/extended/v1/address/%s/transactions_with_transfers?limit=20&offset=%d", account, random.IntN(500))
	case 2:
		return fmt.Sprintf("/extended/v1/search/0x%064x", random.Uint64())
	default:
		return fmt.Sprintf("/extended/v1/tx?limit=50&offset=%d", random.Int64N(1+3*n.Height))
	}
}
