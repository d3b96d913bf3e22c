package tokentest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/domain/transaction"
	"strata/internal/testkit/short"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// checkLists compares the stretches of the lists of fungible tokens with the rows. They must divide each list into
// ranges without gaps, and each must count the tokens in its range.
func (w *world) checkLists(what string) {
	w.t.Helper()
	for _, list := range []string{"name", "symbol"} {
		wrong := w.rows(token.FT, strings.ReplaceAll(`
			WITH stretch AS (
				SELECT *, lead(first_key) OVER o AS next_key, lead(first_contract) OVER o AS next_contract
				FROM {schema}.stretch WHERE list = $1 WINDOW o AS (ORDER BY first_key, first_contract)
			), counted AS (
				SELECT s.*, (
					SELECT count(*) FROM {schema}.token t
					WHERE (t.<list>_key, t.contract_id COLLATE "C") >= (s.first_key, s.first_contract)
					  AND (s.next_key IS NULL OR (t.<list>_key, t.contract_id COLLATE "C") < (s.next_key, s.next_contract))
				) AS really
				FROM stretch s
			)
			SELECT concat_ws(' ', 'stretch', first_key, first_contract, 'has', n, 'really', really) FROM counted WHERE n <> really OR n > 512
			UNION ALL
			SELECT 'sum ' || s.n || ' of ' || t.n FROM (SELECT coalesce(sum(n), 0) AS n FROM stretch) s, (SELECT count(*) AS n FROM {schema}.token WHERE <list>_key IS NOT NULL) t
			WHERE s.n <> t.n
			UNION ALL
			SELECT 'the first stretch begins with ' || min(first_key) FROM stretch HAVING min(first_key) <> ''`, "<list>", list), list)
		if len(wrong) > 0 {
			w.t.Errorf("%s: list by %s: %s", what, list, strings.Join(wrong, "\n"))
		}
	}
}

// checkPages compares the order of a list with the tokens that the stretches find at some offsets.
func (w *world) checkPages(list string, offsets ...int) {
	w.t.Helper()
	all := w.rows(token.FT, strings.ReplaceAll(`SELECT contract_id FROM {schema}.token ORDER BY <list>_key, contract_id COLLATE "C"`, "<list>", list))
	for _, offset := range offsets {
		got := w.rows(token.FT, strings.ReplaceAll(`
			WITH placed AS (
				SELECT first_key, first_contract, n, sum(n) OVER (ORDER BY first_key, first_contract) - n AS before
				FROM {schema}.stretch WHERE list = $1
			), found AS (SELECT * FROM placed WHERE before <= $2 ORDER BY before DESC, first_key DESC, first_contract DESC LIMIT 1)
			SELECT t.contract_id FROM found CROSS JOIN LATERAL (
				SELECT contract_id FROM {schema}.token
				WHERE (<list>_key, contract_id COLLATE "C") >= (found.first_key, found.first_contract)
				ORDER BY <list>_key, contract_id COLLATE "C" OFFSET $2 - found.before LIMIT 20) t`, "<list>", list), list, offset)
		foldtest.Compare(w.t, fmt.Sprintf("page at %d of the list by %s", offset, list), got, all[offset:min(offset+20, len(all))])
	}
}

// Thousands of tokens are created in few blocks, get names, and are deleted.
func TestLists(t *testing.T) {
	t.Parallel()
	contracts := short.Form(5200, 1600)
	random := rand.New(rand.NewPCG(1, 2))
	w := newWorld(t, replay.Begin(t, databases.lend(t)), 1)
	w.projections = w.projections[:1] // other kinds have no list
	mine := func(from, to int) {
		var transactions []body.Transaction
		for i := from; i < to; i++ {
			transactions = append(transactions, body.Transaction{
				// From the boot address, because signing so many takes time.
				Raw:     body.Boot(&transaction.SmartContract{ContractName: fmt.Sprint("f", i), Code: []byte("(ok true)")}),
				Members: map[string]any{"contract_interface": sip010},
			})
		}
		w.mine(transactions...)
	}
	// One batch of blocks, each with more tokens than a stretch holds.
	mine(0, 700)
	w.checkLists("700 tokens without names")
	mine(700, contracts)
	w.checkLists("all tokens, without names")
	w.checkPages("name", 0, 511, 512, contracts/2, contracts-3)

	names := func(n int) {
		for range n {
			contract := fmt.Sprint("ST000000000000000000002AMW42H.f", random.IntN(contracts))
			name, symbol := fmt.Sprintf("N%c%d", 'a'+random.IntN(26), random.IntN(100)), ""
			if random.IntN(4) > 0 {
				symbol = fmt.Sprintf("s%d", random.IntN(40))
			}
			w.outside.ft(contract, name, symbol, 6, 5, none)
			w.refresh(contract, "")
			w.record(w.outside.report(fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: token.Calls(token.FT, nil)}, w.tip(), w.now))
		}
	}
	names(500)
	w.checkLists("tokens with names")
	w.check("tokens with names", token.FT, `SELECT (count(*) > 400)::text FROM {schema}.token WHERE name IS NOT NULL`, "true")
	w.mine()
	names(60)
	w.revert(1)
	w.checkLists("names of a block that is gone")
	for _, list := range []string{"name", "symbol"} {
		w.checkPages(list, 0, 1, 19, 500, 512, 700, 1400, contracts*3/5, contracts-20, contracts-1)
	}
	w.revert(1)
	w.checkLists("most are gone")
	w.checkPages("symbol", 0, 300, 690)
	w.revert(1)
	w.checkLists("all are gone")
	w.check("stretches", token.FT, `SELECT list || ' ' || n FROM {schema}.stretch ORDER BY 1`, "name 0", "symbol 0")
}
