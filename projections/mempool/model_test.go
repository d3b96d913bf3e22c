package mempool_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/projections"
)

// model is a plain reimplementation: it folds steps one by one and looks through all transactions and blocks each time.
type model struct {
	facts   map[hash.Hash32]*fact
	chain   []*projections.Block
	horizon uint64
	// texts are the current rows of transactions.
	texts map[hash.Hash32]rowText
}

// rowText is a row as text, and the event that last changed it.
type rowText struct {
	text  string
	since int64
}

// fact is what the model knows about a transaction, apart from the chain.
type fact struct {
	projections.Announced
	seq, pointer, time, height int64
	dropped                    string
	by                         *hash.Hash32
	expired                    *projections.Block
	forgotten                  map[*projections.Block]bool // blocks below the horizon when it was announced
}

type nonceOf struct {
	account string
	nonce   uint64
}

func noncesOf(tx projections.Announced) map[nonceOf]bool {
	all := map[nonceOf]bool{{tx.Sender().String(), tx.Nonce()}: true}
	if n, ok := tx.SponsorNonce(); ok {
		all[nonceOf{tx.FeePayer().String(), n}] = true
	}
	return all
}

// status returns the status of a transaction, the transaction that replaces it, and the block that decides.
func (m *model) status(f *fact) (status string, by *hash.Hash32, block *projections.Block) {
	for _, b := range m.chain {
		if f.forgotten[b] {
			continue
		}
		for _, tx := range b.Transactions {
			if tx.TxID == f.ID {
				return "mined", nil, b
			}
		}
	}
	nonces := noncesOf(f.Announced)
	for _, b := range m.chain {
		if f.forgotten[b] {
			continue
		}
		for i := range b.Transactions {
			other := projections.Announced{Transaction: b.Decoded[i], ID: b.Transactions[i].TxID}
			for n := range noncesOf(other) {
				if nonces[n] && (by == nil || strings.Compare(string(other.ID[:]), string(by[:])) < 0) {
					by = &other.ID
				}
			}
		}
		if by != nil {
			return "dropped_replace_by_fee", by, b
		}
	}
	switch {
	case f.dropped != "":
		return f.dropped, f.by, nil
	case f.expired != nil:
		return "dropped_stale_garbage_collect", nil, nil
	}
	return "pending", nil, nil
}

// take folds a step, and updates the texts of the rows that it changes.
func (m *model) take(step *projections.Step) {
	m.fold(step)
	for id, f := range m.facts {
		if text := m.text(f); m.texts[id].text != text {
			m.texts[id] = rowText{text, step.SourceSeq}
		}
	}
	for id := range m.texts {
		if m.facts[id] == nil {
			delete(m.texts, id)
		}
	}
}

func (m *model) fold(step *projections.Step) {
	switch step.Kind {
	case projections.Revert:
		tip := m.chain[len(m.chain)-1]
		m.chain = m.chain[:len(m.chain)-1]
		for _, f := range m.facts {
			if f.expired == tip {
				f.expired = nil
			}
		}
		return
	case projections.Apply:
		m.apply(step.Block)
		return
	}
	switch r := step.Record.(type) {
	case *projections.Announcement:
		for i, tx := range r.Transactions {
			f := m.facts[tx.ID]
			if f == nil {
				f = &fact{Announced: tx, forgotten: map[*projections.Block]bool{}}
				for _, b := range m.chain {
					f.forgotten[b] = b.BurnBlockHeight < m.horizon
				}
				m.facts[tx.ID] = f
			} else if status, _, _ := m.status(f); status == "mined" || f.dropped == "" && f.expired == nil {
				continue
			}
			f.seq, f.pointer, f.time, f.height = step.BlockSeq, int64(i), r.ReceivedAt.Unix(), step.Height
			f.dropped, f.by, f.expired = "", nil, nil
		}
	case *nodeevent.DropMempoolTx:
		for _, id := range r.TxIDs {
			f := m.facts[id]
			status := map[nodeevent.DropReason]string{
				"ReplaceByFee": "dropped_replace_by_fee", "ReplaceAcrossFork": "dropped_replace_across_fork", "TooExpensive": "dropped_too_expensive",
				"StaleGarbageCollect": "dropped_stale_garbage_collect", "Problematic": "dropped_problematic",
			}[r.Reason]
			if f == nil {
				continue
			}
			if status == "" {
				status = "dropped"
			}
			if now, _, _ := m.status(f); now != "mined" {
				f.dropped, f.by = status, r.NewTxID
			}
		}
	}
}

func (m *model) apply(block *projections.Block) {
	m.chain = append(m.chain, block)
	for _, f := range m.facts {
		status, _, _ := m.status(f)
		old := f.height < int64(block.Height)-256
		if block.IsNakamoto() {
			old = f.time < int64(*block.Time)-2560*60
		}
		if status == "pending" && old {
			f.expired = block
		}
	}
	if block.BurnBlockHeight >= 256 {
		m.horizon = max(m.horizon, block.BurnBlockHeight-256)
	}
	for id, f := range m.facts {
		if _, _, in := m.status(f); in != nil && in.BurnBlockHeight < m.horizon {
			if status, _, _ := m.status(f); status == "mined" {
				delete(m.facts, id)
			}
		}
	}
}

// rows returns the rows that the table must have.
func (m *model) rows() []string {
	var all []string
	for _, f := range m.facts {
		all = append(all, m.text(f))
	}
	slices.Sort(all)
	return all
}

// uses returns the rows of used nonces that the table must have: those of all canonical blocks that are not below the horizon.
func (m *model) uses() []string {
	var all []string
	for _, b := range m.chain {
		if b.BurnBlockHeight < m.horizon {
			continue
		}
		for i, tx := range b.Decoded {
			for n := range noncesOf(projections.Announced{Transaction: tx}) {
				key := sha256.Sum256(fmt.Appendf(nil, "%s/%d", n.account, n.nonce))
				all = append(all, fmt.Sprintf("%d %d %t %x-%x-%x-%x-%x %x", b.Height, i, n != nonceOf{tx.Sender().String(), tx.Nonce()},
					key[:4], key[4:6], key[6:8], key[8:10], key[10:16], b.Transactions[i].TxID[:]))
			}
		}
	}
	slices.Sort(all)
	return all
}

// text returns the row of a transaction as text.
func (m *model) text(f *fact) string {
	status, by, _ := m.status(f)
	text := fmt.Sprintf("%x %d/%d at %d in %d: %s", f.ID[:], f.seq, f.pointer, f.time, f.height, status)
	if by != nil {
		text += fmt.Sprintf(" %x", by[:])
	}
	return text
}

func newModel() *model {
	return &model{facts: map[hash.Hash32]*fact{}, texts: map[hash.Hash32]rowText{}}
}
