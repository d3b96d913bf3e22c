package balances_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections/balances"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestLedger folds random histories with forks. It recomputes all balances at all heights from the bodies, in the
// simplest way, and compares every ledger row with the JSON object that its pointer leads to.
func TestLedger(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V25, synthchain.V30, synthchain.V40} {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			tx := rig.Begin(t)
			config := synthchain.Everything(5, generation)
			config.Maturity, config.SigningSample, config.Accounts = 6, 1000, 12
			config.ForkProbability, config.BitcoinReorgProbability = 0.2, 0.05
			generator := synthchain.New(config)
			posts := replay.Take(450, generator.Next)
			foldChain(t, tx, posts)
			checkForked(t, tx)
			causes := checkPointers(t, tx, posts)
			for _, cause := range []string{"fee", "miner_reward", "stx_transfer_event", "stx_mint_event", "ft_transfer_event", "nft_mint_event"} {
				if causes[cause] == 0 {
					t.Errorf("no row has the cause %s: %v", cause, causes)
				}
			}
			if blocks := checkHeights(t, tx, posts); blocks < 30 {
				t.Errorf("only %d canonical blocks", blocks)
			}
		})
	}
}

// TestLedgerOfRecordings does the same with recordings of real nodes.
func TestLedgerOfRecordings(t *testing.T) {
	short.Skip(t, "folds long recordings")
	t.Parallel()
	files := must.Get(filepath.Glob(filepath.Join(replay.SharedData(t), "events", "*.tsv.gz")))(t)
	var all sync.Map // causes
	t.Run("each", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".tsv.gz"), func(t *testing.T) {
				t.Parallel()
				tx, posts := rig.Begin(t), replay.Recording(t, filepath.Base(file))
				foldChain(t, tx, posts)
				for cause := range checkPointers(t, tx, posts) {
					all.Store(cause, true)
				}
				if blocks := checkHeights(t, tx, posts); blocks == 0 {
					t.Error("there are no canonical blocks")
				}
			})
		}
	})
	for _, cause := range []string{"fee", "stx_transfer_event", "stx_mint_event"} { // recordings have no tokens and miner rewards; TestLedger has
		if _, ok := all.Load(cause); !ok && len(files) > 0 {
			t.Errorf("none of the recordings has a %s", cause)
		}
	}
}

// foldChain folds posts with chain, and the resulting steps with balances, in batches of random sizes.
func foldChain(t *testing.T, tx pgx.Tx, posts []replay.Post) {
	t.Helper()
	steps := rig.Steps(t, tx, posts)
	projection, random := balances.New(nil), rand.New(rand.NewPCG(1, 2))
	for after := 0; after < len(steps); {
		end := min(after+1+random.IntN(20), len(steps))
		must.Get(projection.Fold(t.Context(), tx, int64(after), steps[after:end]))(t)
		after = end
		if random.IntN(3) == 0 {
			projection.Forget()
		}
	}
}

// checkForked checks that some block was reverted.
func checkForked(t *testing.T, tx pgx.Tx) {
	t.Helper()
	if len(replay.Texts(t, tx, schemas.In(`SELECT step::text FROM {chain}.step WHERE kind = -1 LIMIT 1`))) == 0 {
		t.Fatal("the history has no reorganisation")
	}
}

// parsed returns a body as plain JSON.
func parsed(t *testing.T, post replay.Post) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(post.Body))
	decoder.UseNumber()
	var body map[string]any
	must.Do(t, decoder.Decode(&body))
	return body
}

// resolve follows a JSON pointer.
func resolve(t *testing.T, value any, pointer string) map[string]any {
	t.Helper()
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(v) {
				t.Fatalf("pointer %s leads nowhere", pointer)
			}
			value = v[i]
		}
	}
	object, ok := value.(map[string]any)
	if !ok {
		t.Fatalf("pointer %s leads to %v", pointer, value)
	}
	return object
}

func number(t *testing.T, value any) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(fmt.Sprint(value), 10)
	if !ok {
		t.Fatalf("%v is no whole number", value)
	}
	return n
}

// entry is a change of a balance.
type entry struct {
	account, asset string
	delta          *big.Int
}

// eventEntries returns the changes by an event: the sender loses and the recipient gains.
func eventEntries(t *testing.T, event map[string]any) []entry {
	t.Helper()
	kind := event["type"].(string)
	var asset string
	switch {
	case kind == "stx_lock_event" || kind == "contract_event":
		return nil
	case strings.HasPrefix(kind, "stx_"):
		asset = "stx"
	}
	data := event[kind].(map[string]any)
	amount := big.NewInt(1)
	if asset == "" {
		asset = data["asset_identifier"].(string)
	}
	if !strings.HasPrefix(kind, "nft_") {
		amount = number(t, data["amount"])
	}
	var list []entry
	if sender, ok := data["sender"].(string); ok {
		list = append(list, entry{sender, asset, new(big.Int).Neg(amount)})
	}
	if recipient, ok := data["recipient"].(string); ok {
		list = append(list, entry{recipient, asset, amount})
	}
	return list
}

func feeEntries(t *testing.T, tx map[string]any) []entry {
	t.Helper()
	raw := must.Get(hex.DecodeString(strings.TrimPrefix(tx["raw_tx"].(string), "0x")))(t)
	if len(raw) == 1 {
		return nil
	}
	envelope := must.Get(transaction.DecodeEnvelope(raw))(t)
	return []entry{{envelope.FeePayer().String(), "stx", new(big.Int).Neg(new(big.Int).SetUint64(envelope.Fee()))}}
}

func rewardEntries(t *testing.T, reward map[string]any) []entry {
	t.Helper()
	sum := new(big.Int)
	for _, part := range []string{"coinbase_amount", "tx_fees_anchored", "tx_fees_streamed_confirmed", "tx_fees_streamed_produced"} {
		if value, ok := reward[part]; ok {
			sum.Add(sum, number(t, value))
		}
	}
	return []entry{{reward["recipient"].(string), "stx", sum}}
}

// checkPointers follows the pointer of each ledger row. It returns the number of rows of each cause.
func checkPointers(t *testing.T, tx pgx.Tx, posts []replay.Post) (causes map[string]int) {
	t.Helper()
	rows := must.Get(tx.Query(t.Context(), schemas.In(`SELECT account, asset, delta::text, cause, pointer, source_seq, tx_index FROM {balances}.ledger`)))(t)
	var (
		got         entry
		delta       string
		cause, at   string
		seq         int64
		index       *int
		bodies      = map[int64]map[string]any{}
		wrong       int
		description = func() string {
			return fmt.Sprintf("%s %s %s by %s at %s of event %d", got.account, delta, got.asset, cause, at, seq)
		}
	)
	causes = map[string]int{}
	must.Get(pgx.ForEachRow(rows, []any{&got.account, &got.asset, &delta, &cause, &at, &seq, &index}, func() error {
		causes[cause]++
		if bodies[seq] == nil {
			bodies[seq] = parsed(t, posts[seq-1])
		}
		object := resolve(t, bodies[seq], at)
		var want []entry
		var inTx bool
		switch cause {
		case "fee":
			want = feeEntries(t, object)
			inTx = index != nil && at == fmt.Sprintf("/transactions/%d", *index)
		case "miner_reward":
			want = rewardEntries(t, object)
			inTx = index == nil
		default:
			want = eventEntries(t, object)
			inTx = object["type"] == cause && index != nil &&
				resolve(t, bodies[seq], fmt.Sprintf("/transactions/%d", *index))["txid"] == object["txid"]
		}
		if !inTx || !slices.ContainsFunc(want, func(w entry) bool {
			return w.account == got.account && w.asset == got.asset && w.delta.String() == delta
		}) {
			if wrong++; wrong <= 5 {
				t.Errorf("%s: the pointer leads to %v", description(), object)
			}
		}
		return nil
	}))(t)
	return causes
}

// checkHeights compares the balances after each canonical block with those computed from the bodies. It returns the
// number of blocks.
func checkHeights(t *testing.T, tx pgx.Tx, posts []replay.Post) (blocks int) {
	t.Helper()
	sums := map[string]*big.Int{}
	heights := replay.Texts(t, tx, schemas.In(`SELECT height || ' ' || block_seq FROM {chain}.canonical ORDER BY height`))
	for _, line := range heights {
		height, text, _ := strings.Cut(line, " ")
		seq := must.Get(strconv.Atoi(text))(t)
		for _, e := range blockEntries(t, parsed(t, posts[seq-1])) {
			key := e.account + " " + e.asset
			if sums[key] == nil {
				sums[key] = new(big.Int)
			}
			sums[key].Add(sums[key], e.delta)
		}
		want := map[string]string{}
		for key, balance := range sums {
			if balance.Sign() != 0 {
				want[key] = balance.String()
			}
		}
		got := map[string]string{}
		for _, line := range replay.Texts(t, tx, schemas.In(`
			SELECT account || ' ' || asset || '=' || balance FROM (
				SELECT DISTINCT ON (account, asset) account, asset, balance
				FROM {balances}.ledger WHERE height <= $1::bigint ORDER BY account, asset, height DESC, n DESC
			) last WHERE balance <> 0`), height) {
			key, balance, _ := strings.Cut(line, "=")
			got[key] = balance
		}
		if !maps.Equal(got, want) {
			for key := range want {
				if got[key] != want[key] {
					t.Errorf("height %s, %s: got %q, want %q", height, key, got[key], want[key])
				}
			}
			t.Fatalf("height %s: %d balances, want %d", height, len(got), len(want))
		}
	}
	final := map[string]string{}
	for _, line := range replay.Texts(t, tx, schemas.In(`SELECT account || ' ' || asset || '=' || balance FROM {balances}.holding WHERE balance <> 0`)) {
		key, balance, _ := strings.Cut(line, "=")
		final[key] = balance
	}
	for key, balance := range sums {
		if balance.Sign() != 0 && final[key] != balance.String() {
			t.Errorf("holding of %s: got %q, want %s", key, final[key], balance)
		}
		delete(final, key)
	}
	for key, balance := range final {
		t.Errorf("holding of %s: got %s, but no event accounts for it", key, balance)
	}
	for _, line := range replay.Texts(t, tx, schemas.In(`
		SELECT account || ' ' || asset || ' ' || n FROM {balances}.ledger
		WHERE balance <> received - sent - fees + rewards OR n <= 0
		UNION ALL
		SELECT account || ' ' || asset || ' ' || count(*) FROM {balances}.ledger GROUP BY account, asset HAVING count(*) <> max(n)`)) {
		t.Errorf("sums or numbers of %s are wrong", line)
	}
	return len(heights)
}

// blockEntries returns all changes of a block, in any order.
func blockEntries(t *testing.T, body map[string]any) []entry {
	t.Helper()
	var list []entry
	succeeded := map[any]bool{}
	for _, value := range body["transactions"].([]any) {
		tx := value.(map[string]any)
		succeeded[tx["txid"]] = tx["status"] == "success"
		list = append(list, feeEntries(t, tx)...)
	}
	for _, value := range body["events"].([]any) {
		event := value.(map[string]any)
		if committed, ok := event["committed"].(bool); (!ok || committed) && succeeded[event["txid"]] {
			list = append(list, eventEntries(t, event)...)
		}
	}
	for _, value := range body["matured_miner_rewards"].([]any) {
		list = append(list, rewardEntries(t, value.(map[string]any))...)
	}
	return list
}
