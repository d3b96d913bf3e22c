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

// wave holds records that are processed together: what they need is read at once, and what they change is written at
// once. The rows must be the same as if the records were processed one by one. So a record that depends on another one
// of the wave, or whose effects cannot be known beforehand, begins the next wave.
type wave struct {
	reads     []readRecord
	documents []resourceRecord
	images    []resourceRecord

	keys   map[[sha256.Size]byte]bool // wants that its records answer
	tokens map[tokenKey]bool          // tokens that its records read, or whose documents they bring
	uris   map[string]bool            // URIs of documents that its contract reads name
	came   map[string]bool            // URIs of documents that its records bring
	// alone says that no other record can join. With documents in several locales, the effect of one record depends on
	// what others bring.
	alone bool
}

// waveMax is the largest number of records in a wave.
const waveMax = 1024

// answer is a report to an open want.
type answer struct {
	step   projections.Step
	report *fetch.Report
	openWant
}

// readRecord is a report of a token's properties, as its contract gave them.
type readRecord struct {
	answer
	token   tokenKey
	uri     *string // with the id filled in
	read    token.Read
	problem *fetch.Problem
}

// resourceRecord is the report of a document or image, fetched or failed.
type resourceRecord struct {
	answer
	hash      [sha256.Size]byte
	referrals []referral
}

// record is a step with what its report tells by itself.
type record struct {
	step   projections.Step
	report *fetch.Report // nil for a refresh request
	key    [sha256.Size]byte
	// The rest is filled in by inspect, only for reports to open wants.
	inspected bool
	read      *readRecord // the report of a token's properties, without its answer; nil for other reports
	localised bool        // the report is of a document that lists translations
}

// records processes records, which come from outside the chain.
func (b *batch) records(steps []projections.Step) error {
	all := make([]record, 0, len(steps))
	for _, step := range steps {
		switch r := step.Record.(type) {
		case *fetch.Report:
			all = append(all, record{step: step, report: r, key: keyHash(r.Want)})
		case *fetch.Recheck: // as if its reports had come one by one
			for _, report := range r.Reports() {
				step.Record = report
				all = append(all, record{step: step, report: report, key: keyHash(report.Want)})
			}
		default:
			all = append(all, record{step: step})
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

// inspect parses the report of a record. It is called only for reports to open wants: most of the others are for other
// projections, and not worth the work.
func (b *batch) inspect(r *record) {
	if r.inspected {
		return
	}
	r.inspected = true
	report := r.report
	switch report.Want.Kind {
	case fetch.ContractRead:
		id := tokenIDOf(b.kind, report.Want)
		if id == nil || report.Want.Key() != b.readWant(report.Want.Contract, id).Key() {
			break
		}
		r.read = &readRecord{token: tokenKey{report.Want.Contract, id.String()}}
		if _, unchanged := report.UnchangedSince(); unchanged {
			break
		}
		if r.read.read, r.read.problem = token.ReadToken(b.kind, report); r.read.problem == nil && r.read.read.URI != nil {
			r.read.uri = tokenURI(*r.read.read.URI, r.read.token.id)
		}
	case fetch.Document:
		if body, problem := report.ResourceBody(); problem == nil {
			parsed, err := document.ParseLocalised(body)
			r.localised = err == nil && parsed.Localization != nil
		}
	}
}

// wave processes the first of the records together, and returns how many these are.
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
				continue // no open want here asks for it
			}
			canonical = around.canonical(r.report, s)
			taken, later = w.join(r, answer{r.step, r.report, s}, around, canonical)
		}
		switch {
		case taken:
		case later || !w.empty(): // the record comes after those of this wave
			return i, b.write(&w)
		default:
			return i + 1, b.single(r.step, s, canonical)
		}
	}
	return len(all), b.write(&w)
}

func (w *wave) empty() bool { return len(w.reads)+len(w.documents)+len(w.images) == 0 }

// mayWant says whether the records of the wave may raise a want of this kind.
func (w *wave) mayWant(kind fetch.Kind) bool {
	return (kind == fetch.Document || kind == fetch.Image) && len(w.reads)+len(w.documents) > 0
}

// join adds an answer to the wave if it is independent of the others (taken). Otherwise later says whether it can join
// another wave.
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
		alone := r.localised
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

// surroundings holds what decides which records count, and which are independent of each other.
type surroundings struct {
	openWants map[[sha256.Size]byte]openWant
	blocks    map[fetch.Tip]bool
	referrals map[resourceKey][]referral
	localised map[[sha256.Size]byte]bool // known documents that list translations, by the hash of their URI
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
		b.inspect(r)
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

// findBlocks sets the values of the blocks that are canonical to true.
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

// canonical says whether a report is of a canonical block, at the height that the want requires or above. A report that
// names no block always is.
func (s *surroundings) canonical(r *fetch.Report, want openWant) bool {
	return r.Tip == nil || s.blocks[*r.Tip] && (want.minHeight == nil || r.Tip.Height >= *want.minHeight)
}
