package synthchain

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"strata/domain/transaction"
	"strata/internal/testkit/must"
)

// settings returns the configurations that most tests use.
func settings(seed uint64) map[string]Config {
	all := map[string]Config{
		"plain":      {Seed: seed, Generation: V205, Mix: Mix{Transfer: 1}, Maturity: 5},
		"merged":     {Seed: seed, MergedGenesis: true, Microblocks: true, ForkProbability: 0.2, Maturity: 5},
		"all epochs": AllEpochs(seed),
		"testnet": {
			Seed: seed, Network: Testnet, Nakamoto: true, BlocksPerTenure: 10, Maturity: 3, ForkProbability: 0.1,
			BitcoinReorgProbability: 0.1, ReturnProbability: 0.5,
		},
	}
	for _, g := range Generations() {
		all["everything "+g.String()] = Everything(seed, g)
	}
	return all
}

func TestDeterministic(t *testing.T) {
	for name, cfg := range settings(1) {
		t.Run(name, func(t *testing.T) {
			a, b := New(cfg), New(cfg)
			for i := range 300 {
				p, q := a.Next(), b.Next()
				if p.Path != q.Path || !bytes.Equal(p.Body, q.Body) {
					t.Fatalf("post %d differs:\n%s %s\n%s %s", i, p.Path, p.Body, q.Path, q.Body)
				}
				if i%50 == 0 {
					a.Expected() // must not change later posts
				}
			}
		})
	}
}

func TestPostsAreCanonicalJSON(t *testing.T) {
	for name, cfg := range settings(2) {
		t.Run(name, func(t *testing.T) {
			cfg.SigningSample = 50
			c := New(cfg)
			for i := range 500 {
				p := c.Next()
				d := json.NewDecoder(bytes.NewReader(p.Body))
				d.UseNumber()
				var v any
				if err := d.Decode(&v); err != nil {
					t.Fatalf("post %d to %s: %v\n%s", i, p.Path, err, p.Body)
				}
				// encoding/json writes maps in key order. It would escape more characters than nodes do.
				var encoded bytes.Buffer
				e := json.NewEncoder(&encoded)
				e.SetEscapeHTML(false)
				must.Do(t, e.Encode(v))
				if got, want := p.Body, bytes.TrimSuffix(encoded.Bytes(), []byte("\n")); !bytes.Equal(got, want) {
					t.Fatalf("post %d to %s is not compact with sorted keys:\n got %s\nwant %s", i, p.Path, got, want)
				}
			}
		})
	}
}

func TestTransactionsVerify(t *testing.T) {
	for name, cfg := range settings(3) {
		t.Run(name, func(t *testing.T) {
			c := New(cfg)
			seen := map[string]int{}
			for range 400 {
				p := c.Next()
				var raws []string
				var ids []string
				switch p.Path {
				case "/new_block", "/new_microblocks":
					var body struct {
						Transactions []struct {
							Txid  string
							RawTx string `json:"raw_tx"`
						}
					}
					decode(t, p.Body, &body)
					for _, tx := range body.Transactions {
						raws, ids = append(raws, tx.RawTx), append(ids, tx.Txid)
					}
				case "/new_mempool_tx":
					decode(t, p.Body, &raws)
				}
				for i, text := range raws {
					raw := must.Get(hex.DecodeString(text[2:]))(t)
					if transaction.IsBurnchainOp(raw) {
						seen["burnchain"]++
						continue
					}
					tx := must.Get(transaction.Decode(raw))(t)
					if ids != nil && transaction.ID(raw).String() != ids[i] {
						t.Errorf("txid %s, want %s", ids[i], transaction.ID(raw))
					}
					if tx.IsBoot() {
						seen["boot"]++
						continue
					}
					if err := tx.Verify(); err != nil {
						t.Fatalf("%s by %s: %v", transaction.Name(tx.Payload), tx.Origin.HashMode, err)
					}
					seen[transaction.Name(tx.Payload)]++
					seen[tx.Origin.HashMode.String()]++
					if tx.Sponsored() {
						seen["sponsored"]++
					}
				}
			}
			t.Log(seen)
		})
	}
}

func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
}

func TestConservation(t *testing.T) {
	for name, cfg := range settings(4) {
		t.Run(name, func(t *testing.T) {
			cfg.SigningSample = 50
			c := New(cfg)
			for i := range 1500 {
				c.Next()
				if i%37 > 0 {
					continue
				}
				s := c.Expected()
				sum := new(big.Int).Sub(s.FeesPaid, s.FeesOut) // fees that miners have not received yet
				if sum.Sign() < 0 {
					t.Fatalf("after post %d, fees paid minus fees received by miners are %s", i, sum)
				}
				for _, n := range s.Balances {
					sum.Add(sum, new(big.Int).SetUint64(n))
				}
				if sum.Cmp(s.Liquid()) != 0 {
					t.Fatalf("after post %d balances and pending fees are %s, want %s", i, sum, s.Liquid())
				}
				tokens := map[string]*big.Int{}
				for h, n := range s.Tokens {
					if tokens[h.Asset] == nil {
						tokens[h.Asset] = new(big.Int)
					}
					tokens[h.Asset].Add(tokens[h.Asset], n)
				}
				if got, want := fmt.Sprint(tokens), fmt.Sprint(s.Supplies); got != want {
					t.Fatalf("after post %d tokens are %s, want %s", i, got, want)
				}
			}
		})
	}
}
