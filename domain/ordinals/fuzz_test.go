package ordinals_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"strata/domain/nodeevent"
	"strata/domain/ordinals"
)

// FuzzDecode checks what holds for any body: an error is a *FieldError; a body that decodes is JSON for the standard
// library, too, and decodes to the same payload twice; and the payload has all that is required.
func FuzzDecode(f *testing.F) {
	for _, seed := range fixtures {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`{"chainhook":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		payload, err := ordinals.Decode(text)
		if err != nil {
			var field *nodeevent.FieldError
			if !errors.As(err, &field) || field.Want == "" || (field.Path != "" && !strings.HasPrefix(field.Path, "/")) {
				t.Fatalf("got %#v", err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is not JSON, but was decoded", text)
		}
		again, err := ordinals.Decode(text)
		if err != nil || !reflect.DeepEqual(payload, again) {
			t.Fatalf("got %+v, then %+v, %v", payload, again, err)
		}
		for i := range payload.Apply {
			checkBlock(t, string(text), &payload.Apply[i])
		}
		for _, f := range payload.Faults {
			if f.Want == "" || f.Path != "" && !strings.HasPrefix(f.Path, "/") {
				t.Fatalf("got the fault %#v", f)
			}
		}
	})
}

func checkBlock(t *testing.T, body string, b *ordinals.Block) {
	t.Helper()
	for _, tx := range b.Transactions {
		if !strings.HasPrefix(tx.Pointer, b.Pointer+"/transactions/") {
			t.Fatalf("transaction %s is in block %s", tx.Pointer, b.Pointer)
		}
		for _, o := range tx.Operations {
			if !strings.HasPrefix(o.Pointer, tx.Pointer+"/metadata/ordinal_operations/") {
				t.Fatalf("operation %s is in transaction %s", o.Pointer, tx.Pointer)
			}
			if o.Reveal != nil && o.Transfer != nil {
				t.Fatalf("%s has both reveal and transfer", o.Pointer)
			}
			if o.Reveal == nil && o.Transfer == nil { // it can't be read
				continue
			}
			var l ordinals.Location
			if o.Reveal != nil {
				l = o.Reveal.Location(tx.TxID, b.Height)
			} else {
				l = o.Transfer.Location()
			}
			switch l.Type {
			case ordinals.Transferred, ordinals.SpentInFees, ordinals.Burnt, ordinals.Unbound:
			default:
				t.Fatalf("%s has the unknown location type %s", o.Pointer, l.Type)
			}
			if r := o.Reveal; r != nil {
				if id, err := ordinals.ParseInscriptionID(string(r.ID)); err != nil || id != r.ID {
					t.Fatal(err)
				}
				if !r.Sat.Valid() || r.Content == nil || strings.Contains(r.ContentType, "\x00") {
					t.Fatalf("got %+v", r)
				}
				if r.ContentAt != -1 && !bytes.Equal(contentIn(body, r), r.Content) {
					t.Fatalf("%s: the content is not at byte %d of the body", o.Pointer, r.ContentAt)
				}
				r.Curse()
				r.ShownMetadata()
				r.DerivedCharms(b.Network, tx.TxID, b.Height)
				ordinals.RecursionRefs(r.Content)
			}
		}
		if o := tx.BRC20; o != nil {
			if (o.Deploy == nil) == (o.Amount == nil) || o.Amount != nil && o.Amount.Sign() < 0 {
				t.Fatalf("got %+v", o)
			}
		}
	}
}
