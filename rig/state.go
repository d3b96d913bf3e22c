package rig

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// CheckState compares the tables of chain, balances and pox with the generator's model, which does not count names of the first
// naming system among the tokens, and those of chain with the bodies in the log.
func CheckState(t replay.TB, db replay.Querier, want synthchain.State) {
	t.Helper()
	texts := func(m map[string]uint64) map[string]string {
		out := map[string]string{}
		for k, v := range m {
			out[k] = fmt.Sprint(v)
		}
		return out
	}
	blocks := map[string]string{}
	for _, b := range want.Blocks {
		blocks[fmt.Sprint(b.Height)] = b.IndexHash.String()
	}
	Compare(t, "canonical block", blocks, Pairs(t, db, schemas.In(`
		SELECT c.height::text, '0x' || encode(b.index_block_hash, 'hex')
		FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq`)))
	Compare(t, "STX balance", texts(want.Balances), Pairs(t, db, schemas.In(`
		SELECT account, balance::text FROM {balances}.holding WHERE asset = 'stx' AND balance <> 0`)))
	Compare(t, "next nonce", texts(want.Nonces), Pairs(t, db, schemas.In(`
		SELECT DISTINCT ON (account) account, next_nonce::text FROM {balances}.nonce ORDER BY account, height DESC`)))
	tokens := map[string]string{}
	for h, amount := range want.Tokens {
		tokens[h.Owner+" "+h.Asset] = amount.String()
	}
	Compare(t, "token balance", tokens, Pairs(t, db, schemas.In(`
		SELECT account || ' ' || asset, balance::text FROM {balances}.holding WHERE kind = 'ft' AND balance <> 0`)))
	items, counts := map[string]string{}, map[string]string{}
	for item, owner := range want.Items {
		items[item.Asset+" "+item.Value] = owner
		key := owner + " " + item.Asset
		n, _ := new(big.Int).SetString(counts[key], 10)
		if n == nil {
			n = new(big.Int)
		}
		counts[key] = n.Add(n, big.NewInt(1)).String()
	}
	Compare(t, "owner", items, Pairs(t, db, schemas.In(`
		SELECT asset || ' 0x' || encode(value, 'hex'), owner FROM {balances}.nft_custody WHERE owner IS NOT NULL AND asset NOT LIKE '%.bns::names'`)))
	Compare(t, "number of tokens", counts, Pairs(t, db, schemas.In(`
		SELECT account || ' ' || asset, balance::text FROM {balances}.holding WHERE kind = 'nft' AND balance <> 0 AND asset NOT LIKE '%.bns::names'`)))
	holders, minted := map[string]int{}, map[string]*big.Int{"stx": want.Liquid()}
	for _, balance := range want.Balances {
		if balance > 0 {
			holders["stx"]++
		}
	}
	for h, amount := range want.Tokens {
		if amount.Sign() > 0 {
			holders[h.Asset]++
		}
	}
	for asset, supply := range want.Supplies {
		minted[asset] = supply
	}
	owners := map[string]bool{}
	for item, owner := range want.Items {
		if owner != "" && !owners[owner+" "+item.Asset] {
			owners[owner+" "+item.Asset] = true
			holders[item.Asset]++
		}
		if minted[item.Asset] == nil {
			minted[item.Asset] = new(big.Int)
		}
		if owner != "" {
			minted[item.Asset].Add(minted[item.Asset], big.NewInt(1))
		}
	}
	assets := map[string]string{}
	for asset, supply := range minted {
		if supply.Sign() > 0 {
			assets[asset] = fmt.Sprintf("%d have %s", holders[asset], supply)
		}
	}
	Compare(t, "asset", assets, Pairs(t, db, schemas.In(`
		SELECT asset, holders || ' have ' || (minted - burned + rewards) FROM (
			SELECT DISTINCT ON (asset) * FROM {balances}.asset ORDER BY asset, height DESC
		) a WHERE minted - burned + rewards > 0 AND asset NOT LIKE '%.bns::names'`)))
	locks := map[string]string{}
	for account, lock := range want.Locks {
		locks[account] = fmt.Sprintf("%d until %d", lock.Amount, lock.Until)
	}
	Compare(t, "lock", locks, Pairs(t, db, schemas.In(`
		SELECT DISTINCT ON (account) account, amount || ' until ' || unlock_height
		FROM {balances}.stx_lock ORDER BY account, height DESC, position DESC`)))
	contracts := map[string]string{}
	for contract := range want.Contracts {
		contracts[contract] = ""
	}
	Compare(t, "contract", contracts, Pairs(t, db, schemas.In(`
		SELECT k.contract_id, '' FROM {chain}.contract k JOIN {chain}.canonical c ON c.block_seq = k.source_seq`)))
	if rows := Pairs(t, db, schemas.In(`SELECT account, balance::text FROM {balances}.negative_balance`)); len(rows) > 0 {
		t.Errorf("negative balances: %v", rows)
	}
	CheckBodies(t, db)
}

// CheckNoQuarantine reports what could not be read.
func CheckNoQuarantine(t replay.TB, db replay.Querier) {
	t.Helper()
	if rows := Pairs(t, db, `SELECT seq::text, reason FROM strata.quarantine`); len(rows) > 0 {
		t.Errorf("quarantined: %v", rows)
	}
}

// canonicalRows returns queries whose results must not depend on what happened beside the canonical chain. Positions in the
// log do depend on that, so dump replaces them with the block that the event announced. They are of the projections whose schemas
// are among folded.
func canonicalRows(folded map[string]bool) map[string]string {
	all := map[string]string{
		"block": `SELECT b.* FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq`,
		"microblock_confirmation": `
			SELECT r.* FROM {chain}.canonical c JOIN {chain}.microblock_confirmation r ON r.source_seq = c.block_seq`,
		"transaction": `SELECT r.* FROM {chain}.canonical c JOIN {chain}.transaction r ON r.source_seq = c.block_seq`,
		"event":       `SELECT r.* FROM {chain}.canonical c JOIN {chain}.event r ON r.source_seq = c.block_seq`,
		"contract":    `SELECT r.* FROM {chain}.canonical c JOIN {chain}.contract r ON r.source_seq = c.block_seq`,
		"burn_block":  `SELECT * FROM {chain}.burn_block WHERE canonical`,
	}
	for projection, tables := range map[string]string{
		"balances": "block entry holding nft_event asset nft_custody stx_lock nonce negative_balance",
		"bns":      "block namespace name primary_name zonefile preorder event list caller act reading",
		"search":   "block name",
		"names":    "block namespace operation custody name",
		"rosetta":  "block currency",
		"accounts": "block transaction account account_transaction account_event contract_event contract_topic miner_reward deployment",
		"staking": "block event anchor bond allowlist registration stake share weight holding signer signer_key key_grant " +
			"calculation distribution earning claim staker_claim claimed cycle_set set_member bitcoin",
		"pox": "burn_block reward recipient slot payout cycle signer stacker event delegation list",
	} {
		if !folded[schemas.In("{"+projection+"}")] {
			continue
		}
		for table := range strings.FieldsSeq(tables) {
			all[projection+" "+table] = "SELECT * FROM {" + projection + "}." + table
		}
	}
	for table, query := range all {
		all[table] = schemas.In(query)
	}
	return all
}

// CheckSameRows compares the rows in two databases that do not depend on what happened beside the canonical chain, but in some tables.
func CheckSameRows(t replay.TB, want, got replay.Querier, except ...string) {
	t.Helper()
	folded := map[string]bool{}
	for _, schema := range replay.Texts(t, want, `SELECT nspname FROM pg_catalog.pg_namespace`) {
		folded[schema] = true
	}
	for table, query := range canonicalRows(folded) {
		if slices.Contains(except, table) {
			continue
		}
		w, g := dump(t, want, query), dump(t, got, query)
		if slices.Equal(w, g) {
			continue
		}
		t.Errorf("%s: %d rows, want %d", table, len(g), len(w))
		shown := 0
		for i := 0; i < max(len(w), len(g)) && shown < 3; i++ {
			a, b := "(none)", "(none)"
			if i < len(w) {
				a = w[i]
			}
			if i < len(g) {
				b = g[i]
			}
			if a != b {
				shown++
				t.Errorf("%s row %d:\n got %.600s\nwant %.600s", table, i, b, a)
			}
		}
	}
}

// dump returns the rows of a query as sorted texts.
func dump(t replay.TB, db replay.Querier, query string) []string {
	t.Helper()
	blocks := map[int64]string{}
	rows := must.Get(db.Query(t.Context(), schemas.In(`SELECT source_seq, index_block_hash FROM {chain}.block`)))(t)
	for rows.Next() {
		var (
			seq int64
			id  []byte
		)
		must.Do(t, rows.Scan(&seq, &id))
		blocks[seq] = hex.EncodeToString(id)
	}
	rows = must.Get(db.Query(t.Context(), query))(t)
	var out []string
	for rows.Next() {
		values := must.Get(rows.Values())(t)
		var b strings.Builder
		for i, field := range rows.FieldDescriptions() {
			value := values[i]
			switch field.Name {
			case "source_seq":
				value = blocks[value.(int64)]
			case "changed_seq", "first_seq", "operation_seq", "size", "pointer":
				// Positions in the log, and values that depend on the order in which a node wrote its lists: when it
				// announces a block again, the block's events have another order.
				continue
			}
			fmt.Fprintf(&b, "%s=%v ", field.Name, value)
		}
		out = append(out, b.String())
	}
	must.Do(t, rows.Err())
	slices.Sort(out)
	return out
}

// Pairs returns the result of a query of two text columns, as keys and values.
func Pairs(t replay.TB, db replay.Querier, query string) map[string]string {
	t.Helper()
	rows := must.Get(db.Query(t.Context(), query))(t)
	got := map[string]string{}
	var key, value string
	must.Get(pgx.ForEachRow(rows, []any{&key, &value}, func() error { got[key] = value; return nil }))(t)
	return got
}

// Compare reports each key whose value differs, or that only one of them has.
func Compare(t replay.TB, what string, want, got map[string]string) {
	t.Helper()
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s of %s: got %q, want %q", what, key, got[key], value)
		}
	}
	for key, value := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s of %s: got %q, want none", what, key, value)
		}
	}
}
