package synthordinals

import (
	"math/big"
	"strconv"

	"strata/domain/hash"
	"strata/domain/ordinals"
)

// encoder encodes a payload.
type encoder struct {
	buf    []byte
	sorted bool // objects have their members in the order of the names
	cfg    *Config
	reword *Shape
}

// encode returns the body of a delivery.
func (f *Feed) encode(d *delivery) []byte {
	const usualSize = 4096 // bytes
	e := &encoder{buf: make([]byte, 0, usualSize), cfg: &f.cfg, reword: d.reword}
	blocks := d.apply
	if len(blocks) == 0 {
		blocks = d.rollback
	}
	e.sorted = e.shape(blocks[0]).Sorted
	e.write(object{
		{"chainhook", object{
			{"uuid", d.uuid},
			{"predicate", object{{"scope", "ordinals_protocol"}, {"operation", "inscription_feed"}, {"meta_protocols", raw(`["all"]`)}}},
			{"is_streaming_blocks", d.streaming},
		}},
		{"apply", d.apply},
		{"rollback", d.rollback},
	})
	return e.buf
}

// shape returns the shape of a block, with the wording of reword if that is set.
func (e *encoder) shape(b *block) Shape {
	s := b.shape
	if r := e.reword; r != nil {
		s.Hex, s.Sorted, s.PlainNumber, s.Negative = r.Hex, r.Sorted, r.PlainNumber, r.Negative
	}
	return s
}

func (e *encoder) block(b *block, s Shape) object {
	var transactions list
	for _, t := range b.transactions {
		transactions = append(transactions, e.transaction(b, t, s))
	}
	return object{
		{"block_identifier", identifier(b.height, b.hash, s)},
		{"parent_block_identifier", identifier(b.height-1, b.parentHash, s)},
		{"timestamp", b.time},
		{"transactions", transactions},
		{"metadata", object{{"network", string(e.cfg.Network)}}},
	}
}

func identifier(height uint64, h hash.Hash32, s Shape) object {
	return object{{"index", height}, {"hash", s.hex(h[:])}}
}

// transaction has the reveals, then the moves.
func (e *encoder) transaction(b *block, t *transaction, s Shape) object {
	var operations list
	for _, r := range t.reveals {
		operations = append(operations, object{{"inscription_revealed", e.reveal(b, t, r, s)}})
	}
	for _, m := range t.moves {
		operations = append(operations, object{{"inscription_transferred", m.encode(t, s)}})
	}
	var token any
	if t.token != nil {
		token = t.token.encode(s)
	}
	return object{
		{"transaction_identifier", object{{"hash", s.hex(t.id[:])}}},
		{"operations", empty},
		{"metadata", object{
			{"index", t.index}, {"ordinal_operations", operations}, {"brc20_operation", token}, {"proof", null}, {"fee", t.fee},
			{"inputs", empty}, {"outputs", empty}, {"stacks_operations", empty},
		}},
	}
}

func (e *encoder) reveal(b *block, t *transaction, r *reveal, s Shape) object {
	var pointer, metadata any = null, null
	if r.pointer != nil {
		pointer = *r.pointer
	}
	if r.metadata.posted != nil {
		metadata = raw(r.metadata.posted)
	}
	var charms, sequence, parent, parents any
	switch all := r.postedCharms(b.height, e.cfg.Network); s.Charms {
	case CharmsBits:
		charms = uint64(all)
	case CharmsObject:
		charms = charmsObject(all)
	case CharmsAbsent:
	}
	if s.Unbound {
		sequence = null
		if r.onNoSat {
			sequence = r.unbound
		}
	}
	switch all := r.postedParents(s); {
	case s.Parents:
		ids := list{}
		for _, id := range all {
			ids = append(ids, string(id))
		}
		parents = ids
	case len(all) > 0:
		parent = string(all[0])
	default:
		parent = optional("", s.EmptyTexts)
	}
	offset := r.sat.Offset()
	if r.onNoSat && s.Unbound {
		offset = r.unbound
	}
	return object{
		{"content_bytes", s.hex(r.content)},
		{"content_type", r.contentType},
		{"content_length", uint64(len(r.content))},
		{"inscription_number", inscriptionNumber(r.number, s)},
		{"inscription_fee", t.fee},
		{"inscription_output_value", r.postedValue(s)},
		{"inscription_id", string(r.id)},
		{"inscription_input_index", r.input},
		{"inscription_pointer", pointer},
		{"inscriber_address", optional(r.to.address, s.EmptyTexts)},
		{"delegate", optional(string(r.delegate), s.EmptyTexts)},
		{"metaprotocol", optional(r.protocol, s.EmptyTexts)},
		{"metadata", metadata},
		{"parent", parent},
		{"parents", parents},
		{"ordinal_number", uint64(r.sat)},
		{"ordinal_block_height", r.sat.CoinbaseHeight()},
		{"ordinal_offset", offset},
		{"tx_index", t.index},
		{"transfers_pre_inscription", r.hops},
		{"satpoint_post_inscription", r.to.satpoint(s)},
		{"curse_type", raw(r.curse.encoding(s))},
		{"charms", charms},
		{"unbound_sequence", sequence},
	}
}

// inscriptionNumber returns both numbers, or the single one of very old feeds.
func inscriptionNumber(n ordinals.InscriptionNumber, s Shape) any {
	if s.PlainNumber && n.Classic == n.Jubilee {
		return n.Classic
	}
	return object{{"classic", n.Classic}, {"jubilee", n.Jubilee}}
}

func charmsObject(charms ordinals.Charms) (members object) {
	for bit, name := range (ordinals.CharmPalindrome<<1 - 1).Names() {
		members = append(members, member{name, charms.Has(1 << bit)})
	}
	return members
}

func (p place) satpoint(s Shape) string {
	if s.Hex == HexEverywhere {
		return "0x" + p.String()
	}
	return p.String()
}

func (m *move) encode(t *transaction, s Shape) object {
	var destination, value any = nil, m.to.value
	switch m.to.kind {
	case ordinals.Transferred:
		destination = m.to.address
	case ordinals.Burnt:
		destination = m.to.script
	case ordinals.SpentInFees:
		value = null
	}
	return object{
		{"ordinal_number", uint64(m.sat)},
		{"destination", object{{"type", string(m.to.kind)}, {"value", destination}}},
		{"satpoint_pre_transfer", m.from.satpoint(s)},
		{"satpoint_post_transfer", m.to.satpoint(s)},
		{"post_transfer_output_value", value},
		{"tx_index", t.index},
	}
}

func (o *tokenOperation) encode(s Shape) object {
	members := object{{"tick", o.postedTick(s)}}
	amount := func(units *big.Int) string { return ordinals.FormatAmount(units, o.decimals) }
	switch o.kind {
	case ordinals.BRC20KindDeploy:
		members = append(members, object{
			{"max", amount(o.deploy.max)}, {"lim", amount(o.deploy.limit)}, {"dec", strconv.Itoa(int(o.decimals))},
			{"address", o.address}, {"inscription_id", string(o.id)}, {"self_mint", o.deploy.selfMint},
		}...)
	case ordinals.BRC20KindTransferSend:
		sent := amount(o.amount)
		if s.Negative {
			sent = "-" + sent
		}
		members = append(members, object{
			{"amt", sent}, {"sender_address", o.address}, {"receiver_address", o.receiver}, {"inscription_id", string(o.id)},
		}...)
	default:
		members = append(members, object{{"amt", amount(o.amount)}, {"address", o.address}, {"inscription_id", string(o.id)}}...)
	}
	return object{{string(o.kind), members}}
}
