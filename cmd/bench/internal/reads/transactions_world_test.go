package reads

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
)

// TestTransactionWorld runs the checks of the projections on the world, because they could have written it.
func TestTransactionWorld(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	specs := []projections.Spec{chain.Spec(), accounts.Spec(), balances.Spec()}
	for _, spec := range specs {
		if _, err := pool.Exec(t.Context(), spec.DDL()); err != nil {
			t.Fatal(err)
		}
	}
	w := transfersWorld{Transactions: 20_000}
	world, err := w.world()
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Write(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	for i, checks := range [][]projections.Check{new(chain.Chain).Checks(), new(accounts.Accounts).Checks()} {
		for _, check := range checks {
			var n int64
			if err := pool.QueryRow(t.Context(), specs[i].SQL(`SELECT count(*) FROM (`+check.SQL+`) fault`)).Scan(&n); err != nil || n != 0 {
				t.Errorf("%s: %s: got %d violations (%v)", specs[i], check.Name, n, err)
			}
		}
	}
	var blocks int
	if err := pool.QueryRow(t.Context(), chain.Spec().SQL(`SELECT max(height) FROM {schema}.canonical WHERE height = (SELECT max(height) FROM {schema}.block)`)).Scan(&blocks); err != nil || blocks != w.blocks() {
		t.Errorf("got %d blocks, want %d (%v)", blocks, w.blocks(), err)
	}
	var changes, unequal int
	if err := pool.QueryRow(t.Context(), balances.Spec().SQL(`SELECT count(*), count(*) FILTER (WHERE balance <> received - sent - fees) FROM {schema}.ledger WHERE height = 1`)).
		Scan(&changes, &unequal); err != nil || changes != 3*fullSize || unequal != 0 {
		t.Errorf("the first block changes %d balances, %d of them wrongly, want %d (%v)", changes, unequal, 3*fullSize, err)
	}
	for _, n := range []int{1, 2000, 2001, 20_000} { // the transactions that requests name exist and can be decoded
		var raw []byte
		var sender string
		id, err := hash.Parse32(w.txid(n))
		if err != nil {
			t.Fatal(err)
		}
		if err := pool.QueryRow(t.Context(), chain.Spec().SQL(`SELECT raw_tx, sender FROM {schema}.transaction WHERE txid = $1`), id).Scan(&raw, &sender); err != nil {
			t.Fatal(err)
		}
		tx, err := transaction.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := tx.Sender().String(); got != sender || n%10 == 0 && sender != bench.Account(0) {
			t.Errorf("transaction %d is from %s, its row has %s", n, got, sender)
		}
	}
}
