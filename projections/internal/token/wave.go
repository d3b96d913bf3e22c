package token

import (
	"crypto/sha256"
	"fmt"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/token"
	"strata/projections"
)

// A wave is records that are taken in at once: all that they need is read at once, and all that they change is written at
// once. It must come to the same as one after the other, so a record that depends on another one of the wave, or whose
// effects can't be told beforehand, begins the next.
type wave struct {
	reads     []readRecord
	documents []resourceRecord
	images    []resourceRecord

	keys   map[[sha256.Size]byte]bool // wants that were answered
	tokens map[tokenKey]bool          // that were read, or whose document came
	uris   map[string]bool            // of documents that tokens were read to have, and that came
}

// waveMax is how many records a wave has at most.
const waveMax = 256

// answer is a report that counts.
type answer struct {
	step   projections.Step
	report *fetch.Report
	standing
}

// readRecord is what a contract said of a token.
type readRecord struct {
	answer
	token   tokenKey
	uri     *string // with the id filled in
	read    token.Read
	problem *fetch.Problem
}

// resourceRecord is a document or image that came, or did not.
type resourceRecord struct {
	answer
	hash      [sha256.Size]byte
	referrals []referral
}

// records takes in what came from outside of the chain.
func (b *batch) records(steps []projections.Step) error {
	for len(steps) > 0 {
		n, err := b.wave(steps[:min(len(steps), waveMax)])
		if err != nil {
			return err
		}
		steps = steps[n:]
	}
	return nil
}

// wave takes in the first of the records, and says how many.
func (b *batch) wave(steps []projections.Step) (int, error) {
	around, err := b.surroundings(steps)
	if err != nil {
		return 0, err
	}
	w := wave{keys: map[[sha256.Size]byte]bool{}, tokens: map[tokenKey]bool{}, uris: map[string]bool{}}
	for i, step := range steps {
		r, isReport := step.Record.(*fetch.Report)
		var s standing
		if isReport {
			var wanted bool
			key := keyHash(r.Want)
			if s, wanted = around.standings[key]; !wanted {
				if w.mayWant(r.Want.Kind) {
					return i, b.write(&w)
				}
				continue // nobody here wants it
			}
			if w.keys[key] {
				return i, b.write(&w)
			}
		}
		canonical := isReport && around.canonical(r, s)
		taken, ok := false, false
		if isReport {
			taken, ok = b.join(&w, answer{step, r, s}, around, canonical)
		}
		switch {
		case taken:
		case ok || !w.empty(): // after the others
			return i, b.write(&w)
		default:
			return i + 1, b.single(step, s, canonical)
		}
	}
	return len(steps), b.write(&w)
}

func (w *wave) empty() bool { return len(w.reads)+len(w.documents)+len(w.images) == 0 }

// mayWant says whether the records so far may give rise to a want of this kind.
func (w *wave) mayWant(kind fetch.Kind) bool {
	return (kind == fetch.Document || kind == fetch.Image) && len(w.reads)+len(w.documents) > 0
}

// join makes an answer part of the wave. Otherwise ok says that it can be part of a later one.
func (b *batch) join(w *wave, a answer, around *surroundings, canonical bool) (taken, ok bool) {
	switch a.report.Want.Kind {
	case fetch.ContractRead:
		return b.joinRead(w, a, canonical)
	case fetch.Document:
		r := resourceRecord{a, uriHash(a.report.Want.URI), nil}
		r.referrals = around.referrals[resourceKey{"document", r.hash}]
		alone := false
		for _, referral := range r.referrals {
			if w.tokens[referral.tokenKey] {
				return false, true
			}
			alone = alone || referral.locale != "" // then it is about what other documents say, too
		}
		if w.uris[a.report.Want.URI] || alone && !w.empty() || w.alone() {
			return false, true
		}
		for _, referral := range r.referrals {
			w.tokens[referral.tokenKey] = true
		}
		w.uris[a.report.Want.URI] = true
		w.documents = append(w.documents, r)
	case fetch.Image:
		r := resourceRecord{a, uriHash(a.report.Want.URI), nil}
		r.referrals = around.referrals[resourceKey{"image", r.hash}]
		w.images = append(w.images, r)
	default:
		return false, false
	}
	w.keys[a.key] = true
	return true, true
}

// alone says that the wave has a document of another locale, which is a wave of its own.
func (w *wave) alone() bool {
	for _, d := range w.documents {
		for _, r := range d.referrals {
			if r.locale != "" {
				return true
			}
		}
	}
	return false
}

// joinRead makes a reading of a token's properties part of the wave.
func (b *batch) joinRead(w *wave, a answer, canonical bool) (taken, ok bool) {
	id := tokenIDOf(b.kind, a.report.Want)
	if !canonical || id == nil || a.report.Want.Key() != b.readWant(a.report.Want.Contract, id).Key() {
		return false, false
	}
	r := readRecord{answer: a, token: tokenKey{a.report.Want.Contract, id.String()}}
	r.read, r.problem = token.ReadToken(b.kind, a.report)
	if r.problem == nil && r.read.URI != nil {
		r.uri = tokenURI(*r.read.URI, r.token.id)
	}
	if w.tokens[r.token] || r.uri != nil && w.uris[*r.uri] && w.brings(*r.uri) || w.alone() {
		return false, true
	}
	w.tokens[r.token], w.keys[a.key] = true, true
	if r.uri != nil {
		w.uris[*r.uri] = true
	}
	w.reads = append(w.reads, r)
	return true, true
}

// brings says whether the document at an address is part of the wave.
func (w *wave) brings(uri string) bool {
	for _, d := range w.documents {
		if d.report.Want.URI == uri {
			return true
		}
	}
	return false
}

// surroundings is what decides which records count, and which are independent.
type surroundings struct {
	standings map[[sha256.Size]byte]standing
	blocks    map[fetch.Tip]bool
	referrals map[resourceKey][]referral
}

func (b *batch) surroundings(steps []projections.Step) (*surroundings, error) {
	var keys [][sha256.Size]byte
	tips := map[fetch.Tip]bool{}
	var resources []resourceKey
	for _, step := range steps {
		r, ok := step.Record.(*fetch.Report)
		if !ok {
			continue
		}
		keys = append(keys, keyHash(r.Want))
		if r.Tip != nil {
			tips[*r.Tip] = false
		}
		if r.Want.URI != "" {
			resources = append(resources, resourceKey{string(r.Want.Kind), uriHash(r.Want.URI)})
		}
	}
	around := &surroundings{blocks: tips}
	var err error
	if around.standings, err = b.standings(keys); err != nil {
		return nil, err
	}
	if len(around.standings) == 0 {
		return around, nil
	}
	if around.referrals, err = b.referrals(resources); err != nil {
		return nil, err
	}
	return around, b.findBlocks(tips)
}

// findBlocks says which of the blocks are canonical.
func (b *batch) findBlocks(tips map[fetch.Tip]bool) error {
	var heights []int64
	var ids [][]byte
	for tip := range tips {
		heights, ids = append(heights, tip.Height), append(ids, tip.IndexBlockHash[:])
	}
	if len(heights) == 0 {
		return nil
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT b.height, b.index_block_hash
		FROM unnest($1::bigint[], $2::bytea[]) AS w (height, id)
		JOIN {schema}.block b ON b.height = w.height AND b.index_block_hash = w.id`), heights, ids)
	if err != nil {
		return fmt.Errorf("look for the blocks of %d reports: %w", len(heights), err)
	}
	defer rows.Close()
	for rows.Next() {
		var height int64
		var id hash.Hash32
		if err := rows.Scan(&height, &id); err != nil {
			return fmt.Errorf("look for the blocks of %d reports: %w", len(heights), err)
		}
		tips[fetch.Tip{Height: height, IndexBlockHash: id}] = true
	}
	return rows.Err()
}

// canonical says whether a report is of a block that counts for the want.
func (s *surroundings) canonical(r *fetch.Report, want standing) bool {
	return r.Tip == nil || s.blocks[*r.Tip] && (want.minHeight == nil || r.Tip.Height >= *want.minHeight)
}
