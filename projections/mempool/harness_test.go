package mempool_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
	"strata/projections/mempool"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

func TestMain(m *testing.M) {
	replay.Histories(30)
	m.Run()
}

var databases = replay.Tables("mempool", mempool.Spec())

// world folds handmade steps in one database transaction, which is never committed.
type world struct {
	t          replay.TB
	tx         pgx.Tx
	projection *mempool.Mempool
	steps      []projections.Step
	folded     int                  // number of steps folded so far
	chain      []*projections.Block // the canonical blocks
	outcome    projections.Outcome
}

func newWorld(t replay.TB, tx pgx.Tx) *world { return &world{t: t, tx: tx, projection: mempool.New()} }

// announced decodes a transaction.
func announced(raw []byte) projections.Announced {
	tx, err := transaction.Decode(raw)
	if err != nil {
		panic(err)
	}
	return projections.Announced{Transaction: tx, ID: transaction.ID(raw), Raw: raw}
}

func (w *world) step(s projections.Step) {
	s.Number = int64(len(w.steps) + 1)
	s.SourceSeq = s.Number
	w.steps = append(w.steps, s)
}

// record adds a step that takes a record.
func (w *world) record(record projections.Record) {
	s := projections.Step{Kind: projections.TakeRecord, Height: -1, RecordKind: projections.Mempool, Record: record, BlockSeq: int64(len(w.steps) + 1)}
	if tip := w.tip(); tip != nil {
		s.Height, s.IndexBlockHash = int64(tip.Height), tip.IndexBlockHash
	}
	w.step(s)
}

func (w *world) announce(at int64, txs ...projections.Announced) {
	txs = slices.Clone(txs)
	for i := range txs {
		txs[i].Index = i
	}
	w.record(&projections.Announcement{ReceivedAt: time.Unix(at, 0), Transactions: txs})
}

func (w *world) drop(reason nodeevent.DropReason, by *projections.Announced, txs ...projections.Announced) {
	d := &nodeevent.DropMempoolTx{Reason: reason}
	for _, tx := range txs {
		d.TxIDs = append(d.TxIDs, tx.ID)
	}
	if by != nil {
		d.NewTxID = &by.ID
	}
	w.record(d)
}

func (w *world) tip() *projections.Block {
	if len(w.chain) == 0 {
		return nil
	}
	return w.chain[len(w.chain)-1]
}

// place is the position of a block: its heights and its time.
type place struct {
	height, burn, time uint64
	old                bool // from before Nakamoto
}

// apply adds a step that applies a block with these transactions.
func (w *world) apply(a place, txs ...projections.Announced) {
	name := fmt.Sprint("block ", len(w.steps))
	content := &nodeevent.Block{
		Height: a.height, BurnBlockHeight: a.burn, BurnBlockTime: a.time, IndexBlockHash: sha256.Sum256([]byte(name)), BlockHash: sha256.Sum256([]byte(name + " header")),
	}
	if !a.old {
		content.Time, content.SignerSignatureHash = &a.time, &hash.Hash32{1}
	}
	block := &projections.Block{Block: content, Seq: int64(len(w.steps) + 1)}
	for _, tx := range txs {
		block.Decoded = append(block.Decoded, tx.Transaction)
		content.Transactions = append(content.Transactions, nodeevent.Transaction{TxID: tx.ID, RawTx: tx.Raw})
	}
	if tip := w.tip(); tip != nil {
		content.ParentIndexBlockHash = tip.IndexBlockHash
	}
	w.step(projections.Step{Kind: projections.Apply, Height: int64(a.height), IndexBlockHash: content.IndexBlockHash, BlockSeq: block.Seq, Block: block})
	w.chain = append(w.chain, block)
}

// revert adds a step that reverts the tip.
func (w *world) revert() {
	tip := w.tip()
	w.step(projections.Step{Kind: projections.Revert, Height: int64(tip.Height), IndexBlockHash: tip.IndexBlockHash, BlockSeq: tip.Seq})
	w.chain = w.chain[:len(w.chain)-1]
}

// fold folds the remaining steps in batches of size, and runs the checks.
func (w *world) fold(size int) {
	w.t.Helper()
	for chunk := range slices.Chunk(w.steps[w.folded:], max(size, 1)) {
		outcome, err := w.projection.Fold(context.Background(), w.tx, int64(w.folded), chunk)
		if err != nil {
			w.t.Fatal(err)
		}
		w.outcome = outcome
		w.folded += len(chunk)
	}
	foldtest.Check(w.t, w.tx, w.projection)
}

func (w *world) texts(query string, args ...any) []string {
	w.t.Helper()
	return replay.Texts(w.t, w.tx, query, args...)
}

// status returns the status of a transaction and the transaction that replaces it, or "" if the table lacks it.
func (w *world) status(tx projections.Announced) string {
	w.t.Helper()
	return strings.Join(w.texts(schemas.In(`
		SELECT concat_ws(' ', status, encode(coalesce(taken_by, dropped_for), 'hex')) FROM {mempool}.transaction WHERE txid = $1`), tx.ID[:]), "")
}

// changed returns the event that last changed the row of a transaction.
func (w *world) changed(id hash.Hash32) (seq int64) {
	w.t.Helper()
	if err := w.tx.QueryRow(context.Background(), schemas.In(`SELECT changed_seq FROM {mempool}.transaction WHERE txid = $1`), id[:]).Scan(&seq); err != nil {
		w.t.Fatal(err)
	}
	return seq
}

func (w *world) want(what string, tx projections.Announced, want string, by ...projections.Announced) {
	w.t.Helper()
	w.fold(1)
	if len(by) > 0 {
		want += fmt.Sprintf(" %x", by[0].ID[:])
	}
	if got := w.status(tx); got != want {
		w.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

const (
	alice = body.Account("alice")
	bob   = body.Account("bob")
	carol = body.Account("carol")
)

// send returns a token transfer to carol. The fee makes transactions with the same nonce differ.
func send(from body.Account, nonce, fee uint64) projections.Announced {
	return announced(from.Sign(nonce, fee, &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 5}))
}

func hexOf(tx projections.Announced) string { return hex.EncodeToString(tx.Raw) }
