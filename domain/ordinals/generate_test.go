package ordinals_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/hash"
	"strata/domain/ordinals"
)

// TestDecodeIsTheInverseOfWriting draws payloads, writes each in one of the many forms of the feeds, and decodes it.
func TestDecodeIsTheInverseOfWriting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawPayload(t)
		text := writer{t: t}.payload(want)
		got, err := ordinals.Decode(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		samePayload(t, withoutContentAt(t, string(text), got), want)
	})
}

var (
	anyText   = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\x00", "a\"b\\c", "é🔥", " "}))
	someText  = rapid.OneOf(rapid.StringMatching(`[a-z0-9]{1,20}`), rapid.SampledFrom([]string{"🔥é", "\"\\", "a b"}))
	anyUint63 = rapid.Uint64Range(0, 1<<63-1)
	anyBool   = rapid.Bool()
)

// optional draws a pointer that may be nil.
func optional[T any](t *rapid.T, g *rapid.Generator[T], label string) *T {
	if !anyBool.Draw(t, label+" is there") {
		return nil
	}
	return ptr(g.Draw(t, label))
}

func drawPayload(t *rapid.T) *ordinals.Payload {
	return &ordinals.Payload{
		UUID: anyText.Draw(t, "uuid"), Streaming: anyBool.Draw(t, "streaming"),
		Rollback: drawIDs(t), Apply: drawBlocks(t, "/apply"),
	}
}

func drawIDs(t *rapid.T) (list []ordinals.BlockID) {
	for i := range rapid.IntRange(0, 2).Draw(t, "rolled back") {
		list = append(list, ordinals.BlockID{Pointer: fmt.Sprintf("/rollback/%d", i), Height: anyUint63.Draw(t, "height"), Hash: genHash.Draw(t, "hash")})
	}
	return list
}

func drawBlocks(t *rapid.T, pointer string) []ordinals.Block {
	var list []ordinals.Block
	for i := range rapid.IntRange(0, 2).Draw(t, "blocks") {
		b := ordinals.Block{
			Pointer: fmt.Sprintf("%s/%d", pointer, i),
			Height:  anyUint63.Draw(t, "height"), Hash: genHash.Draw(t, "hash"),
			ParentHeight: anyUint63.Draw(t, "parent height"), ParentHash: genHash.Draw(t, "parent hash"),
			Time:    rapid.Uint32().Draw(t, "time"),
			Network: rapid.SampledFrom([]ordinals.Network{"", ordinals.Mainnet, ordinals.Testnet, ordinals.Signet, ordinals.Regtest, "other"}).Draw(t, "network"),
		}
		for j := range rapid.IntRange(0, 2).Draw(t, "transactions") {
			b.Transactions = append(b.Transactions, drawTransaction(t, fmt.Sprintf("%s/transactions/%d", b.Pointer, j)))
		}
		list = append(list, b)
	}
	return list
}

func drawTransaction(t *rapid.T, pointer string) ordinals.Transaction {
	tx := ordinals.Transaction{Pointer: pointer, TxID: genHash.Draw(t, "txid"), Index: rapid.Uint32().Draw(t, "index")}
	for i := range rapid.IntRange(0, 2).Draw(t, "operations") {
		o := ordinals.Operation{Pointer: fmt.Sprintf("%s/metadata/ordinal_operations/%d", pointer, i)}
		if anyBool.Draw(t, "is a reveal") {
			o.Reveal = drawReveal(t)
		} else {
			o.Transfer = drawTransfer(t)
		}
		tx.Operations = append(tx.Operations, o)
	}
	if anyBool.Draw(t, "has a token") {
		tx.BRC20 = drawBRC20(t, pointer+"/metadata/brc20_operation")
	}
	return tx
}

func drawID(t *rapid.T) ordinals.InscriptionID {
	return ordinals.NewInscriptionID(genHash.Draw(t, "id"), rapid.Uint32().Draw(t, "index"))
}

func drawSatpoint(t *rapid.T) ordinals.Satpoint {
	return ordinals.Satpoint{
		TxID: genHash.Draw(t, "txid"), Vout: strconv.FormatUint(uint64(rapid.Uint32().Draw(t, "vout")), 10),
		Offset: optional(t, anyUint63, "offset"),
	}
}

func drawJSON(t *rapid.T) json.RawMessage {
	text := rapid.SampledFrom([]string{"", `88`, `"p2wsh"`, `{"tag":66}`, `[1, {"a" : null}]`, `false`, `"\u0000"`, `1e400`}).Draw(t, "JSON")
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func drawReveal(t *rapid.T) *ordinals.Reveal {
	r := &ordinals.Reveal{
		ID: drawID(t), Number: ordinals.InscriptionNumber{Classic: rapid.Int64().Draw(t, "classic"), Jubilee: rapid.Int64().Draw(t, "jubilee")},
		Sat: genSat.Draw(t, "sat"), Content: rapid.SliceOf(rapid.Byte()).Draw(t, "content"),
		ContentType: strings.ReplaceAll(anyText.Draw(t, "content type"), "\x00", ""), ContentLength: anyUint63.Draw(t, "length"),
		Metaprotocol: anyText.Draw(t, "metaprotocol"), Metadata: drawJSON(t),
		PointerTag: optional(t, rapid.Uint64(), "pointer"), Fee: anyUint63.Draw(t, "fee"), OutputValue: anyUint63.Draw(t, "value"),
		InscriberAddress: optional(t, anyText, "address"), SatpointPost: drawSatpoint(t), TxIndex: rapid.Uint32().Draw(t, "tx index"),
		CurseType: drawJSON(t), Charms: (*ordinals.Charms)(optional(t, rapid.Uint16(), "charms")),
		OrdinalBlockHeight: anyUint63.Draw(t, "sat height"), OrdinalOffset: anyUint63.Draw(t, "sat offset"),
		InputIndex: rapid.Uint32().Draw(t, "input"), TransfersPreInscription: anyUint63.Draw(t, "moves"),
		UnboundSequence: optional(t, anyUint63, "sequence"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "parents") {
		if id := string(drawID(t)); !slices.Contains(r.Parents, id) {
			r.Parents = append(r.Parents, id)
		}
	}
	if anyBool.Draw(t, "has a delegate") {
		r.Delegate = string(drawID(t))
	}
	return r
}

func drawTransfer(t *rapid.T) *ordinals.Transfer {
	return &ordinals.Transfer{
		Sat: genSat.Draw(t, "sat"), Destination: rapid.SampledFrom([]ordinals.LocationType{ordinals.Transferred, ordinals.SpentInFees, ordinals.Burnt}).Draw(t, "destination"),
		DestinationValue: optional(t, anyText, "address"), SatpointPre: drawSatpoint(t), SatpointPost: drawSatpoint(t),
		OutputValue: optional(t, anyUint63, "value"), TxIndex: rapid.Uint32().Draw(t, "tx index"),
	}
}

func drawAmount(t *rapid.T) *big.Int {
	units := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "amount"))
	if units.Sign() == 0 {
		return new(big.Int) // reflect.DeepEqual tells this zero from one with an empty slice
	}
	return units
}

func drawBRC20(t *rapid.T, pointer string) *ordinals.BRC20Operation {
	o := &ordinals.BRC20Operation{
		Pointer: pointer, InscriptionID: drawID(t), Tick: someText.Draw(t, "tick"), Address: anyText.Draw(t, "address"),
		Kind: rapid.SampledFrom([]ordinals.BRC20Kind{ordinals.BRC20KindDeploy, ordinals.BRC20KindMint, ordinals.BRC20KindTransfer, ordinals.BRC20KindTransferSend}).Draw(t, "kind"),
	}
	switch o.Kind {
	case ordinals.BRC20KindDeploy:
		o.Deploy = &ordinals.BRC20Deploy{Max: drawAmount(t), Decimals: rapid.Uint8Range(0, 18).Draw(t, "decimals"), SelfMint: anyBool.Draw(t, "self mint")}
		if anyBool.Draw(t, "has a limit") {
			o.Deploy.Limit = drawAmount(t)
		}
		return o
	case ordinals.BRC20KindTransferSend:
		o.Receiver = anyText.Draw(t, "receiver")
	}
	o.Amount = drawAmount(t)
	return o
}

// writer writes JSON. Where there are several forms of the same value, it draws one.
type writer struct {
	t       *rapid.T
	damaged *damage // nil for none
}

// member is a member of an object. A member without a value is left out.
type member struct {
	name  string
	value json.RawMessage
}

func (w writer) coin() bool { return anyBool.Draw(w.t, "coin") }

// either draws one of several texts.
func (w writer) either(texts ...string) json.RawMessage {
	return json.RawMessage(rapid.SampledFrom(texts).Draw(w.t, "either"))
}

// object writes the members in any order, sometimes with an unknown member.
func (w writer) object(members ...member) json.RawMessage {
	if w.coin() {
		members = append(members, member{"a_new_member", json.RawMessage(`{"x":[{}]}`)})
	}
	var written []string
	for _, m := range rapid.Permutation(members).Draw(w.t, "order") {
		if m.value != nil {
			written = append(written, fmt.Sprintf("%q : %s", m.name, m.value))
		}
	}
	return json.RawMessage("{" + strings.Join(written, " ,\n") + "}")
}

func list[T any](items []T, write func(*T) json.RawMessage) json.RawMessage {
	written := make([]string, len(items))
	for i := range items {
		written[i] = string(write(&items[i]))
	}
	return json.RawMessage("[" + strings.Join(written, ",") + "]")
}

func (w writer) any(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// hex writes hex digits in either case, with or without 0x.
func (w writer) hex(b []byte) json.RawMessage {
	digits := hex.EncodeToString(b)
	return w.either(`"`+digits+`"`, `"0x`+digits+`"`, `"0x`+strings.ToUpper(digits)+`"`)
}

func (w writer) hash(h hash.Hash32) json.RawMessage { return w.hex(h[:]) }

// number writes a JSON number or a string.
func (w writer) number(n any) json.RawMessage { return w.either(fmt.Sprint(n), fmt.Sprintf(`"%d"`, n)) }

// none returns null, or nil for a missing member.
func (w writer) none() json.RawMessage {
	if w.coin() {
		return json.RawMessage("null")
	}
	return nil
}

func maybe[T any](w writer, v *T, write func(T) json.RawMessage) json.RawMessage {
	if v == nil {
		return w.none()
	}
	return write(*v)
}

// text writes a string; an empty one may be null or missing.
func (w writer) text(s string) json.RawMessage {
	if s == "" && w.coin() {
		return w.none()
	}
	return w.any(s)
}

func (w writer) raw(v json.RawMessage) json.RawMessage {
	if v == nil {
		return w.none()
	}
	return v
}

func (w writer) payload(p *ordinals.Payload) json.RawMessage {
	return w.object(
		member{"chainhook", w.object(member{"uuid", w.any(p.UUID)}, member{"is_streaming_blocks", w.any(p.Streaming)}, member{"predicate", w.object()})},
		member{"apply", list(p.Apply, w.block)}, member{"rollback", list(p.Rollback, w.blockID)},
	)
}

func (w writer) blockID(id *ordinals.BlockID) json.RawMessage {
	return w.block(&ordinals.Block{Height: id.Height, Hash: id.Hash})
}

func (w writer) block(b *ordinals.Block) json.RawMessage {
	return w.object(
		member{"block_identifier", w.object(member{"index", w.number(b.Height)}, member{"hash", w.hash(b.Hash)})},
		member{"parent_block_identifier", w.object(member{"index", w.number(b.ParentHeight)}, member{"hash", w.hash(b.ParentHash)})},
		member{"timestamp", w.number(b.Time)},
		member{"transactions", list(b.Transactions, w.transaction)},
		member{"metadata", w.object(member{"network", w.text(string(b.Network))})},
	)
}

func (w writer) transaction(tx *ordinals.Transaction) json.RawMessage {
	token := w.none()
	if tx.BRC20 != nil {
		token = w.damage(tx.BRC20.Pointer, w.brc20(tx.BRC20))
	}
	return w.object(
		member{"transaction_identifier", w.object(member{"hash", w.hash(tx.TxID)})},
		member{"operations", json.RawMessage(`[]`)},
		member{"metadata", w.object(member{"index", w.number(tx.Index)}, member{"ordinal_operations", list(tx.Operations, w.operation)}, member{"brc20_operation", token})},
	)
}

func (w writer) operation(o *ordinals.Operation) json.RawMessage {
	if o.Reveal != nil {
		return w.damage(o.Pointer, w.object(member{"inscription_revealed", w.reveal(o.Reveal)}))
	}
	return w.damage(o.Pointer, w.object(member{"inscription_transferred", w.transfer(o.Transfer)}))
}

// damage returns an operation as it is written: damaged, if it is the one that is.
func (w writer) damage(pointer string, good json.RawMessage) json.RawMessage {
	if w.damaged == nil || w.damaged.pointer != pointer {
		return good
	}
	return w.damaged.change(good)
}

func (w writer) satpoint(p ordinals.Satpoint) json.RawMessage {
	return w.either(`"`+p.String()+`"`, `"0x`+p.String()+`"`)
}

// id writes an inscription id with or without 0x.
func (w writer) id(id string) json.RawMessage { return w.either(`"`+id+`"`, `"0x`+id+`"`) }

func (w writer) reveal(r *ordinals.Reveal) json.RawMessage {
	number := w.object(member{"classic", w.number(r.Number.Classic)}, member{"jubilee", w.number(r.Number.Jubilee)})
	if r.Number.Classic == r.Number.Jubilee && w.coin() {
		number = w.number(r.Number.Classic)
	}
	contentType := r.ContentType
	if w.coin() {
		contentType += "\x00"
	}
	delegate := w.text(r.Delegate)
	if r.Delegate != "" {
		delegate = w.id(r.Delegate)
	}
	parent, parents := w.none(), list(r.Parents, func(id *string) json.RawMessage { return w.id(*id) })
	if len(r.Parents) == 1 && w.coin() {
		parent, parents = w.id(r.Parents[0]), w.none()
	}
	return w.object(
		member{"inscription_id", w.id(string(r.ID))}, member{"inscription_number", number}, member{"ordinal_number", w.number(uint64(r.Sat))},
		member{"content_bytes", w.hex(r.Content)}, member{"content_type", w.any(contentType)}, member{"content_length", w.number(r.ContentLength)},
		member{"metaprotocol", w.text(r.Metaprotocol)}, member{"metadata", w.raw(r.Metadata)}, member{"delegate", delegate},
		member{"parent", parent}, member{"parents", parents}, member{"inscription_pointer", maybe(w, r.PointerTag, w.uint64)},
		member{"inscription_fee", w.number(r.Fee)}, member{"inscription_output_value", w.number(r.OutputValue)},
		member{"inscriber_address", maybe(w, r.InscriberAddress, w.string)}, member{"satpoint_post_inscription", w.satpoint(r.SatpointPost)},
		member{"tx_index", w.number(r.TxIndex)}, member{"curse_type", w.raw(r.CurseType)}, member{"charms", maybe(w, r.Charms, w.charms)},
		member{"ordinal_block_height", w.number(r.OrdinalBlockHeight)}, member{"ordinal_offset", w.number(r.OrdinalOffset)},
		member{"inscription_input_index", w.number(r.InputIndex)}, member{"transfers_pre_inscription", w.number(r.TransfersPreInscription)},
		member{"unbound_sequence", maybe(w, r.UnboundSequence, w.uint64)},
	)
}

func (w writer) uint64(n uint64) json.RawMessage { return w.number(n) }

func (w writer) string(s string) json.RawMessage { return w.any(s) }

// charms writes a number, or an object if all bits have names.
func (w writer) charms(c ordinals.Charms) json.RawMessage {
	if c>>14 != 0 || w.coin() {
		return w.number(uint16(c))
	}
	var members []member
	for bit, name := range ordinals.Charms(0x3fff).Names() {
		if on := c.Has(1 << bit); on || w.coin() {
			members = append(members, member{name, w.any(on)})
		}
	}
	return w.object(members...)
}

func (w writer) transfer(m *ordinals.Transfer) json.RawMessage {
	return w.object(
		member{"ordinal_number", w.number(uint64(m.Sat))},
		member{"destination", w.object(member{"type", w.any(m.Destination)}, member{"value", maybe(w, m.DestinationValue, w.string)})},
		member{"satpoint_pre_transfer", w.satpoint(m.SatpointPre)}, member{"satpoint_post_transfer", w.satpoint(m.SatpointPost)},
		member{"post_transfer_output_value", maybe(w, m.OutputValue, w.uint64)}, member{"tx_index", w.number(m.TxIndex)},
	)
}

// amount writes all 18 decimals, or only those that it needs.
func (w writer) amount(sign string, units *big.Int) json.RawMessage {
	text := ordinals.FormatAmount(units, 18)
	return w.either(`"`+sign+text+`"`, `"`+sign+strings.TrimSuffix(strings.TrimRight(text, "0"), ".")+`"`)
}

func (w writer) brc20(o *ordinals.BRC20Operation) json.RawMessage {
	members := []member{{"tick", w.any(o.Tick)}, {"inscription_id", w.id(string(o.InscriptionID))}}
	sender := "address"
	switch o.Kind {
	case ordinals.BRC20KindDeploy:
		limit := w.none()
		if o.Deploy.Limit != nil {
			limit = w.amount("", o.Deploy.Limit)
		}
		members = append(members, member{"max", w.amount("", o.Deploy.Max)}, member{"lim", limit}, member{"dec", w.number(o.Deploy.Decimals)})
		if o.Deploy.SelfMint || w.coin() {
			members = append(members, member{"self_mint", w.any(o.Deploy.SelfMint)})
		}
	case ordinals.BRC20KindTransferSend:
		sender = "sender_address"
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(w.t, "sign")
		members = append(members, member{"amt", w.amount(sign, o.Amount)}, member{"receiver_address", w.any(o.Receiver)})
	default:
		members = append(members, member{"amt", w.amount("", o.Amount)})
	}
	members = append(members, member{sender, w.any(o.Address)})
	return w.object(member{string(o.Kind), w.object(members...)})
}
