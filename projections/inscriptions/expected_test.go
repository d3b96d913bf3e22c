package inscriptions_test

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"strings"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/rig"
	"strata/rig/schemas"
)

// check compares all tables with the expected state of a feed.
func (w *world) check(want *synthordinals.State) {
	w.t.Helper()
	rig.CheckInscriptions(w.t, w.tx, want, int(w.most))
	w.checkOrigins()
	tip, ok := want.Tip()
	if ok != (w.tip != nil) || ok && (w.tip.Height != int64(tip.Height) || w.tip.BlockHash != tip.Hash || w.tip.IndexBlockHash != tip.Hash) {
		w.t.Errorf("the tip is %+v, want %+v", w.tip, tip)
	}
}

type listRow struct {
	Name string
	N    int64
}

type partRow struct {
	List       string
	A, B, C, N int64
}

// origins are the positions in the log that rows name as their origins.
type origin struct {
	Seq, Index, Transaction, Operation, Order int64
	Sat, Height, Tx                           int64
	ID                                        string
	At                                        *int64
}

// checkOrigins compares rows with the positions in the log that they name.
func (w *world) checkOrigins() {
	w.t.Helper()
	for _, o := range rows[origin](w, schemas.In(`
		SELECT i.source_seq AS "Seq", b.block_index AS "Index", i.transaction AS "Transaction", i.operation AS "Operation", i.id AS "ID", i.content_at AS "At"
		FROM {inscriptions}.inscription i JOIN {inscriptions}.block b USING (height, source_seq)`)) {
		r := w.payloads[o.Seq].Apply[o.Index].Transactions[o.Transaction].Operations[o.Operation].Reveal
		if r == nil || string(r.ID) != o.ID {
			w.t.Fatalf("inscription %s is not at its origin: %s", o.ID, toJSON(o))
		}
		content, err := hex.DecodeString(string(w.bodies[o.Seq][*o.At : *o.At+int64(2*len(r.Content))]))
		if err != nil || !bytes.Equal(content, r.Content) {
			w.t.Fatalf("the content of inscription %s is not at content_at: %v", o.ID, err)
		}
	}
	var last origin
	locations := rows[origin](w, schemas.In(`
		SELECT l.source_seq AS "Seq", b.block_index AS "Index", l.transaction AS "Transaction", l.operation AS "Operation", l.block_order AS "Order",
		       l.sat AS "Sat", l.height AS "Height", l.tx_index AS "Tx"
		FROM {inscriptions}.location l JOIN {inscriptions}.block b USING (height, source_seq) ORDER BY l.height, l.block_order`))
	for _, o := range locations {
		tx := &w.payloads[o.Seq].Apply[o.Index].Transactions[o.Transaction]
		var l ordinals.Location
		if operation := &tx.Operations[o.Operation]; operation.Transfer != nil {
			l = operation.Transfer.Location()
		} else {
			l, _ = operation.Reveal.SatLocation(tx.TxID, uint64(o.Height))
			if operation.Reveal.Unbound() != (o.Sat < 0) && (o.Sat < 0 || l.Sat == 0) {
				w.t.Fatalf("an unbound inscription is not at its origin: %s", toJSON(o))
			}
		}
		if o.Sat >= 0 && int64(l.Sat) != o.Sat || int64(l.TxIndex) != o.Tx {
			w.t.Fatalf("a location is not at its origin: %s", toJSON(o))
		}
		order := int64(0)
		if o.Height == last.Height {
			order = last.Order + 1
			if cmp.Or(cmp.Compare(last.Transaction, o.Transaction), cmp.Compare(last.Operation, o.Operation)) > 0 {
				w.t.Fatalf("locations %s and %s are not in the order of operations", toJSON(last), toJSON(o))
			}
		}
		if o.Order != order {
			w.t.Fatalf("location %s follows %s", toJSON(o), toJSON(last))
		}
		last = o
	}
	if all := rows[listRow](w, schemas.In(`SELECT '' AS "Name", count(*) AS "N" FROM {inscriptions}.location`))[0].N; all != int64(len(locations)) {
		w.t.Fatalf("%d locations are of no block", all-int64(len(locations)))
	}
}

// dump returns all rows of all tables without the columns of their origins.
func (w *world) dump() string {
	var text strings.Builder
	for _, table := range [][2]string{{"block", "height"}, {"inscription", "id"}, {"location", "sat, height, tx_index"}, {"satoshi", "sat"}, {"list", "name"}} {
		for _, row := range rows[map[string]any](w, schemas.In(`SELECT * FROM {inscriptions}.`)+table[0]+` ORDER BY `+table[1]) {
			for _, column := range []string{"source_seq", "block_index", "content_at"} {
				delete(row, column)
			}
			fmt.Fprintln(&text, table[0], toJSON(row))
		}
	}
	return text.String()
}
