package rosetta_test

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coinbase/rosetta-sdk-go/asserter"
	"github.com/coinbase/rosetta-sdk-go/types"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/readapi/rosetta"
	"strata/rig/replay"
)

// checker follows a chain as the standard's own tool does: it asserts every answer, adds up the operations of every
// block, and compares the sums with the balances that the API tells.
type checker struct {
	*site
	*asserter.Asserter
	random *rand.Rand
	// sums are the balances by account and currency. The currency is part of the key with all of its metadata.
	sums  map[string]*big.Int
	parts map[string]part
	tip   int64
	// types counts the operations by type.
	types map[string]int
	// compared counts the compared balances.
	compared int
	// tokens counts the balances of tokens among the sums.
	tokens int
}

type part struct {
	account  *types.AccountIdentifier
	currency *types.Currency
}

func newChecker(s *site) *checker {
	s.Helper()
	options := ask[types.NetworkOptionsResponse](s, "/network/options", map[string]any{})
	must.Do(s, asserter.NetworkOptionsResponse(options))
	status := ask[types.NetworkStatusResponse](s, "/network/status", map[string]any{})
	must.Do(s, asserter.NetworkStatusResponse(status))
	a := must.Get(asserter.NewClientWithOptions(&types.NetworkIdentifier{Blockchain: "stacks", Network: s.network}, status.GenesisBlockIdentifier,
		options.Allow.OperationTypes, options.Allow.OperationStatuses, options.Allow.Errors, nil, &asserter.Validations{}))(s)
	return &checker{
		site: s, Asserter: a, random: rand.New(rand.NewPCG(1, 2)), sums: map[string]*big.Int{}, parts: map[string]part{},
		tip: status.CurrentBlockIdentifier.Index, types: map[string]int{},
	}
}

// check follows the chain from its first block to its tip.
func (c *checker) check() *checker {
	c.Helper()
	status := ask[types.NetworkStatusResponse](c.site, "/network/status", map[string]any{})
	previous := status.GenesisBlockIdentifier
	for index := status.GenesisBlockIdentifier.Index; index <= c.tip; index++ {
		block := c.block(index)
		if block.ParentBlockIdentifier.Hash != previous.Hash {
			c.Fatalf("block %d: parent %v, want %v", index, block.ParentBlockIdentifier, previous)
		}
		previous = block.BlockIdentifier
		changed := c.add(block)
		known := slices.Sorted(maps.Keys(c.sums))
		for range min(3, len(known)) { // accounts that did not change, too
			changed[known[c.random.IntN(len(known))]] = true
		}
		c.compare(index, changed)
	}
	for key := range c.sums {
		c.compare(c.tip, map[string]bool{key: true})
	}
	c.Logf("blocks to %d, balances compared: %d, balances of tokens: %d, operations: %v", c.tip, c.compared, c.tokens, c.types)
	return c
}

// networkOf returns the network of a recording by its name.
func networkOf(name string) string {
	if strings.HasPrefix(name, "mainnet") {
		return "mainnet"
	}
	return "testnet"
}

// block reads a block with the transactions that are too large to be in it.
func (c *checker) block(index int64) *types.Block {
	c.Helper()
	answer := ask[types.BlockResponse](c.site, "/block", at(index))
	if err := c.Block(answer.Block); err != nil {
		c.Fatalf("block %d: %v", index, err)
	}
	for _, other := range answer.OtherTransactions {
		part := ask[types.BlockTransactionResponse](c.site, "/block/transaction", at(index, "transaction_identifier", named(other.Hash)))
		if err := c.Transaction(part.Transaction); err != nil {
			c.Fatalf("transaction %s: %v", other.Hash, err)
		}
		answer.Block.Transactions = append(answer.Block.Transactions, part.Transaction)
	}
	return answer.Block
}

// add adds up the operations of a block, and returns what they change.
func (c *checker) add(block *types.Block) map[string]bool {
	c.Helper()
	changed := map[string]bool{}
	for _, tx := range block.Transactions {
		for _, op := range tx.Operations {
			c.types[op.Type]++
			if successful := must.Get(c.OperationSuccessful(op))(c.site); !successful || op.Amount == nil || op.Account == nil {
				continue
			}
			key := types.Hash(op.Account) + types.Hash(op.Amount.Currency)
			value := must.Get(types.AmountValue(op.Amount))(c.site)
			if c.sums[key] == nil {
				c.sums[key], c.parts[key] = new(big.Int), part{op.Account, op.Amount.Currency}
				if op.Amount.Currency.Symbol != "STX" {
					c.tokens++
				}
			}
			c.sums[key].Add(c.sums[key], value)
			changed[key] = true
		}
	}
	return changed
}

// compare compares sums with the balances at a block.
func (c *checker) compare(index int64, keys map[string]bool) {
	c.Helper()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		p := c.parts[key]
		answer := ask[types.AccountBalanceResponse](c.site, "/account/balance", at(index, "account_identifier", p.account, "currencies", []any{p.currency}))
		must.Do(c.site, asserter.AccountBalanceResponse(&types.PartialBlockIdentifier{Index: &index}, answer))
		got := "0"
		for _, amount := range answer.Balances {
			if types.Hash(amount.Currency) == types.Hash(p.currency) {
				got = amount.Value
			}
		}
		c.compared++
		if got != c.sums[key].String() {
			c.Fatalf("block %d, %s of %s: balance %s, operations add up to %s", index, types.PrintStruct(p.currency), p.account.Address, got, c.sums[key])
		}
	}
}

// TestReconciles checks each balance at each block of made-up chains with forks, before and after reorganisations.
func TestReconciles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		generation synthchain.Generation
		prefix     string
	}{
		{synthchain.V205, rosetta.LegacyPath}, {synthchain.V30, rosetta.MeshPath}, {synthchain.V40, rosetta.LegacyPath}, {synthchain.V40, rosetta.MeshPath},
	} {
		t.Run(fmt.Sprintf("%v%s", tt.generation, strings.ReplaceAll(tt.prefix, "/", "-")), func(t *testing.T) {
			t.Parallel()
			config := synthchain.Everything(41, tt.generation)
			config.SigningSample, config.Accounts, config.Maturity = 1000, 12, 5
			made := synthchain.New(config)
			network := "testnet"
			if made.Config().Network == synthchain.Mainnet {
				network = "mainnet"
			}
			log := replay.NewLog(t)
			for pass := range 2 {
				posts := replay.Take(150, made.Next)
				fold(t, log, posts...)
				c := newChecker(newSite(t, log, network, tt.prefix, rosetta.Config{})).check()
				if c.compared < 100 || pass == 1 && c.tokens == 0 { // tokens come late
					t.Errorf("compared %d balances, and %d of tokens, want more", c.compared, c.tokens)
				}
			}
		})
	}
}

// TestReconcilesEpochs does the same with what a real node posted on a chain through all epochs up to 4.0, with
// stacking, staking, operations of Bitcoin and reorganisations.
func TestReconcilesEpochs(t *testing.T) {
	t.Parallel()
	posts := replay.Archive(t, "node", "nakamoto-epoch4.tsv.gz")
	for _, prefix := range []string{rosetta.MeshPath, rosetta.LegacyPath} {
		t.Run(strings.Trim(strings.ReplaceAll(prefix, "/", "-"), "-"), func(t *testing.T) {
			t.Parallel()
			log := replay.NewLog(t)
			fold(t, log, posts...)
			c := newChecker(newSite(t, log, "testnet", prefix, rosetta.Config{})).check()
			want := []string{"stx_lock", "stx_unlock", "miner_reward", "contract_call"}
			if prefix == rosetta.MeshPath {
				want = append(want, "stack_stx", "stake", "stake_update", "unstake", "register_for_bond")
			}
			for _, kind := range want {
				if c.types[kind] == 0 {
					t.Errorf("no operation %s", kind)
				}
			}
		})
	}
}

// TestReconcilesRecordings does the same with what real nodes sent.
func TestReconcilesRecordings(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob(filepath.Join(replay.SharedData(t), "events", "*.tsv.gz")))(t)
	for _, file := range files {
		name := filepath.Base(file)
		for _, prefix := range []string{rosetta.MeshPath, rosetta.LegacyPath} {
			t.Run(name+strings.ReplaceAll(prefix, "/", "-"), func(t *testing.T) {
				t.Parallel()
				log := replay.NewLog(t)
				fold(t, log, replay.Recording(t, name)...)
				newChecker(newSite(t, log, networkOf(name), prefix, rosetta.Config{})).check()
			})
		}
	}
}
