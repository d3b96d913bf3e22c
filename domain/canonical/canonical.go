// Package canonical writes what a node announced in a form that does not depend on which node announced it, or when. The body of a
// block that one node posts differs from that of another: members come and go with releases, events have another order and other
// numbers, signatures of a signer more. The canonical form has what all releases since 2.05 send, and what follows from it, so
// that two archives of a chain can be compared byte for byte.
//
// It is JSON (RFC 8259) without spaces, a body as nodes post it, which Strata reads like any other. Left out are: costs of whole
// blocks, forced unlock heights, consensus hashes, addresses of miners beside recipients, signer signatures, interfaces of contracts, operations from Bitcoin beside their
// events, messages of the virtual machine, commits of Bitcoin blocks, and events that do not count.
//
// The canonical form of a canonical form is the same.
package canonical

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
)

// AppendBlock appends the canonical body of /new_block. parent is the block below; nil if it is not known, or there is none. It
// gives the Bitcoin block of the parent, which nodes before release 2.0.11.2.0 do not send.
func AppendBlock(dst []byte, b, parent *nodeevent.Block) []byte {
	o := open(dst)
	o = o.hash("block_hash", b.BlockHash).number("block_height", b.Height)
	if b.IsNakamoto() && b.Time != nil {
		o = o.number("block_time", *b.Time)
	}
	o = o.hash("burn_block_hash", b.BurnBlockHash).number("burn_block_height", b.BurnBlockHeight)
	if b.IsGenesis() {
		o = o.number("burn_block_time", 0) // some nodes send the time of the Bitcoin block
	} else {
		o = o.number("burn_block_time", b.BurnBlockTime)
	}
	if b.CycleNumber != nil && b.RewardSet != nil {
		o = o.number("cycle_number", *b.CycleNumber)
	}
	o = o.list("events", func(l list) list { return appendEvents(l, &b.Receipts) })
	o = o.hash("index_block_hash", b.IndexBlockHash)
	o = o.list("matured_miner_rewards", func(l list) list {
		for i := range b.MaturedRewards {
			l = l.add(func(dst []byte) []byte { return appendReward(dst, &b.MaturedRewards[i]) })
		}
		return l
	})
	if b.MinerSignature != nil {
		o = o.hex("miner_signature", b.MinerSignature)
	}
	o = o.hash("miner_txid", b.MinerTxID).hash("parent_block_hash", b.ParentBlockHash)
	if parent != nil && !parent.IsGenesis() {
		o = o.hash("parent_burn_block_hash", parent.BurnBlockHash).number("parent_burn_block_height", parent.BurnBlockHeight).
			number("parent_burn_block_timestamp", parent.BurnBlockTime)
	}
	o = o.hash("parent_index_block_hash", b.ParentIndexBlockHash).hash("parent_microblock", b.ParentMicroblock).
		number("parent_microblock_sequence", uint64(lastSequence(b)))
	if b.RewardSet != nil {
		o = o.value("reward_set", func(dst []byte) []byte { return appendRewardSet(dst, b.RewardSet) })
	}
	if b.SignerBitvec != nil {
		o = o.text("signer_bitvec", hex.EncodeToString(b.SignerBitvec))
	}
	if b.SignerSignatureHash != nil {
		o = o.hash("signer_signature_hash", *b.SignerSignatureHash)
	}
	switch {
	case !b.IsNakamoto():
		o = o.number("tenure_height", b.Height)
	case b.TenureHeight != nil:
		o = o.number("tenure_height", *b.TenureHeight)
	}
	return o.list("transactions", func(l list) list {
		for i := range b.Transactions {
			l = l.add(func(dst []byte) []byte { return appendTransaction(dst, &b.Transactions[i]) })
		}
		return l
	}).close()
}

// lastSequence returns the sequence of the last microblock that a block confirms; 0 for none.
func lastSequence(b *nodeevent.Block) (last uint16) {
	if b.ParentMicroblock.IsZero() {
		return 0
	}
	for i := range b.Transactions {
		if m := b.Transactions[i].Microblock; m != nil {
			last = max(last, m.Sequence)
		}
	}
	if b.ParentMicroblockSequence != nil { // a microblock may be empty of what is a transaction here
		last = *b.ParentMicroblockSequence
	}
	return last
}

func appendTransaction(dst []byte, t *nodeevent.Transaction) []byte {
	o := open(dst).value("execution_cost", func(dst []byte) []byte {
		c := t.ExecutionCost
		return open(dst).number("read_count", c.ReadCount).number("read_length", c.ReadLength).number("runtime", c.Runtime).
			number("write_count", c.WriteCount).number("write_length", c.WriteLength).close()
	})
	if m := t.Microblock; m != nil {
		o = o.hash("microblock_hash", m.Hash).hash("microblock_parent_hash", m.ParentHash).number("microblock_sequence", uint64(m.Sequence))
	}
	if t.ProblematicSkipped != nil {
		o = o.number("problematic_skipped", uint64(*t.ProblematicSkipped))
	}
	if t.RawResult != nil {
		o = o.hex("raw_result", t.RawResult)
	}
	if t.RawTx != nil {
		o = o.hex("raw_tx", t.RawTx)
	}
	return o.text("status", string(t.Status)).number("tx_index", uint64(t.TxIndex)).hash("txid", t.TxID).close()
}

// appendEvents appends the events that count, numbered from 0.
func appendEvents(l list, r *nodeevent.Receipts) list {
	number := uint64(0)
	for i := range r.Events {
		e := &r.Events[i]
		tx := &r.Transactions[e.Tx]
		if !e.Committed || !tx.Succeeded() {
			continue
		}
		l = l.add(func(dst []byte) []byte {
			o := open(dst).literal("committed", "true").number("event_index", number)
			if data := appendData(e, tx); data != nil {
				o = o.value(e.Type, data)
			}
			return o.hash("txid", e.TxID).text("type", e.Type).close()
		})
		number++
	}
	return l
}

// appendData returns what appends the data of an event; nil for an unknown event without data.
func appendData(e *nodeevent.Event, tx *nodeevent.Transaction) func(dst []byte) []byte {
	fields := func(names ...field) func([]byte) []byte {
		return func(dst []byte) []byte {
			o := open(dst)
			for _, f := range names {
				o = o.text(f.name, f.value)
			}
			return o.close()
		}
	}
	switch d := e.Data.(type) {
	case *nodeevent.STXTransfer:
		return fields(amount(d.Amount), field{"memo", hex.EncodeToString(memo(d, tx))}, field{"recipient", d.Recipient}, field{"sender", d.Sender})
	case *nodeevent.STXMint:
		return fields(amount(d.Amount), field{"recipient", d.Recipient})
	case *nodeevent.STXBurn:
		return fields(amount(d.Amount), field{"sender", d.Sender})
	case *nodeevent.STXLock:
		return fields(field{"contract_identifier", cmp.Or(d.Contract, firstPox(d.Address))}, field{"locked_address", d.Address},
			field{"locked_amount", d.Amount.String()}, field{"unlock_height", strconv.FormatUint(d.UnlockHeight, 10)})
	case *nodeevent.FTTransfer:
		return fields(amount(d.Amount), field{"asset_identifier", d.Asset}, field{"recipient", d.Recipient}, field{"sender", d.Sender})
	case *nodeevent.FTMint:
		return fields(amount(d.Amount), field{"asset_identifier", d.Asset}, field{"recipient", d.Recipient})
	case *nodeevent.FTBurn:
		return fields(amount(d.Amount), field{"asset_identifier", d.Asset}, field{"sender", d.Sender})
	case *nodeevent.NFTTransfer:
		return fields(field{"asset_identifier", d.Asset}, raw(d.RawValue), field{"recipient", d.Recipient}, field{"sender", d.Sender})
	case *nodeevent.NFTMint:
		return fields(field{"asset_identifier", d.Asset}, raw(d.RawValue), field{"recipient", d.Recipient})
	case *nodeevent.NFTBurn:
		return fields(field{"asset_identifier", d.Asset}, raw(d.RawValue), field{"sender", d.Sender})
	case *nodeevent.ContractEvent:
		return fields(field{"contract_identifier", d.Contract}, raw(d.RawValue), field{"topic", d.Topic})
	case *nodeevent.UnknownEvent:
		if d.Raw != nil {
			return func(dst []byte) []byte { return appendCompact(dst, d.Raw) }
		}
	}
	return nil
}

// memo returns that of a transfer. Nodes before release 2.1 send none: that of a token transfer stands in the transaction, and in
// their epochs contracts could give none.
func memo(d *nodeevent.STXTransfer, tx *nodeevent.Transaction) []byte {
	if d.Memo != nil {
		return d.Memo
	}
	if decoded, err := transaction.Decode(tx.RawTx); err == nil {
		if transfer, ok := decoded.Payload.(*transaction.TokenTransfer); ok {
			return transfer.Memo[:]
		}
	}
	return nil
}

// firstPox returns the first contract for stacking, on the network of an address. Nodes before release 2.1 know no other, and do
// not name it.
func firstPox(address string) string {
	if len(address) > 1 && (address[1] == 'P' || address[1] == 'M') { // C32 versions 22 and 20 (SIP-005)
		return "SP000000000000000000002Q6VF78.pox"
	}
	return "ST000000000000000000002AMW42H.pox"
}

func appendReward(dst []byte, m *nodeevent.MinerReward) []byte {
	return open(dst).text("coinbase_amount", m.Coinbase.String()).hash("from_index_consensus_hash", m.FromIndexBlockHash).
		hash("from_stacks_block_hash", m.FromBlockHash).text("recipient", m.Recipient).text("tx_fees_anchored", m.FeesAnchored.String()).
		text("tx_fees_streamed_confirmed", m.FeesStreamedConfirmed.String()).
		text("tx_fees_streamed_produced", m.FeesStreamedProduced.String()).close()
}

func appendRewardSet(dst []byte, s *nodeevent.RewardSet) []byte {
	o := open(dst)
	if s.PoxThreshold != nil {
		o = o.text("pox_ustx_threshold", s.PoxThreshold.String())
	}
	o = o.list("rewarded_addresses", func(l list) list {
		for _, a := range s.RewardedAddresses {
			l = l.add(func(dst []byte) []byte {
				if a.Raw != nil {
					return appendCompact(dst, a.Raw)
				}
				return appendQuote(dst, a.Text)
			})
		}
		return l
	})
	if s.Signers != nil {
		o = o.list("signers", func(l list) list {
			for i := range s.Signers {
				l = l.add(func(dst []byte) []byte { return appendSigner(dst, &s.Signers[i]) })
			}
			return l
		})
	}
	return o.close()
}

func appendSigner(dst []byte, s *nodeevent.Signer) []byte {
	o := open(dst).text("signing_key", hex.EncodeToString(s.SigningKey))
	if s.Stacked != nil {
		o = o.text("stacked_amt", s.Stacked.String())
	}
	return o.number("weight", uint64(s.Weight)).close()
}

// AppendBurnBlock appends the canonical body of /new_burn_block. below is the Bitcoin block below, as its parent is named by nodes
// since release 3.1.0.0.9 only; nil if it is not known.
func AppendBurnBlock(dst []byte, b, below *nodeevent.BurnBlock) []byte {
	o := open(dst).number("burn_amount", b.BurnAmount).hash("burn_block_hash", b.Hash).number("burn_block_height", b.Height)
	if below != nil && below.Height+1 == b.Height {
		o = o.hash("parent_burn_block_hash", below.Hash)
	}
	payouts := slices.SortedFunc(slices.Values(b.RewardRecipients), func(x, y nodeevent.BurnPayout) int {
		return cmp.Or(cmp.Compare(x.Recipient, y.Recipient), cmp.Compare(x.Amount, y.Amount))
	})
	return o.list("reward_recipients", func(l list) list {
		for _, p := range payouts {
			l = l.add(func(dst []byte) []byte {
				return open(dst).number("amt", p.Amount).text("recipient", p.Recipient).close()
			})
		}
		return l
	}).list("reward_slot_holders", func(l list) list {
		for _, holder := range b.RewardSlotHolders {
			l = l.add(func(dst []byte) []byte { return appendQuote(dst, holder) })
		}
		return l
	}).close()
}

// AppendAttachment appends the canonical body of /attachments/new with one attachment.
func AppendAttachment(dst []byte, a *nodeevent.Attachment) []byte {
	o := open(append(dst, '[')).number("attachment_index", uint64(a.AttachmentIndex)).number("block_height", a.BlockHeight)
	if a.Content != nil {
		o = o.hex("content", a.Content)
	}
	o = o.hex("content_hash", a.ContentHash[:]).text("contract_id", a.ContractID).hash("index_block_hash", a.IndexBlockHash)
	if a.Metadata != nil {
		o = o.hex("metadata", a.Metadata)
	}
	return append(o.hash("tx_id", a.TxID).close(), ']')
}

// field is a member whose value is text.
type field struct{ name, value string }

func amount(n *big.Int) field { return field{"amount", n.String()} }

func raw(value []byte) field { return field{"raw_value", "0x" + hex.EncodeToString(value)} }

// object is a JSON object that is being written. Its members are added in the order of their names.
type object []byte

func open(dst []byte) object { return append(dst, '{') }

func (o object) key(name string) []byte {
	if o[len(o)-1] != '{' {
		o = append(o, ',')
	}
	return append(appendQuote(o, name), ':')
}

func (o object) literal(name, value string) object { return append(o.key(name), value...) }

func (o object) number(name string, n uint64) object {
	return strconv.AppendUint(o.key(name), n, 10)
}

func (o object) text(name, value string) object { return appendQuote(o.key(name), value) }

func (o object) hash(name string, h hash.Hash32) object { return o.hex(name, h[:]) }

func (o object) hex(name string, value []byte) object {
	return append(hex.AppendEncode(append(o.key(name), `"0x`...), value), '"')
}

func (o object) value(name string, write func(dst []byte) []byte) object { return write(o.key(name)) }

func (o object) list(name string, write func(list) list) object {
	return append(object(write(append(o.key(name), '['))), ']')
}

func (o object) close() []byte { return append(o, '}') }

// list is a JSON array that is being written.
type list []byte

func (l list) add(write func(dst []byte) []byte) list {
	if l[len(l)-1] != '[' {
		l = append(l, ',')
	}
	return write(l)
}

// appendQuote appends text as a JSON string. What is no UTF-8 becomes U+FFFD.
func appendQuote(dst []byte, text string) []byte {
	quoted, _ := jsontext.AppendQuote(dst, text) // the only error is about UTF-8
	return quoted
}

// appendCompact appends JSON in the form of RFC 8785.
func appendCompact(dst, value []byte) []byte {
	v := jsontext.Value(bytes.Clone(value))
	if err := v.Canonicalize(); err != nil {
		v = jsontext.Value("null") // it has a member twice
	}
	return append(dst, v...)
}
