package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"strata/internal/synth/synthchain"
)

// read compares what the API answers in the end with the model.
func (h *History) read(w *World) {
	want := h.Chain.Expected()
	var status struct {
		ChainTip struct {
			BlockHeight    int64  `json:"block_height"`
			IndexBlockHash string `json:"index_block_hash"`
		} `json:"chain_tip"`
	}
	h.get(w, "/extended/v1/status", &status)
	if got := status.ChainTip; got.BlockHeight != int64(want.Tip.Height) || got.IndexBlockHash != want.Tip.IndexHash.String() {
		h.wrong("the API says that the tip is %d %s, want %d %s", got.BlockHeight, got.IndexBlockHash, want.Tip.Height, want.Tip.IndexHash)
	}
	accounts := slices.Sorted(maps.Keys(want.Balances))
	w.Script.Random.Shuffle(len(accounts), func(i, j int) { accounts[i], accounts[j] = accounts[j], accounts[i] })
	// Accounts with locks are the rarest, and those with locks that hold most of all.
	rank := func(account string) int {
		if _, holds := want.Locked[account]; holds {
			return 0
		} else if _, locked := want.Locks[account]; locked {
			return 1
		}
		return 2
	}
	slices.SortStableFunc(accounts, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for _, account := range accounts[:min(len(accounts), accountsRead)] {
		var stx struct {
			Balance, Locked string
			Unlock          uint64 `json:"burnchain_unlock_height"`
		}
		h.get(w, "/extended/v1/address/"+account+"/stx", &stx)
		lock := want.Locked[account]
		if stx.Balance != fmt.Sprint(want.Balances[account]) || stx.Locked != fmt.Sprint(lock.Amount) || stx.Unlock != lock.Until {
			h.wrong("the API says that %s has %s, and %s of it locked until %d; want %d, %d, %d",
				account, stx.Balance, stx.Locked, stx.Unlock, want.Balances[account], lock.Amount, lock.Until)
		}
		var nonces struct {
			Last *uint64 `json:"last_executed_tx_nonce"`
		}
		h.get(w, "/extended/v1/address/"+account+"/nonces", &nonces)
		if next := want.Nonces[account]; nonces.Last == nil && next > 0 || nonces.Last != nil && *nonces.Last+1 != next {
			h.wrong("the API says that the last nonce of %s is %s; the next is %d", account, shown(nonces.Last), next)
		}
	}
}

// readEnds compares what the API answers about the ends of locks with the rule: the lock is over in the block at its unlock height
// (SIP-007).
func (h *History) readEnds(w *World) {
	want := h.Chain.Expected()
	asked := 0
	for _, account := range slices.Sorted(maps.Keys(want.Locks)) {
		i := slices.IndexFunc(want.Blocks, func(b synthchain.BlockRef) bool { return b.BurnHeight >= want.Locks[account].Until })
		if i < 0 || asked == accountsRead {
			continue
		}
		asked++
		var stx struct{ Locked string }
		h.get(w, fmt.Sprintf("/extended/v1/address/%s/stx?until_block=%d", account, want.Blocks[i].Height), &stx)
		if stx.Locked != "0" {
			h.wrong("the API says that %s of %s is locked at block %d, at Bitcoin height %d; the lock ends at %d",
				stx.Locked, account, want.Blocks[i].Height, want.Blocks[i].BurnHeight, want.Locks[account].Until)
		}
	}
}

// accountsRead is how many accounts are asked for at the end of a history.
const accountsRead = 8

func shown(n *uint64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// get reads an answer of the API, which must have the status 200.
func (h *History) get(w *World, path string, into any) {
	var r Reply
	var err error
	w.Do(func(ctx context.Context) {
		r, err = w.askAny(ctx, time.Minute, http.MethodGet, APIPort, path, nil, nil)
	})
	if err == nil && r.Status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", r.Status, r.Body)
	}
	if err == nil {
		err = json.Unmarshal(r.Body, into)
	}
	if err != nil {
		h.wrong("%s: %v", path, err)
	}
}
