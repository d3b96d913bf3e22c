package accounts_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// newLongWorld returns a world in which two accounts have long lists, and many others short ones.
func newLongWorld(t *testing.T) *foldtest.World {
	w := rig.NewWorld(t, false)
	sold := value.Tuple("event", "sold")
	paid, printed, raw := body.MintSTX(alice.Address(), 1), body.Print(alice.Contract("shop"), sold), body.Boot(coinbase)
	var blocks []body.Block
	for height := 1; height <= 60; height++ {
		var txs []body.Transaction
		for i := range 50 {
			txs = append(txs, body.Transaction{Raw: raw, Events: []body.Event{paid, body.MintSTX(fmt.Sprintf("somebody %d in %d", i, height), 1), printed}})
		}
		blocks = append(blocks, body.At(height, txs...))
	}
	w.Apply(blocks...)
	return w
}

// TestNoScan checks that neither a fold with accounts that are not in memory nor a revert scans a table. The tables
// are not analysed, just as during a build.
func TestNoScan(t *testing.T) {
	t.Parallel()
	w := newLongWorld(t)
	scans := schemas.In(`
		SELECT relname || ' ' || seq_scan FROM pg_stat_xact_user_tables
		WHERE schemaname = '{accounts}' AND relname IN ('transaction', 'account', 'account_transaction', 'account_event', 'contract_event')
		ORDER BY relname`)
	before := replay.Texts(t, w.Tx, scans)
	applied := w.Announce(body.At(61, body.Unsigned(body.MintSTX(alice.Address(), 1), body.MintSTX("somebody 7 in 7", 1))))
	reverted := applied
	reverted.Kind, reverted.Block = projections.Revert, nil
	another := w.Announce(body.At(61, body.Unsigned(body.MintSTX(alice.Address(), 2), body.MintSTX("somebody 8 in 8", 1))))
	for _, step := range []projections.Step{applied, reverted, another} {
		w.Projection.Forget()
		w.Step++
		step.Number = w.Step
		must.Get(w.Projection.Fold(t.Context(), w.Tx, w.Step-1, []projections.Step{step}))(t)
	}
	if after := replay.Texts(t, w.Tx, scans); !slices.Equal(after, before) {
		t.Errorf("tables were scanned: %v before, %v after", before, after)
	}
	rig.Check(t, w.Tx)
	w.Want("events of alice", schemas.In(`SELECT max(n)::text FROM {accounts}.account_event WHERE account = 2`), "3001")
}

// halving counts the rows of a list before a transaction by binary search, as docs/projections.md shows it.
var halving = schemas.In(`
	WITH RECURSIVE halving (low, high) AS (
		SELECT 0, coalesce((SELECT n FROM {accounts}.account_event WHERE account = $1 ORDER BY n DESC LIMIT 1), 0)
		UNION ALL
		SELECT CASE WHEN middle.tx < $2 THEN middle.n ELSE low END, CASE WHEN middle.tx < $2 THEN high ELSE middle.n - 1 END
		FROM halving
		CROSS JOIN LATERAL (
			SELECT n, tx FROM {accounts}.account_event WHERE account = $1 AND n = (low + high + 1) / 2
		) middle
		WHERE low < high
	)
	SELECT low::text FROM halving WHERE low = high`)

// TestHalving checks the binary search for the beginning of a block in a list.
func TestHalving(t *testing.T) {
	t.Parallel()
	w := newLongWorld(t)
	for _, account := range []int{1, 2, 3, 4, 77, 4000} {
		for _, tx := range []int64{0, 1, 2, 49, 50, 51, 1700, 2999, 3000, 3001, 5000} {
			got := replay.Texts(t, w.Tx, halving, account, tx)
			want := replay.Texts(t, w.Tx, schemas.In(`SELECT count(*)::text FROM {accounts}.account_event WHERE account = $1 AND tx < $2`), account, tx)
			if !slices.Equal(got, want) {
				t.Errorf("before transaction %d account %d has %v events, want %v", tx, account, got, want)
			}
		}
	}
	steps := replay.Texts(t, w.Tx, strings.Replace(halving, "SELECT low::text FROM halving WHERE low = high", "SELECT count(*)::text FROM halving", 1), 2, 1700)
	if n, err := strconv.Atoi(steps[0]); err != nil || n > 14 {
		t.Errorf("a list of 3000 was halved %v times", steps)
	}
}
