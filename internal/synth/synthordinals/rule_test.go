package synthordinals

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/bitcoin"
	"strata/domain/ordinals"
	"strata/internal/testkit/must"
)

// calm returns a configuration without gaps, so that the state is complete at any time.
func calm(cfg Config) Config {
	cfg.OutOfOrderProbability, cfg.GapProbability = 0, 0
	return cfg
}

// TestNumbers checks that numbers follow the protocol: each occurs once, and none is missing.
func TestNumbers(t *testing.T) {
	t.Parallel()
	forEach(t, 11, func(t *testing.T, cfg Config) {
		f := New(calm(cfg))
		for range 3 {
			for range 50 {
				f.Next()
			}
			jubilee := f.Config().Network.JubileeHeight()
			var shown, classic []int64
			for _, i := range f.Expected().Inscriptions {
				shown, classic = append(shown, i.Number), append(classic, i.ClassicNumber)
				if i.Genesis.Height < jubilee && i.Number != i.ClassicNumber || i.Genesis.Height >= jubilee && i.Number < 0 {
					t.Errorf("%s at height %d has the numbers %d and %d", i.ID, i.Genesis.Height, i.Number, i.ClassicNumber)
				}
				if (i.Curse != nil) != (i.ClassicNumber < 0) {
					t.Errorf("%s has the number %d and a curse: %v", i.ID, i.ClassicNumber, i.Curse != nil)
				}
			}
			for what, numbers := range map[string][]int64{"shown": shown, "classic": classic} {
				slices.Sort(numbers)
				for i := 1; i < len(numbers); i++ {
					if numbers[i] != numbers[i-1]+1 {
						t.Fatalf("%s numbers go from %d to %d", what, numbers[i-1], numbers[i])
					}
				}
				if len(numbers) > 0 && (numbers[0] > 0 || numbers[len(numbers)-1] < -1) {
					t.Fatalf("%s numbers go from %d to %d", what, numbers[0], numbers[len(numbers)-1])
				}
			}
		}
	})
}

// TestFeesAreNumberedLast checks the order of the numbers within each block.
func TestFeesAreNumberedLast(t *testing.T) {
	t.Parallel()
	forEach(t, 14, func(t *testing.T, cfg Config) {
		f := New(calm(cfg))
		for range 150 {
			f.Next()
		}
		born := map[uint64][]*Inscription{}
		state := f.Expected()
		for _, i := range state.Inscriptions {
			born[i.Genesis.Height] = append(born[i.Genesis.Height], i)
		}
		inFees := func(i *Inscription) int {
			for _, l := range state.Locations[i.Sat] { // where the sat went, also if the inscription is not on it
				if l.Height == i.Genesis.Height && l.TxIndex == i.Genesis.TxIndex && l.Type != ordinals.SpentInFees {
					return 0
				}
			}
			return 1
		}
		for height, list := range born {
			slices.SortFunc(list, func(a, b *Inscription) int {
				return cmp.Or(inFees(a)-inFees(b), cmp.Compare(a.Genesis.TxIndex, b.Genesis.TxIndex), cmp.Compare(a.ID.Index(), b.ID.Index()))
			})
			last := map[bool]int64{}
			for _, i := range list {
				cursed, size := i.ClassicNumber < 0, max(i.ClassicNumber, -i.ClassicNumber)
				if before, ok := last[cursed]; ok && size != before+1 {
					t.Fatalf("at height %d, %d follows %d", height, i.ClassicNumber, before)
				}
				last[cursed] = size
			}
		}
	})
}

// eachTransaction calls do with the applied transactions of some posts.
func eachTransaction(t *testing.T, posts []Post, do func(*ordinals.Block, *ordinals.Transaction)) {
	t.Helper()
	for _, p := range posts {
		payload := must.Get(ordinals.Decode(p.Body))(t)
		for i := range payload.Apply {
			b := &payload.Apply[i]
			for j := range b.Transactions {
				do(b, &b.Transactions[j])
			}
		}
	}
}

// TestCharmsAreTrue compares the charms with what the feed has posted before.
func TestCharmsAreTrue(t *testing.T) {
	t.Parallel()
	forEach(t, 15, func(t *testing.T, cfg Config) {
		cfg.Shapes = []Shape{NewestShape(), {Charms: CharmsObject}}
		f := New(calm(cfg))
		for range 150 {
			f.Next()
		}
		inscribed := map[ordinals.Sat]bool{}
		eachTransaction(t, f.CanonicalPosts(), func(b *ordinals.Block, tx *ordinals.Transaction) {
			for _, o := range tx.Operations {
				r := o.Reveal
				if r == nil {
					continue
				}
				want := r.Sat.Charms()
				if inscribed[r.Sat] {
					want |= ordinals.CharmReinscription
				}
				if l, _ := r.SatLocation(tx.TxID, b.Height); l.Type == ordinals.Burnt {
					want |= ordinals.CharmBurned
				}
				if r.Sat == 0 {
					want = ordinals.CharmUnbound
				}
				switch {
				case r.Number.Jubilee < 0:
					want |= ordinals.CharmCursed
				case r.Number.Classic < 0:
					want |= ordinals.CharmVindicated
				}
				if r.Charms == nil || *r.Charms != want {
					t.Fatalf("%s on sat %s has the charms %v, want %v", r.ID, r.Sat, r.Charms.Names(), want.Names())
				}
				inscribed[r.Sat] = true
			}
		})
	})
}

// TestAddresses checks that owners have addresses of the network.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for network, n := range map[ordinals.Network]bitcoin.Network{
		"": bitcoin.Mainnet, ordinals.Testnet: bitcoin.Testnet, ordinals.Signet: bitcoin.Testnet, ordinals.Regtest: bitcoin.Regtest,
	} {
		f := New(Config{Seed: 4, Network: network, Transfers: Range{Min: 1, Max: 3}, Reveals: Range{Min: 1, Max: 3}})
		if _, ok := f.Tip(); ok {
			t.Error("there is a tip before the first post")
		}
		if s := f.Expected(); len(s.Inscriptions) > 0 {
			t.Error("there are inscriptions before the first post")
		}
		for range 50 {
			f.Next()
		}
		all := f.Addresses()
		for _, i := range f.Expected().Inscriptions {
			if i.Current.Address == nil {
				continue
			}
			address := *i.Current.Address
			if _, err := bitcoin.ParseAddress(address, n); err != nil || !slices.Contains(all, address) {
				t.Errorf("owner %q is not one of the addresses: %v", address, err)
			}
		}
	}
}

// TestSatsHaveOnePlace reads the feed and checks that each sat leaves from where it was, and that no two are in one
// place.
func TestSatsHaveOnePlace(t *testing.T) {
	t.Parallel()
	forEach(t, 12, func(t *testing.T, cfg Config) {
		f := New(calm(cfg))
		for range 200 {
			f.Next()
		}
		at := map[ordinals.Sat]string{}    // place of each sat
		whose := map[string]ordinals.Sat{} // sat at each place
		arrive := func(sat ordinals.Sat, p ordinals.Satpoint, value *uint64) {
			if sat == 0 {
				return // unbound inscriptions have no place
			}
			if value != nil && *p.Offset >= *value {
				t.Fatalf("sat %s is at %s of %d sats", sat, p, *value)
			}
			delete(whose, at[sat])
			if other, taken := whose[p.String()]; taken {
				t.Fatalf("sats %s and %s are at %s", other, sat, p)
			}
			at[sat], whose[p.String()] = p.String(), sat
		}
		paid := map[string]uint64{} // heights at which the miner received the sat at a place
		moved := 0
		eachTransaction(t, f.CanonicalPosts(), func(b *ordinals.Block, tx *ordinals.Transaction) {
			// All sats leave before the first one arrives.
			for _, o := range tx.Operations {
				if m := o.Transfer; m != nil {
					moved++
					if height, ok := paid[m.SatpointPre.String()]; ok && b.Height < height+100 {
						t.Fatalf("a sat that a miner received at height %d moves at height %d", height, b.Height)
					}
					if m.Destination == ordinals.SpentInFees {
						paid[m.SatpointPost.String()] = b.Height
					}
					if m.SatpointPre.String() != at[m.Sat] {
						t.Fatalf("sat %s leaves %s, but was at %s", m.Sat, m.SatpointPre, at[m.Sat])
					}
					delete(whose, at[m.Sat])
				} else {
					delete(whose, at[o.Reveal.Sat])
				}
			}
			revealed := map[ordinals.Sat]bool{}
			for _, o := range tx.Operations {
				if r := o.Reveal; r != nil && !revealed[r.Sat] {
					revealed[r.Sat] = true
					if r.Sat.CoinbaseHeight() >= b.Height {
						t.Fatalf("sat %s is revealed at %d, before it is mined", r.Sat, b.Height)
					}
					var value *uint64
					if r.OutputValue > 0 {
						value = &r.OutputValue
					}
					arrive(r.Sat, r.SatpointPost, value)
				} else if m := o.Transfer; m != nil {
					arrive(m.Sat, m.SatpointPost, m.OutputValue)
				}
			}
		})
		if moved == 0 && cfg.Transfers.Max > 0 {
			t.Error("nothing moved")
		}
	})
}

// TestTokensAreConserved checks that all minted tokens are in balances or burnt, and that no balance is negative.
func TestTokensAreConserved(t *testing.T) {
	t.Parallel()
	forEach(t, 13, func(t *testing.T, cfg Config) {
		f := New(calm(cfg))
		for range 3 {
			for range 50 {
				f.Next()
			}
			s := f.Expected()
			sums := map[string]*big.Int{}
			for h, b := range s.Balances {
				if b.Available.Sign() < 0 || b.Transferrable.Sign() < 0 {
					t.Fatalf("%s has %s and %s of %s", h.Address, b.Available, b.Transferrable, h.Ticker)
				}
				if sums[h.Ticker] == nil {
					sums[h.Ticker] = new(big.Int)
				}
				sums[h.Ticker].Add(sums[h.Ticker], b.Total())
			}
			for ticker, token := range s.Tokens {
				sum := new(big.Int).Set(token.Burnt)
				if sums[ticker] != nil {
					sum.Add(sum, sums[ticker])
				}
				if sum.Cmp(token.Minted) != 0 || token.Max.Sign() > 0 && token.Minted.Cmp(token.Max) > 0 {
					t.Fatalf("%s of %s are in balances or burnt, %s were minted, of at most %s", sum, ticker, token.Minted, token.Max)
				}
			}
		}
	})
}

// TestMembers pins the members of a payload, in the order of indexers.
func TestMembers(t *testing.T) {
	t.Parallel()
	body := func(s Shape) []byte {
		return New(Config{Seed: 1, Reveals: Range{Min: 1, Max: 1}, Transfers: Range{Min: 0, Max: 0}, Shapes: []Shape{s}}).Next().Body
	}
	want := map[string]string{
		"":                                 "chainhook apply rollback",
		"/chainhook":                       "uuid predicate is_streaming_blocks",
		"/apply/0":                         "block_identifier parent_block_identifier timestamp transactions metadata",
		"/apply/0/block_identifier":        "index hash",
		"/apply/0/transactions/0":          "transaction_identifier operations metadata",
		"/apply/0/transactions/0/metadata": "index ordinal_operations proof fee inputs outputs stacks_operations",
		"/apply/0/transactions/0/metadata/ordinal_operations/0": "inscription_revealed",
		"/apply/0/transactions/0/metadata/ordinal_operations/0/inscription_revealed": "content_bytes content_type content_length inscription_number " +
			"inscription_fee inscription_output_value inscription_id inscription_input_index inscription_pointer inscriber_address delegate " +
			"metaprotocol metadata parents ordinal_number ordinal_block_height ordinal_offset tx_index transfers_pre_inscription " +
			"satpoint_post_inscription curse_type charms unbound_sequence",
	}
	sorted := NewestShape()
	sorted.Sorted = true
	declared, inOrder := membersOf(t, body(NewestShape())), membersOf(t, body(sorted))
	for path, names := range want {
		if got := strings.Join(declared[path], " "); got != names {
			t.Errorf("members of %q are\n%s, want\n%s", path, got, names)
		}
		list := strings.Fields(names)
		slices.Sort(list)
		if got := inOrder[path]; !slices.Equal(got, list) {
			t.Errorf("sorted members of %q are %s, want %s", path, got, list)
		}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, body(NewestShape())); err != nil || !bytes.Equal(compact.Bytes(), body(NewestShape())) {
		t.Errorf("the body is not compact: %v", err)
	}
}

// membersOf returns the names of the members of each object, by its path.
func membersOf(t *testing.T, body []byte) map[string][]string {
	t.Helper()
	members := map[string][]string{}
	d := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		kind, length := d.StackIndex(d.StackDepth())
		if kind == '{' && length%2 == 1 && token.Kind() == '"' {
			path := string(d.StackPointer())
			path = path[:strings.LastIndexByte(path, '/')]
			members[path] = append(members[path], token.String())
		}
	}
	return members
}

// TestForgetHistory checks how much the generator keeps.
func TestForgetHistory(t *testing.T) {
	t.Parallel()
	cfg := Everything(40, ordinals.Regtest)
	cfg.ForgetHistory, cfg.Live = true, 100
	f := New(cfg)
	for i := range 900 {
		f.Next()
		limit := 500
		if len(f.canonical) > limit || len(f.branch) > 20 || len(f.queue) > 3 || len(f.later) > 40 || len(f.mempool) > limit ||
			len(f.world.outputs.Rows) > 150 || len(f.world.sats.Rows) > 3000 || len(f.world.tokens.pending.Rows) > 150 {
			t.Fatalf("after %d posts: %d blocks, %d of them not final, %d and %d deliveries, %d plans, %d outputs, %d sats, %d amounts to send",
				i, len(f.canonical), len(f.branch), len(f.queue), len(f.later), len(f.mempool),
				len(f.world.outputs.Rows), len(f.world.sats.Rows), len(f.world.tokens.pending.Rows))
		}
	}
	tip, ok := f.Tip()
	s := f.Expected()
	if stateTip, _ := s.Tip(); !ok || stateTip != tip || len(s.Blocks) < 128 {
		t.Errorf("the tip is %v, but that of the state is %v after %d blocks", tip, stateTip, len(s.Blocks))
	}
}
