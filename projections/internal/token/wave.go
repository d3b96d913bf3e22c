package token

import (
	"crypto/sha256"
	"fmt"

	"strata/domain/document"
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
	uris   map[string]bool            // of documents that tokens were read to have
	came   map[string]bool            // of documents that came
	// alone says that nothing can join: with documents in several locales, what one record changes is about what others
	// bring.
	alone bool
}

// waveMax is how many records a wave has at most.
const waveMax = 1024

// answer is a report that counts.
type answer struct {
	step   projections.Step
	report *fetch.Report
	openWant
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

// record is a step, and what can be told of its report by itself.
type record struct {
	step   projections.Step
	report *fetch.Report // nil for a wish
	key    [sha256.Size]byte
	// What is known once somebody wants it.
	looked bool
	read   *readRecord // of a token's properties; the answer is missing
	locale bool        // a document that names others, for other locales
}

// records takes in what came from outside of the chain.
func (b *batch) records(steps []projections.Step) error {
	all := make([]record, len(steps))
	for i, step := range steps {
		all[i].step = step
		if report, ok := step.Record.(*fetch.Report); ok {
			all[i].report, all[i].key = report, keyHash(report.Want)
		}
	}
	for len(all) > 0 {
		n, err := b.wave(all[:min(len(all), waveMax)])
		if err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// look reads a report that somebody wants. The others, of which most are for other projections, are not worth it.
func (b *batch) look(r *record) {
	if r.looked {
		return
	}
	r.looked = true
	report := r.report
	switch report.Want.Kind {
	case fetch.ContractRead:
		id := tokenIDOf(b.kind, report.Want)
		if id == nil || report.Want.Key() != b.readWant(report.Want.Contract, id).Key() {
			break
		}
		r.read = &readRecord{token: tokenKey{report.Want.Contract, id.String()}}
		if r.read.read, r.read.problem = token.ReadToken(b.kind, report); r.read.problem == nil && r.read.read.URI != nil {
			r.read.uri = tokenURI(*r.read.read.URI, r.read.token.id)
		}
	case fetch.Document:
		if body, problem := report.ResourceBody(); problem == nil {
			parsed, err := document.ParseLocalised(body)
			r.locale = err == nil && parsed.Localization != nil
		}
	}
}

// wave takes in the first of the records, and says how many.
func (b *batch) wave(all []record) (int, error) {
	around, err := b.surroundings(all)
	if err != nil {
		return 0, err
	}
	w := wave{keys: map[[sha256.Size]byte]bool{}, tokens: map[tokenKey]bool{}, uris: map[string]bool{}, came: map[string]bool{}}
	for i, r := range all {
		var s openWant
		var canonical, taken, later bool
		if r.report != nil {
			var wanted bool
			if s, wanted = around.openWants[r.key]; !wanted {
				if w.mayWant(r.report.Want.Kind) {
					return i, b.write(&w)
				}
				continue // nobody here wants it
			}
			canonical = around.canonical(r.report, s)
			taken, later = w.join(r, answer{r.step, r.report, s}, around, canonical)
		}
		switch {
		case taken:
		case later || !w.empty(): // after the others
			return i, b.write(&w)
		default:
			return i + 1, b.single(r.step, s, canonical)
		}
	}
	return len(all), b.write(&w)
}

func (w *wave) empty() bool { return len(w.reads)+len(w.documents)+len(w.images) == 0 }

// mayWant says whether the records so far may give rise to a want of this kind.
func (w *wave) mayWant(kind fetch.Kind) bool {
	return (kind == fetch.Document || kind == fetch.Image) && len(w.reads)+len(w.documents) > 0
}

// join makes an answer part of the wave. Otherwise later says that it can be part of one.
func (w *wave) join(r record, a answer, around *surroundings, canonical bool) (taken, later bool) {
	if w.alone || w.keys[r.key] {
		return false, true
	}
	switch r.report.Want.Kind {
	case fetch.ContractRead:
		if r.read == nil || !canonical {
			return false, false
		}
		read := *r.read
		read.answer = a
		alone := read.uri != nil && around.localised[uriHash(*read.uri)]
		if w.tokens[read.token] || read.uri != nil && w.came[*read.uri] || alone && !w.empty() {
			return false, true
		}
		w.alone = alone
		w.tokens[read.token] = true
		if read.uri != nil {
			w.uris[*read.uri] = true
		}
		w.reads = append(w.reads, read)
	case fetch.Document:
		d := resourceRecord{a, uriHash(r.report.Want.URI), nil}
		d.referrals = around.referrals[resourceKey{"document", d.hash}]
		alone := r.locale
		for _, referral := range d.referrals {
			if w.tokens[referral.tokenKey] {
				return false, true
			}
			alone = alone || referral.locale != ""
		}
		if w.uris[r.report.Want.URI] || alone && !w.empty() {
			return false, true
		}
		w.alone = alone
		for _, referral := range d.referrals {
			w.tokens[referral.tokenKey] = true
		}
		w.came[r.report.Want.URI] = true
		w.documents = append(w.documents, d)
	case fetch.Image:
		i := resourceRecord{a, uriHash(r.report.Want.URI), nil}
		i.referrals = around.referrals[resourceKey{"image", i.hash}]
		w.images = append(w.images, i)
	default:
		return false, false
	}
	w.keys[r.key] = true
	return true, true
}

// surroundings is what decides which records count, and which are independent.
type surroundings struct {
	openWants map[[sha256.Size]byte]openWant
	blocks    map[fetch.Tip]bool
	referrals map[resourceKey][]referral
	localised map[[sha256.Size]byte]bool // known documents that name others, for other locales
}

func (b *batch) surroundings(all []record) (*surroundings, error) {
	var keys [][sha256.Size]byte
	for _, r := range all {
		if r.report != nil {
			keys = append(keys, r.key)
		}
	}
	openWants, err := b.openWants(keys)
	if err != nil {
		return nil, err
	}
	tips := map[fetch.Tip]bool{}
	var resources []resourceKey
	var uris []string
	for i := range all {
		r := &all[i]
		if _, wanted := openWants[r.key]; !wanted || r.report == nil {
			continue
		}
		b.look(r)
		if r.report.Tip != nil {
			tips[*r.report.Tip] = false
		}
		if r.report.Want.URI != "" {
			resources = append(resources, resourceKey{string(r.report.Want.Kind), uriHash(r.report.Want.URI)})
		}
		if r.read != nil && r.read.uri != nil {
			uris = append(uris, *r.read.uri)
		}
	}
	around := &surroundings{openWants: openWants, blocks: tips}
	if around.referrals, err = b.referrals(resources); err != nil {
		return nil, err
	}
	known, err := b.documents(uris)
	if err != nil {
		return nil, err
	}
	around.localised = map[[sha256.Size]byte]bool{}
	for uri, d := range known {
		if d.Localization != nil {
			around.localised[uriHash(uri)] = true
		}
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
func (s *surroundings) canonical(r *fetch.Report, want openWant) bool {
	return r.Tip == nil || s.blocks[*r.Tip] && (want.minHeight == nil || r.Tip.Height >= *want.minHeight)
}
