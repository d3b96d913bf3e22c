package ordinals_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
	"strata/internal/testkit/must"
)

// damages turn an operation into one that can't be read. Each gets the JSON of a good one.
var damages = []func(good json.RawMessage) json.RawMessage{
	func(json.RawMessage) json.RawMessage { return json.RawMessage(`{"deposit":{"tick":"ordi","amt":"1"}}`) },
	func(json.RawMessage) json.RawMessage { return json.RawMessage(`{}`) },
	func(json.RawMessage) json.RawMessage { return json.RawMessage(`[{"x":[1]}]`) },
	func(json.RawMessage) json.RawMessage { return json.RawMessage(`"operation"`) },
	func(good json.RawMessage) json.RawMessage { return swapKey(good, "moved") },
	func(good json.RawMessage) json.RawMessage { return withMember(good, "inscription_id", `"x"`) },
	func(good json.RawMessage) json.RawMessage {
		return withMember(good, "inscription_id", `{"a":[{"b":5}]}`)
	},
	func(good json.RawMessage) json.RawMessage { return withMember(good, "tx_index", `-1`) },
	func(good json.RawMessage) json.RawMessage { return withMember(good, "ordinal_number", `[[],{}]`) },
	func(good json.RawMessage) json.RawMessage { return withMember(good, "amt", `"1e5"`) },
}

// swapKey gives an operation another kind.
func swapKey(good json.RawMessage, kind string) json.RawMessage {
	return json.RawMessage(`{"` + kind + `":` + string(good[strings.IndexByte(string(good), ':')+1:]))
}

// withMember adds a member at the end, which counts more than one of the same name before it.
func withMember(good json.RawMessage, name, value string) json.RawMessage {
	return json.RawMessage(string(good[:len(good)-2]) + `,"` + name + `":` + value + `}}`)
}

// damage is an operation of a payload that is written so that it can't be read.
type damage struct {
	pointer string
	change  func(json.RawMessage) json.RawMessage
}

// TestDamagedOperation draws payloads and damages one of their operations. All else is read, and the fault names the operation.
func TestDamagedOperation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for range 40 { // 100 checks make 4,000 histories
			want := drawPayload(t)
			var pointers []string
			for i := range want.Apply {
				for j := range want.Apply[i].Transactions {
					tx := &want.Apply[i].Transactions[j]
					for k := range tx.Operations {
						pointers = append(pointers, tx.Operations[k].Pointer)
					}
					if tx.BRC20 != nil {
						pointers = append(pointers, tx.BRC20.Pointer)
					}
				}
			}
			if len(pointers) == 0 {
				continue
			}
			d := &damage{rapid.SampledFrom(pointers).Draw(t, "damaged"), rapid.SampledFrom(damages).Draw(t, "damage")}
			text := writer{t, d}.payload(want)
			got, err := ordinals.Decode(text)
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			if len(got.Faults) == 0 {
				continue // the member that was added is none of this kind of operation
			}
			if len(got.Faults) != 1 || !strings.HasPrefix(got.Faults[0].Path+"/", d.pointer+"/") {
				t.Fatalf("got %v, want one at %s in %s", got.Faults, d.pointer, text)
			}
			got.Faults = nil
			remove(want, d.pointer)
			samePayload(t, withoutContentAt(t, string(text), got), want)
		}
	})
}

func remove(p *ordinals.Payload, pointer string) {
	for i := range p.Apply {
		for j := range p.Apply[i].Transactions {
			tx := &p.Apply[i].Transactions[j]
			for k := range tx.Operations {
				if o := &tx.Operations[k]; o.Pointer == pointer {
					o.Reveal, o.Transfer = nil, nil
				}
			}
			if tx.BRC20 != nil && tx.BRC20.Pointer == pointer {
				tx.BRC20 = nil
			}
		}
	}
}

// TestFaults checks what remains of a payload, and what its faults are about.
func TestFaults(t *testing.T) {
	t.Parallel()
	good := tx(transferred(transferFull))
	lost := strings.Replace(brc20(`{"deposit":{"tick":"PePe","inscription_id":"`+h("cc")+`i3"}}`), `"ordinal_operations":[]`,
		`"ordinal_operations":[`+transferred(transferFull)+`,{"inscription_moved":{"ordinal_number":9,"metadata":{"ordinal_number":8}}}]`, 1)
	for _, tt := range []struct {
		name, body string
		faults     string // pointers and subjects
		left       string // height:operations of each block, rollbacks after a minus
	}{
		{"hook", strings.Replace(body(block(good), block()), `"chainhook":{`, `"chainhook":5,"x":{`, 1), "", "775617:1 -775617"},
		{"parent", strings.Replace(body(block(good)), `"parent_block_identifier":{`, `"parent_block_identifier":[],"x":{`, 1), "", "775617:1"},
		{"content of a rollback", body(block(good), block(tx(`5`), `null`)), "", "775617:1 -775617"},
		{"time", strings.Replace(body(block(good), block()), `1676913207`, `"x"`, 1), "/apply/0/timestamp []", "775617:1 -775617"},
		{"network", strings.Replace(body(block(good)), `"mainnet"`, `{}`, 1), "/apply/0/metadata/network []", "775617:1"},
		{"height", strings.Replace(body(block(good)+","+block()), `775617`, `{}`, 1), "/apply/0/block_identifier/index []", "lost 775617:0"},
		{"rollback", strings.Replace(body(block(good), block(), block()), `"rollback":[{`, `"rollback":[{"block_identifier":{}},{`, 1), "/rollback/0/block_identifier/index []", "775617:1 -775617 -775617"},
		{"no list of rollbacks", strings.Replace(body(block(good)), `"rollback"`, `"x"`, 1), "/rollback []", "775617:1"},
		{"transactions", strings.Replace(body(block()+","+block(good)), `"transactions":[]`, `"transactions":{}`, 1), "/apply/0/transactions []", "775617:0 775617:1"},
		{
			"operations", body(block(strings.Replace(tx(), `"ordinal_operations":[]`, `"ordinal_operations":{}`, 1), good)),
			"/apply/0/transactions/0/metadata/ordinal_operations []", "775617:1",
		},
		{
			"transfer without satpoint", body(block(tx(transferred(strings.Replace(transferFull, ":1:5000", ":1:x", 1)), transferred(transferFull)))),
			"/apply/0/transactions/0/metadata/ordinal_operations/0/inscription_transferred/satpoint_post_transfer [sat:5 satpoint:" + h("aa") + ":0:0]", "775617:1",
		},
		{
			"transfer without sat", body(block(tx(transferred(strings.Replace(transferFull, `"ordinal_number":5`, `"ordinal_number":"x"`, 1))))),
			"/apply/0/transactions/0/metadata/ordinal_operations/0/inscription_transferred/ordinal_number [satpoint:" + h("aa") + ":0:0]", "775617:0",
		},
		{
			"reveal", body(block(tx(revealed(strings.Replace(revealFull, `"classic":-5`, `"classic":[]`, 1)), transferred(transferFull)))),
			"/apply/0/transactions/0/metadata/ordinal_operations/0/inscription_revealed/inscription_number/classic [inscription:" + h("aa") + "i0 sat:257418248345364]", "775617:1",
		},
		{
			"new kinds", body(block(lost)),
			"/apply/0/transactions/0/metadata/ordinal_operations/1 [sat:9] " +
				"/apply/0/transactions/0/metadata/brc20_operation [brc20:pepe inscription:" + h("cc") + "i3]", "775617:1",
		},
		{
			"transaction", body(block(strings.Replace(lost, h("aa"), "x", 1), good)),
			"/apply/0/transactions/0/transaction_identifier/hash [sat:5 satpoint:" + h("aa") + ":0:0 sat:9 brc20:pepe inscription:" + h("cc") + "i3]", "775617:1",
		},
	} {
		p := decode(t, tt.body)
		var faults, left []string
		for _, f := range p.Faults {
			faults = append(faults, f.Path+" "+fmt.Sprint(f.Subjects))
		}
		for _, b := range p.Apply {
			if b.Lost {
				left = append(left, "lost")
				continue
			}
			n := 0
			for _, tx := range b.Transactions {
				for _, o := range tx.Operations {
					if o.Reveal != nil || o.Transfer != nil {
						n++
					}
				}
			}
			left = append(left, fmt.Sprintf("%d:%d", b.Height, n))
		}
		for _, id := range p.Rollback {
			left = append(left, fmt.Sprintf("-%d", id.Height))
		}
		same(t, tt.name+": faults", strings.Join(faults, " "), tt.faults)
		same(t, tt.name+": left", strings.Join(left, " "), tt.left)
	}
}

// TestManyFaults checks that the faults of a payload are bounded, and all counted.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	p := decode(t, body(block(tx(strings.Repeat("null,", 4999)+"null"))))
	if last := p.Faults[len(p.Faults)-1]; len(p.Faults) != 1001 || last.Path != "" || last.Got != "4000 more" {
		t.Errorf("got %d faults, the last is %v", len(p.Faults), p.Faults[len(p.Faults)-1])
	}
}

// TestDigest writes each block twice, in other words: the digests are equal, and differ if the block does.
func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(t tb, b *ordinals.Block) string {
		d := must.Get(b.Digest())(t)
		return d.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPayload(t)
		one, other := decode(t, string(writer{t: t}.payload(p))), decode(t, " "+string(writer{t: t}.payload(p)))
		for i := range one.Apply {
			same(t, "digests", digest(t, &one.Apply[i]), digest(t, &other.Apply[i]))
			before := digest(t, &one.Apply[i])
			one.Apply[i].Transactions = append(one.Apply[i].Transactions, ordinals.Transaction{})
			if digest(t, &one.Apply[i]) == before {
				t.Fatal("one more transaction leaves the digest as it is")
			}
		}
	})
}
