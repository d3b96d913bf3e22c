package synthchain

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"sort"
	"testing"

	"strata/domain/transaction"
)

// The observer below reads the posts in the plainest way: it stores all blocks, searches them for the canonical chain,
// and adds everything up from genesis each time. It shares only the rules with the model, no code.

type seenEvent struct {
	EventIndex int  `json:"event_index"`
	Committed  bool `json:"committed"`
	Txid       string
	Type       string
	Data       map[string]json.RawMessage
}

func (e *seenEvent) UnmarshalJSON(b []byte) error {
	type plain seenEvent
	if err := json.Unmarshal(b, (*plain)(e)); err != nil {
		return err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	return json.Unmarshal(parts[e.Type], &e.Data)
}

func (e *seenEvent) text(name string) string {
	var s string
	if err := json.Unmarshal(e.Data[name], &s); err != nil {
		panic(err)
	}
	return s
}

func (e *seenEvent) amount(name string) *big.Int {
	n, ok := new(big.Int).SetString(e.text(name), 10)
	if !ok {
		panic("amount " + e.text(name))
	}
	return n
}

type seenBlock struct {
	BlockHash            string `json:"block_hash"`
	IndexBlockHash       string `json:"index_block_hash"`
	ParentIndexBlockHash string `json:"parent_index_block_hash"`
	BlockHeight          uint64 `json:"block_height"`
	BurnBlockHash        string `json:"burn_block_hash"`
	BurnBlockHeight      uint64 `json:"burn_block_height"`
	Transactions         []struct {
		Txid               string
		TxIndex            int    `json:"tx_index"`
		RawTx              string `json:"raw_tx"`
		Status             string
		MicroblockSequence *int `json:"microblock_sequence"`
	}
	Events              []seenEvent
	MaturedMinerRewards []struct {
		Recipient string
		Coinbase  string `json:"coinbase_amount"`
		Anchored  string `json:"tx_fees_anchored"`
		Confirmed string `json:"tx_fees_streamed_confirmed"`
		Produced  string `json:"tx_fees_streamed_produced"`
	} `json:"matured_miner_rewards"`
	order int
}

type seenBurn struct {
	Hash   string `json:"burn_block_hash"`
	Height uint64 `json:"burn_block_height"`
	Parent string `json:"parent_burn_block_hash"`
}

type observer struct {
	t      *testing.T
	blocks map[string]*seenBlock
	burns  map[string]*seenBurn
	at     map[uint64]string // hashes of the canonical burn blocks, by height
}

func newObserver(t *testing.T) *observer {
	return &observer{t: t, blocks: map[string]*seenBlock{}, burns: map[string]*seenBurn{}, at: map[uint64]string{}}
}

func (o *observer) post(p Post) {
	switch p.Path {
	case "/new_block":
		b := new(seenBlock)
		decode(o.t, p.Body, b)
		if o.blocks[b.IndexBlockHash] == nil {
			b.order = len(o.blocks)
			o.blocks[b.IndexBlockHash] = b
		}
	case "/new_burn_block":
		b := new(seenBurn)
		decode(o.t, p.Body, b)
		if o.burns[b.Hash] != nil && o.at[b.Height] == b.Hash {
			return
		}
		o.burns[b.Hash] = b
		for h := range o.at {
			if h >= b.Height {
				delete(o.at, h)
			}
		}
		for a := b; a != nil; a = o.burns[a.Parent] {
			o.at[a.Height] = a.Hash
		}
	}
}

// chain returns the canonical chain.
func (o *observer) chain() []*seenBlock {
	var best []*seenBlock
	for _, b := range o.blocks {
		var chain []*seenBlock
		ok := false
		for a := b; a != nil; a = o.blocks[a.ParentIndexBlockHash] {
			if h, known := o.at[a.BurnBlockHeight]; o.burns[a.BurnBlockHash] != nil && (!known || h != a.BurnBlockHash) {
				break
			}
			chain = append(chain, a)
			if a.BlockHeight == 0 || a.BlockHeight == 1 && o.blocks[a.ParentIndexBlockHash] == nil {
				ok = true
				break
			}
		}
		if ok && (best == nil || wins(b, best[len(best)-1])) {
			for i, j := 0, len(chain)-1; i < j; i, j = i+1, j-1 {
				chain[i], chain[j] = chain[j], chain[i]
			}
			best = chain
		}
	}
	return best
}

func wins(a, b *seenBlock) bool {
	if a.BlockHeight != b.BlockHeight {
		return a.BlockHeight > b.BlockHeight
	}
	if a.BurnBlockHeight != b.BurnBlockHeight {
		return a.BurnBlockHeight > b.BurnBlockHeight
	}
	return a.order < b.order
}

// fold adds everything up. It omits zeros, and what the events of old nodes do not contain.
func (o *observer) fold() State {
	s := State{
		Balances: map[string]uint64{}, Nonces: map[string]uint64{}, Locks: map[string]Lock{},
		Tokens: map[Holding]*big.Int{}, Supplies: map[string]*big.Int{}, Items: map[Item]string{},
		Minted: new(big.Int), Burned: new(big.Int), Coinbase: new(big.Int), FeesPaid: new(big.Int), FeesOut: new(big.Int),
	}
	balances := map[string]*big.Int{}
	move := func(who string, n *big.Int, sign int) {
		if balances[who] == nil {
			balances[who] = new(big.Int)
		}
		if sign < 0 {
			balances[who].Sub(balances[who], n)
		} else {
			balances[who].Add(balances[who], n)
		}
	}
	token := func(e seenEvent, role string, sign int64) {
		n := new(big.Int).Mul(e.amount("amount"), big.NewInt(sign))
		h := Holding{e.text("asset_identifier"), e.text(role)}
		if s.Tokens[h] == nil {
			s.Tokens[h] = new(big.Int)
		}
		s.Tokens[h].Add(s.Tokens[h], n)
		if s.Supplies[h.Asset] == nil {
			s.Supplies[h.Asset] = new(big.Int)
		}
		s.Supplies[h.Asset].Add(s.Supplies[h.Asset], n)
	}
	chain := o.chain()
	for _, b := range chain {
		success, place := map[string]bool{}, map[string]int{}
		for i, tx := range b.Transactions {
			if tx.TxIndex != i {
				o.t.Errorf("block %d: tx_index %d at %d", b.BlockHeight, tx.TxIndex, i)
			}
			success[tx.Txid] = tx.Status == "success"
			place[tx.Txid] = i
			if tx.MicroblockSequence != nil { // executed first
				place[tx.Txid] -= 1 << 20
			}
			raw, err := hex.DecodeString(tx.RawTx[2:])
			if err != nil {
				o.t.Fatal(err)
			}
			if transaction.IsBurnchainOp(raw) {
				continue
			}
			t, err := transaction.Decode(raw)
			if err != nil {
				o.t.Fatal(err)
			}
			if t.IsBoot() {
				continue
			}
			fee := new(big.Int).SetUint64(t.Fee())
			s.FeesPaid.Add(s.FeesPaid, fee)
			move(t.FeePayer().String(), fee, -1)
			use := func(who string, nonce uint64) { s.Nonces[who] = max(s.Nonces[who], nonce+1) }
			use(t.Sender().String(), t.Nonce())
			if sponsor, ok := t.SponsorAddress(); ok {
				nonce, _ := t.SponsorNonce()
				use(sponsor.String(), nonce)
			}
		}
		sort.Slice(b.Events, func(i, j int) bool { return b.Events[i].EventIndex < b.Events[j].EventIndex })
		for i, e := range b.Events {
			if e.EventIndex != i {
				o.t.Errorf("block %d: event %d has index %d", b.BlockHeight, i, e.EventIndex)
			}
		}
		ordered := append([]seenEvent(nil), b.Events...)
		sort.SliceStable(ordered, func(i, j int) bool { return place[ordered[i].Txid] < place[ordered[j].Txid] })
		for _, e := range ordered {
			if !e.Committed || !success[e.Txid] {
				continue
			}
			switch e.Type {
			case "stx_transfer_event":
				move(e.text("sender"), e.amount("amount"), -1)
				move(e.text("recipient"), e.amount("amount"), 1)
			case "stx_mint_event":
				move(e.text("recipient"), e.amount("amount"), 1)
				s.Minted.Add(s.Minted, e.amount("amount"))
			case "stx_burn_event":
				move(e.text("sender"), e.amount("amount"), -1)
				s.Burned.Add(s.Burned, e.amount("amount"))
			case "stx_lock_event":
				s.Locks[e.text("locked_address")] = Lock{
					Amount: e.amount("locked_amount").Uint64(), Until: e.amount("unlock_height").Uint64(),
				}
			case "ft_mint_event":
				token(e, "recipient", 1)
			case "ft_burn_event":
				token(e, "sender", -1)
			case "ft_transfer_event":
				token(e, "sender", -1)
				token(e, "recipient", 1)
			case "nft_mint_event", "nft_transfer_event":
				s.Items[Item{e.text("asset_identifier"), e.text("raw_value")}] = e.text("recipient")
			case "nft_burn_event":
				delete(s.Items, Item{e.text("asset_identifier"), e.text("raw_value")})
			}
		}
		for _, r := range b.MaturedMinerRewards {
			for i, text := range []string{r.Coinbase, r.Anchored, r.Confirmed, r.Produced} {
				n, _ := new(big.Int).SetString(text, 10)
				move(r.Recipient, n, 1)
				if i == 0 {
					s.Coinbase.Add(s.Coinbase, n)
				} else {
					s.FeesOut.Add(s.FeesOut, n)
				}
			}
		}
	}
	for who, n := range balances {
		if n.Sign() < 0 {
			o.t.Errorf("balance of %s is %s", who, n)
		}
		if n.Sign() > 0 {
			s.Balances[who] = n.Uint64()
		}
	}
	for h, n := range s.Tokens {
		if n.Sign() == 0 {
			delete(s.Tokens, h)
		}
	}
	for a, n := range s.Supplies {
		if n.Sign() == 0 {
			delete(s.Supplies, a)
		}
	}
	return s
}

func (o *observer) compare(at string, c *Chain) {
	o.t.Helper()
	got, want := o.fold(), c.Expected()
	chain := o.chain()
	var gotChain, wantChain []string
	for _, b := range chain {
		gotChain = append(gotChain, fmt.Sprintln(b.BlockHeight, b.IndexBlockHash, b.BlockHash, b.BurnBlockHash, len(b.Transactions)))
	}
	for _, b := range want.Blocks {
		wantChain = append(wantChain, fmt.Sprintln(b.Height, b.IndexHash, b.Hash, b.BurnHash, b.Transactions))
	}
	if !reflect.DeepEqual(gotChain, wantChain) {
		o.t.Fatalf("%s: canonical chain is\n%s\nwant\n%s", at, gotChain, wantChain)
	}
	for who, l := range want.Locks {
		l.Contract = ""
		want.Locks[who] = l
	}
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"balances", got.Balances, want.Balances}, {"nonces", got.Nonces, want.Nonces}, {"locks", got.Locks, want.Locks},
		{"tokens", fmt.Sprint(got.Tokens), fmt.Sprint(want.Tokens)}, {"supplies", fmt.Sprint(got.Supplies), fmt.Sprint(want.Supplies)},
		{"items", got.Items, want.Items},
		{"totals", fmt.Sprint(got.Minted, got.Burned, got.Coinbase, got.FeesPaid, got.FeesOut), fmt.Sprint(want.Minted, want.Burned, want.Coinbase, want.FeesPaid, want.FeesOut)},
	} {
		if !reflect.DeepEqual(part.got, part.want) {
			o.t.Fatalf("%s: %s are\n%v\nwant\n%v", at, part.name, part.got, part.want)
		}
	}
}

func TestObserverFindsExpectedState(t *testing.T) {
	posts := 1200
	if testing.Short() {
		posts = 300
	}
	for seed := uint64(10); seed < 13; seed++ {
		for name, cfg := range settings(seed) {
			t.Run(fmt.Sprintf("%s seed %d", name, seed), func(t *testing.T) {
				cfg.SigningSample = 50
				c, o := New(cfg), newObserver(t)
				o.post(c.Next())
				for i := range posts {
					o.post(c.Next())
					if i%181 == 0 || i == posts-1 { // to look at the state, the observer folds everything anew
						o.compare(fmt.Sprintf("after post %d", i), c)
					}
				}
				alone := newObserver(t)
				for _, p := range c.CanonicalPosts() {
					alone.post(p)
				}
				alone.compare("canonical posts alone", c)
				if got, want := len(alone.blocks), len(c.Expected().Blocks); got != want {
					t.Errorf("canonical posts hold %d blocks, want %d", got, want)
				}
			})
		}
	}
}
