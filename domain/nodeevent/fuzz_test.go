package nodeevent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"strata/domain/nodeevent"
)

// fuzz checks what holds for any body: an error is a *FieldError, a body that decodes is JSON for the standard library,
// too, and the methods of the payload work.
func fuzz(f *testing.F, path string) {
	for _, seed := range fixtures {
		if seed.path == path {
			f.Add([]byte(seed.body))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		payload, err := nodeevent.Decode(path, body)
		if err != nil {
			var field *nodeevent.FieldError
			if !errors.As(err, &field) || field.Want == "" || (field.Path != "" && !strings.HasPrefix(field.Path, "/")) {
				t.Fatalf("got %#v", err)
			}
			return
		}
		if !json.Valid(body) {
			t.Fatalf("%q is not JSON, but was decoded", body)
		}
		var receipts *nodeevent.Receipts
		switch v := payload.(type) {
		case *nodeevent.Block:
			receipts = &v.Receipts
			v.HasMergedGenesis()
			if _, err := v.SignerBits(); err != nil && v.SignerBitvec == nil {
				t.Fatalf("got %v", err)
			}
		case *nodeevent.Microblocks:
			receipts = &v.Receipts
			v.Stream()
		default:
			return
		}
		if got := len(receipts.ExecutionOrder()); got != len(receipts.Transactions) {
			t.Fatalf("got %d transactions in execution order, want %d", got, len(receipts.Transactions))
		}
		for i, list := range receipts.EffectiveEvents() {
			for _, e := range list {
				if e.TxID != receipts.Transactions[i].TxID || e.Data == nil {
					t.Fatalf("got %+v for transaction %d", e, i)
				}
			}
		}
	})
}

func FuzzBlock(f *testing.F)            { fuzz(f, nodeevent.PathBlock) }
func FuzzBurnBlock(f *testing.F)        { fuzz(f, nodeevent.PathBurnBlock) }
func FuzzMicroblocks(f *testing.F)      { fuzz(f, nodeevent.PathMicroblocks) }
func FuzzMempoolTx(f *testing.F)        { fuzz(f, nodeevent.PathMempoolTx) }
func FuzzDropMempoolTx(f *testing.F)    { fuzz(f, nodeevent.PathDropMempoolTx) }
func FuzzAttachments(f *testing.F)      { fuzz(f, nodeevent.PathAttachments) }
func FuzzStackerDBChunks(f *testing.F)  { fuzz(f, nodeevent.PathStackerDBChunks) }
func FuzzProposalResponse(f *testing.F) { fuzz(f, nodeevent.PathProposalResponse) }
