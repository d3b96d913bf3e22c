package synthordinals

import (
	"strconv"

	"strata/domain/hash"
	"strata/domain/ordinals"
)

// encoder encodes a payload.
type encoder struct {
	writer
	cfg    *Config
	reword *Shape
}

// encode returns the body of a delivery.
func (f *Feed) encode(d *delivery) []byte {
	const usualSize = 4096 // bytes
	e := &encoder{writer: writer{buf: make([]byte, 0, usualSize)}, cfg: &f.cfg, reword: d.reword}
	blocks := d.apply
	if len(blocks) == 0 {
		blocks = d.rollback
	}
	e.sorted = e.shape(blocks[0]).Sorted
	list := func(blocks []*block) func() {
		return func() { e.array(len(blocks), func(i int) { e.block(blocks[i]) }) }
	}
	e.object(
		member{"chainhook", func() { e.chainhook(d) }},
		member{"apply", list(d.apply)},
		member{"rollback", list(d.rollback)},
	)
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

func (e *encoder) chainhook(d *delivery) {
	e.object(
		member{"uuid", e.text(d.uuid)},
		member{"predicate", func() {
			e.object(
				member{"scope", e.text("ordinals_protocol")},
				member{"operation", e.text("inscription_feed")},
				member{"meta_protocols", e.raw(`["all"]`)},
			)
		}},
		member{"is_streaming_blocks", e.bool(d.streaming)},
	)
}

func (e *encoder) block(b *block) {
	s := e.shape(b)
	e.sorted = s.Sorted
	e.object(
		member{"block_identifier", func() { e.identifier(b.height, b.hash, s) }},
		member{"parent_block_identifier", func() { e.identifier(b.height-1, b.parentHash, s) }},
		member{"timestamp", e.number(uint64(b.time))},
		member{"transactions", func() { e.array(len(b.transactions), func(i int) { e.transaction(b, b.transactions[i], s) }) }},
		member{"metadata", func() { e.object(member{"network", e.text(string(e.cfg.Network))}) }},
	)
}

func (e *encoder) identifier(height uint64, h hash.Hash32, s Shape) {
	e.object(member{"index", e.number(height)}, member{"hash", e.hex(h[:], s.Hex == HexBare)})
}

func (e *encoder) transaction(b *block, t *transaction, s Shape) {
	var token func()
	if t.token != nil {
		token = func() { e.token(t.token, s) }
	}
	e.object(
		member{"transaction_identifier", func() { e.object(member{"hash", e.hex(t.id[:], s.Hex == HexBare)}) }},
		member{"operations", e.raw("[]")},
		member{"metadata", func() {
			e.object(
				member{"index", e.number(uint64(t.index))},
				member{"ordinal_operations", func() { e.operations(b, t, s) }},
				member{"brc20_operation", token},
				member{"proof", e.raw("null")},
				member{"fee", e.number(t.fee)},
				member{"inputs", e.raw("[]")},
				member{"outputs", e.raw("[]")},
				member{"stacks_operations", e.raw("[]")},
			)
		}},
	)
}

// operations writes the reveals, then the moves.
func (e *encoder) operations(b *block, t *transaction, s Shape) {
	e.array(len(t.reveals)+len(t.moves), func(i int) {
		if i < len(t.reveals) {
			e.object(member{"inscription_revealed", func() { e.reveal(b, t, t.reveals[i], s) }})
			return
		}
		e.object(member{"inscription_transferred", func() { e.move(t, t.moves[i-len(t.reveals)], s) }})
	})
}

func (e *encoder) reveal(b *block, t *transaction, r *reveal, s Shape) {
	pointer := e.raw("null")
	if r.pointer != nil {
		pointer = e.number(*r.pointer)
	}
	var charms, sequence, parent, parents func()
	switch all := r.postedCharms(b.height, e.cfg.Network); s.Charms {
	case CharmsBits:
		charms = e.number(uint64(all))
	case CharmsObject:
		charms = func() { e.charms(all) }
	case CharmsAbsent:
	}
	if s.Unbound {
		sequence = e.raw("null")
		if r.onNoSat {
			sequence = e.number(r.unbound)
		}
	}
	switch list := r.postedParents(s); {
	case s.Parents:
		parents = func() { e.array(len(list), func(i int) { e.text(string(list[i]))() }) }
	case len(list) > 0:
		parent = e.text(string(list[0]))
	default:
		parent = e.optional("", s.EmptyTexts)
	}
	offset := r.sat.Offset()
	if r.onNoSat && s.Unbound {
		offset = r.unbound
	}
	e.object(
		member{"content_bytes", e.hex(r.content, s.Hex == HexBare)},
		member{"content_type", e.text(r.contentType)},
		member{"content_length", e.number(uint64(len(r.content)))},
		member{"inscription_number", func() { e.inscriptionNumber(r.number, s) }},
		member{"inscription_fee", e.number(t.fee)},
		member{"inscription_output_value", e.number(r.postedValue(s))},
		member{"inscription_id", e.text(string(r.id))},
		member{"inscription_input_index", e.number(uint64(r.input))},
		member{"inscription_pointer", pointer},
		member{"inscriber_address", e.optional(r.to.address, s.EmptyTexts)},
		member{"delegate", e.optional(string(r.delegate), s.EmptyTexts)},
		member{"metaprotocol", e.optional(r.protocol, s.EmptyTexts)},
		member{"metadata", e.value(r.metadata.posted)},
		member{"parent", parent},
		member{"parents", parents},
		member{"ordinal_number", e.number(uint64(r.sat))},
		member{"ordinal_block_height", e.number(r.sat.CoinbaseHeight())},
		member{"ordinal_offset", e.number(offset)},
		member{"tx_index", e.number(uint64(t.index))},
		member{"transfers_pre_inscription", e.number(r.hops)},
		member{"satpoint_post_inscription", e.satpoint(r.to, s)},
		member{"curse_type", e.raw(r.curse.encoding(s))},
		member{"charms", charms},
		member{"unbound_sequence", sequence},
	)
}

// inscriptionNumber writes both numbers, or the single one of very old feeds.
func (e *encoder) inscriptionNumber(n ordinals.InscriptionNumber, s Shape) {
	if s.PlainNumber && n.Classic == n.Jubilee {
		e.integer(n.Classic)()
		return
	}
	e.object(member{"classic", e.integer(n.Classic)}, member{"jubilee", e.integer(n.Jubilee)})
}

func (e *encoder) charms(charms ordinals.Charms) {
	var members []member
	for bit, name := range (ordinals.CharmPalindrome<<1 - 1).Names() {
		members = append(members, member{name, e.bool(charms.Has(1 << bit))})
	}
	e.object(members...)
}

func (e *encoder) satpoint(p place, s Shape) func() {
	if s.Hex == HexEverywhere {
		return e.text("0x" + p.String())
	}
	return e.text(p.String())
}

func (e *encoder) move(t *transaction, m *move, s Shape) {
	var destination func()
	value := e.number(m.to.value)
	switch m.to.kind {
	case ordinals.Transferred:
		destination = e.text(m.to.address)
	case ordinals.Burnt:
		destination = e.text(m.to.script)
	case ordinals.SpentInFees:
		value = e.raw("null")
	}
	e.object(
		member{"ordinal_number", e.number(uint64(m.sat))},
		member{"destination", func() { e.object(member{"type", e.text(string(m.to.kind))}, member{"value", destination}) }},
		member{"satpoint_pre_transfer", e.satpoint(m.from, s)},
		member{"satpoint_post_transfer", e.satpoint(m.to, s)},
		member{"post_transfer_output_value", value},
		member{"tx_index", e.number(uint64(t.index))},
	)
}

func (e *encoder) token(o *tokenOperation, s Shape) {
	e.object(member{string(o.kind), func() {
		members := []member{{"tick", e.text(o.postedTick(s))}}
		switch o.kind {
		case ordinals.BRC20KindDeploy:
			members = append(members,
				member{"max", e.text(ordinals.FormatAmount(o.deploy.max, o.decimals))},
				member{"lim", e.text(ordinals.FormatAmount(o.deploy.limit, o.decimals))},
				member{"dec", e.text(strconv.Itoa(int(o.decimals)))},
				member{"address", e.text(o.address)},
				member{"inscription_id", e.text(string(o.id))},
				member{"self_mint", e.bool(o.deploy.selfMint)})
		case ordinals.BRC20KindTransferSend:
			amount := ordinals.FormatAmount(o.amount, o.decimals)
			if s.Negative {
				amount = "-" + amount
			}
			members = append(members,
				member{"amt", e.text(amount)},
				member{"sender_address", e.text(o.address)},
				member{"receiver_address", e.text(o.receiver)},
				member{"inscription_id", e.text(string(o.id))})
		default:
			members = append(members,
				member{"amt", e.text(ordinals.FormatAmount(o.amount, o.decimals))},
				member{"address", e.text(o.address)},
				member{"inscription_id", e.text(string(o.id))})
		}
		e.object(members...)
	}})
}
