package reads

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"strata/cmd/bench/internal/bench"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
)

// The transaction world consists of token transfers, numbered from 1. One account sends a tenth of them.
const (
	perBlock = 100
	// fullSize is the number of transactions of each of the first blocks. There is one such block for 100,000
	// transactions.
	fullSize = 2000
	// burnFrom is one less than the height of the first Bitcoin block.
	burnFrom        = 800_000
	maxTransactions = 20_000_000
)

// transfersWorld is the transaction world of a size.
type transfersWorld struct{ Transactions int }

func (w transfersWorld) accounts() int   { return w.Transactions / 10 }
func (w transfersWorld) fullBlocks() int { return max(w.Transactions/100_000, 1) }
func (w transfersWorld) blocks() int {
	rest := w.Transactions - w.fullBlocks()*fullSize
	return w.fullBlocks() + (rest+perBlock-1)/perBlock
}

func (transfersWorld) txid(n int) string { return hashText("tx " + strconv.Itoa(n)) }

func (transfersWorld) blockHash(height int) string { return hashText("block " + strconv.Itoa(height)) }

func hashText(text string) string {
	digest := sha256.Sum256([]byte(text))
	return "0x" + hex.EncodeToString(digest[:])
}

// sql fills in the placeholders of the world's queries.
func (w transfersWorld) sql(query string) string {
	return strings.NewReplacer(
		"{all}", strconv.Itoa(w.Transactions), "{others}", strconv.Itoa(w.accounts()-1), "{blocks}", strconv.Itoa(w.blocks()),
		"{full}", strconv.Itoa(fullSize), "{in_full}", strconv.Itoa(w.fullBlocks()*fullSize), "{full_blocks}", strconv.Itoa(w.fullBlocks()),
		"{each}", strconv.Itoa(perBlock), "{burn}", strconv.Itoa(burnFrom),
		"{chain}", chain.Spec().String(), "{accounts}", accounts.Spec().String(), "{balances}", balances.Spec().String(),
	).Replace(query)
}

// transfersSource creates the tables that transfersRows reads: the transfers, the two parties of each, and the accounts.
// public.name has the addresses by number; the account that sends a tenth of the transfers is number 0.
var transfersSource = []string{
	`CREATE UNLOGGED TABLE public.transfer AS
	SELECT n, CASE WHEN n <= {in_full} THEN 1 + (n - 1) / {full} ELSE 1 + {full_blocks} + (n - {in_full} - 1) / {each} END AS height,
	       CASE WHEN n <= {in_full} THEN (n - 1) % {full} ELSE (n - {in_full} - 1) % {each} END AS tx_index,
	       CASE WHEN n % 10 = 0 THEN 0 ELSE 1 + n * 7919 % {others} END AS sender,
	       1 + (n * 7919 + 1 + n % 97) % {others} AS recipient, 1000 + n % 1000 AS amount
	FROM generate_series(1::bigint, {all}) n`,
	`CREATE UNLOGGED TABLE public.party AS
	SELECT tx, height, amount, account, sent, row_number() OVER w AS n, nullif(count(*) FILTER (WHERE NOT sent) OVER w, 0) AS inbound
	FROM (
		SELECT n AS tx, height, amount, sender AS account, true AS sent FROM public.transfer
		UNION ALL SELECT n, height, amount, recipient, false FROM public.transfer
	) p WINDOW w AS (PARTITION BY account ORDER BY tx)`,
	`CREATE UNLOGGED TABLE public.known AS
	SELECT account AS number, height, row_number() OVER (ORDER BY tx, account) AS id FROM public.party WHERE n = 1`,
	`ANALYZE public.transfer`, `ANALYZE public.party`, `ANALYZE public.known`, `ANALYZE public.name`,
}

// transfersRows inserts the rows of the projections' tables, from the tables of transfersSource.
var transfersRows = []string{
	`INSERT INTO {chain}.block (source_seq, height, size, burn_block_height, burn_block_time, block_time, tenure_height,
		execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
		tx_count, event_count, parent_microblock_sequence, attached, nakamoto, index_block_hash, parent_index_block_hash, block_hash,
		parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
	SELECT height, height, 0, {burn} + height, 600 * height, 600 * height + 5, height, 0, 0, 0, 0, 0, txs, txs, 0, true, true,
	       sha256(('index ' || height)::bytea), sha256(('index ' || height - 1)::bytea), sha256(('block ' || height)::bytea), sha256(('block ' || height - 1)::bytea),
	       sha256(('burn ' || height)::bytea), sha256(('burn ' || height)::bytea), sha256('')
	FROM (SELECT height, count(*) AS txs FROM public.transfer GROUP BY height) b ORDER BY height`,
	`INSERT INTO {chain}.canonical (height, block_seq, source_seq) SELECT h, h, h FROM generate_series(1, {blocks}) h`,
	`INSERT INTO {chain}.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash)
	SELECT h, h, h, 0, h, 1, sha256(('index ' || h)::bytea) FROM generate_series(1, {blocks}) h`,
	// The token transfer (SIP-005) has a version, a chain id, a standard authorization with one key, any anchor mode
	// and no post-conditions.
	`INSERT INTO {chain}.transaction (source_seq, tx_index, execution_index, event_count, type_id, nonce, fee, execution_cost_read_count,
		execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length, txid, status, sender, raw_result, raw_tx)
	SELECT height, tx_index, tx_index, 1, 0, n, 180, 0, 0, 0, 0, 0, sha256(('tx ' || n)::bytea), 'success', s.address, '\x0703',
	       '\x00000000010400'::bytea || s.hash160 || int8send(n) || int8send(180) || decode(repeat('00', 66), 'hex')
	       || '\x030200000000000516'::bytea || r.hash160 || int8send(amount) || decode(repeat('00', 34), 'hex')
	FROM public.transfer JOIN public.name s ON s.i = sender JOIN public.name r ON r.i = recipient ORDER BY n`,
	`INSERT INTO {chain}.event (source_seq, tx_index, event_index, pointer, amount, type, sender, recipient)
	SELECT height, tx_index, 0, tx_index, amount, 'stx_transfer_event', s.address, r.address
	FROM public.transfer JOIN public.name s ON s.i = sender JOIN public.name r ON r.i = recipient ORDER BY n`,

	`INSERT INTO {accounts}.account (source_seq, first_height, id, account)
	SELECT height, height, id, address FROM public.known JOIN public.name ON i = number ORDER BY id`,
	`INSERT INTO {accounts}.transaction (n, height, source_seq, type_n, tx_index, type) SELECT n, height, height, n, tx_index, 0 FROM public.transfer ORDER BY n`,
	// Bits of involvement: 1 sender, 4 recipient of the token transfer, 32 party of an event, 64 STX affected.
	`INSERT INTO {accounts}.account_transaction (tx, source_seq, account, n, stx_transfers, involvement, stx_sent, stx_received, fee_paid)
	SELECT p.tx, p.height, id, p.n, 1, CASE WHEN sent THEN 97 ELSE 100 END, CASE WHEN sent THEN amount END, CASE WHEN sent THEN NULL ELSE amount END, CASE WHEN sent THEN 180 END
	FROM public.party p JOIN public.known ON number = account ORDER BY p.tx`,
	`INSERT INTO {accounts}.account_event (tx, source_seq, account, n, event_index, inbound, stx_in, stx_out, kind, transfer_type, stx_side)
	SELECT p.tx, p.height, id, p.n, 0, inbound, inbound, nullif(p.n - coalesce(inbound, 0), 0), 1, CASE WHEN sent THEN NULL ELSE 2 END, CASE WHEN sent THEN 1 ELSE 2 END
	FROM public.party p JOIN public.known ON number = account ORDER BY p.tx`,
	`INSERT INTO {accounts}.block (height, source_seq, first_tx, last_tx, token_transfers, smart_contracts, contract_calls, poison_microblocks, coinbases,
		tenure_changes, tenure_height, burn_blocks, burn_block_height, burn_block_time, block_time, accounts, index_block_hash, block_hash, burn_block_hash, touched)
	SELECT t.height, t.height, first_tx, last_tx, last_tx, 0, 0, 0, 0, 0, t.height, t.height, {burn} + t.height, 600 * t.height, 600 * t.height + 5,
	       sum(coalesce(appeared, 0)) OVER (ORDER BY t.height), sha256(('index ' || t.height)::bytea), sha256(('block ' || t.height)::bytea), sha256(('burn ' || t.height)::bytea), touched
	FROM (SELECT height, min(n) AS first_tx, max(n) AS last_tx FROM public.transfer GROUP BY height) t
	LEFT JOIN (SELECT height, count(*) AS appeared FROM public.known GROUP BY height) a USING (height)
	JOIN (SELECT p.height, array_agg(DISTINCT id::int) AS touched FROM public.party p JOIN public.known ON number = account GROUP BY p.height) l ON l.height = t.height
	ORDER BY t.height`,

	`INSERT INTO {balances}.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
	SELECT h, h, {burn} + h, sha256(('index ' || h)::bytea), sha256(('block ' || h)::bytea) FROM generate_series(1, {blocks}) h`,
	// The ledger has the first blocks only: each transfer takes a fee and the amount from the sender, and gives the amount to
	// the recipient.
	`INSERT INTO {balances}.ledger (n, height, source_seq, tx_index, delta, balance, sent, received, fees, rewards, account, asset, cause, pointer)
	SELECT row_number() OVER w, height, height, tx_index, delta, sum(delta) OVER w, sum(CASE part WHEN 1 THEN -delta ELSE 0 END) OVER w,
	       sum(CASE part WHEN 2 THEN delta ELSE 0 END) OVER w, sum(CASE part WHEN 0 THEN -delta ELSE 0 END) OVER w, 0, address, 'stx',
	       CASE part WHEN 0 THEN 'fee' ELSE 'stx_transfer_event' END, CASE part WHEN 0 THEN '/transactions/' ELSE '/events/' END || tx_index
	FROM (
		SELECT n, height, tx_index, part, CASE part WHEN 0 THEN -180 WHEN 1 THEN -amount ELSE amount END AS delta, CASE part WHEN 2 THEN recipient ELSE sender END AS number
		FROM public.transfer, generate_series(0, 2) part WHERE n <= {in_full}
	) l JOIN public.name ON i = number
	WINDOW w AS (PARTITION BY number ORDER BY l.n, part)`,
}

// transfersTables are the large tables.
var transfersTables = []string{
	"{chain}.block", "{chain}.transaction", "{chain}.event",
	"{accounts}.block", "{accounts}.account", "{accounts}.transaction", "{accounts}.account_transaction", "{accounts}.account_event",
}

// world returns the world as what fills a database. The error is about its size.
func (w transfersWorld) world() (bench.World, error) {
	if w.Transactions < 20_000 || w.Transactions > maxTransactions {
		return bench.World{}, fmt.Errorf("-transactions %d: want 20,000 to %d", w.Transactions, maxTransactions)
	}
	tip := bench.TipAt(w.blocks())
	tip.BurnHeight += burnFrom
	tip.IndexText, tip.BlockText = "index "+tip.IndexText, "block "+tip.BlockText
	return bench.World{
		Database: "transactions", Tip: tip, SQL: w.sql, Accounts: w.accounts(), Sources: transfersSource, Large: transfersTables, Rows: transfersRows,
		Last: []string{`DROP TABLE public.transfer, public.party, public.known`},
	}, nil
}
