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
	pool := h.readMempool(w)
	ask := accounts[:min(len(accounts), accountsRead)]
	for _, account := range slices.Sorted(maps.Keys(pool)) {
		if !slices.Contains(ask, account) && len(ask) < 2*accountsRead {
			ask = append(ask, account)
		}
	}
	for _, account := range ask {
		var stx struct {
			Balance, Locked string
			Unlock          uint64 `json:"burnchain_unlock_height"`
			Estimate        string `json:"estimated_balance"`
		}
		h.get(w, "/extended/v1/address/"+account+"/stx", &stx)
		lock := want.Locked[account]
		if stx.Balance != fmt.Sprint(want.Balances[account]) || stx.Locked != fmt.Sprint(lock.Amount) || stx.Unlock != lock.Until {
			h.wrong("the API says that %s has %s, and %s of it locked until %d; want %d, %d, %d",
				account, stx.Balance, stx.Locked, stx.Unlock, want.Balances[account], lock.Amount, lock.Until)
		}
		waits := cmp.Or(pool[account], &pending{})
		if want := fmt.Sprint(int64(want.Balances[account]) + waits.change); stx.Estimate != want && !waits.unsure {
			h.wrong("the API says that %s is to have %s once all is mined, and %s follows from its mempool", account, stx.Estimate, want)
		}
		var nonces struct {
			Last    *uint64 `json:"last_executed_tx_nonce"`
			Waiting *uint64 `json:"last_mempool_tx_nonce"`
		}
		h.get(w, "/extended/v1/address/"+account+"/nonces", &nonces)
		if next := want.Nonces[account]; nonces.Last == nil && next > 0 || nonces.Last != nil && *nonces.Last+1 != next {
			h.wrong("the API says that the last nonce of %s is %s; the next is %d", account, shown(nonces.Last), next)
		}
		if shown(nonces.Waiting) != shown(waits.nonce) {
			h.wrong("the API says that the last waiting nonce of %s is %s, and %s is in its mempool", account, shown(nonces.Waiting), shown(waits.nonce))
		}
		var ids []string
		for _, t := range h.list(w, "/extended/v1/address/"+account+"/mempool") {
			ids = append(ids, t.ID)
		}
		if slices.Sort(ids); !slices.Equal(ids, slices.Sorted(slices.Values(waits.ids))) {
			h.wrong("the API says that %v are in the mempool of %s, and of the whole mempool %v are", ids, account, waits.ids)
		}
	}
}

// waiting is a transaction that waits to be mined.
type waiting struct {
	ID           string `json:"tx_id"`
	Sender       string `json:"sender_address"`
	Nonce        uint64
	Sponsor      string `json:"sponsor_address"`
	SponsorNonce uint64 `json:"sponsor_nonce"`
	Fee          int64  `json:"fee_rate,string"`
	Received     int64  `json:"receipt_time"`
	Transfer     struct {
		Recipient string `json:"recipient_address"`
		Amount    int64  `json:",string"`
	} `json:"token_transfer"`
	Call struct {
		Contract string `json:"contract_id"`
	} `json:"contract_call"`
	Deploy struct {
		Contract string `json:"contract_id"`
	} `json:"smart_contract"`
}

// claim is a nonce of an account, which only one transaction can use.
type claim struct {
	account string
	nonce   uint64
}

func (t *waiting) claims() []claim {
	if t.Sponsor == "" {
		return []claim{{t.Sender, t.Nonce}}
	}
	return []claim{{t.Sender, t.Nonce}, {t.Sponsor, t.SponsorNonce}}
}

// pending is what waits of an account.
type pending struct {
	ids    []string
	nonce  *uint64 // the last one
	change int64   // of its STX, once all is mined
	unsure bool    // it is not known which of two transactions counts
}

// readMempool returns what the list of all transactions that wait says about accounts. Of those that use one nonce only that with the
// greatest fee counts for what an account is to have, or the first of these.
func (h *History) readMempool(w *World) map[string]*pending {
	all, rivals, of := h.list(w, "/extended/v1/tx/mempool"), map[claim][]waiting{}, map[string]*pending{}
	for _, t := range all {
		for _, c := range t.claims() {
			rivals[c] = append(rivals[c], t)
		}
	}
	for _, t := range all {
		counts, unsure := true, false
		for _, c := range t.claims() {
			for _, o := range rivals[c] {
				before := cmp.Or(cmp.Compare(t.Fee, o.Fee), cmp.Compare(o.Received, t.Received))
				counts = counts && before >= 0
				unsure = unsure || before == 0 && o.ID != t.ID
			}
		}
		concern := func(account string) *pending {
			if of[account] == nil {
				of[account] = &pending{}
			}
			p := of[account]
			p.unsure = p.unsure || unsure
			if !slices.Contains(p.ids, t.ID) {
				p.ids = append(p.ids, t.ID)
			}
			return p
		}
		for _, c := range t.claims() {
			if p := concern(c.account); p.nonce == nil || *p.nonce < c.nonce {
				p.nonce = &c.nonce
			}
		}
		for _, other := range []string{t.Transfer.Recipient, t.Call.Contract, t.Deploy.Contract} {
			if other != "" {
				concern(other)
			}
		}
		if counts {
			of[t.Sender].change -= t.Transfer.Amount
			of[cmp.Or(t.Sponsor, t.Sender)].change -= t.Fee
			if to := of[t.Transfer.Recipient]; to != nil {
				to.change += t.Transfer.Amount
			}
		}
	}
	return of
}

// list returns all pages of a list of transactions that wait to be mined.
func (h *History) list(w *World, path string) (all []waiting) {
	for {
		var page struct{ Results []waiting }
		if h.get(w, fmt.Sprintf("%s?limit=50&offset=%d", path, len(all)), &page); len(page.Results) == 0 {
			return all
		}
		all = append(all, page.Results...)
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

// get reads an answer of the API, which must have the status 200.
func (h *History) get(w *World, path string, into any) {
	var r Reply
	var err error
	for ended := true; ended; { // a process that was still starting may end, as its supervisor knows
		w.Script.Until(time.Minute, func() bool { return w.network.listening(APIPort) != 0 })
		process := w.network.listening(APIPort)
		w.Do(func(ctx context.Context) {
			r, err = w.Ask(ctx, time.Minute, http.MethodGet, process, APIPort, path, nil, nil)
		})
		if w.reap(); len(w.running) == 0 {
			w.Start()
		}
		ended = err != nil && process != 0 && w.running[process] == nil
	}
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
