package token

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/projections"
)

// write writes what the records of a wave change.
func (b *batch) write(w *wave) error {
	if w.empty() {
		return nil
	}
	var settled []openWant
	var failed []failure
	end := func(a answer, f *failure) {
		if f == nil || f.problem.Severity == fetch.Final {
			settled = append(settled, a.openWant)
		} else {
			failed = append(failed, *f)
		}
	}
	subjects, err := b.writeReads(w.reads, end)
	if err != nil {
		return err
	}
	came, err := b.writeDocuments(w.documents, end)
	if err != nil {
		return err
	}
	if err := b.writeImages(w.images, end); err != nil {
		return err
	}
	if err := b.settle(settled...); err != nil {
		return err
	}
	if err := b.fail(failed...); err != nil {
		return err
	}
	subjects = append(subjects, came...)
	slices.SortStableFunc(subjects, func(a, b subject) int { return cmp.Compare(a.number, b.number) })
	return b.refer(subjects...)
}

// writeReads writes the properties of tokens, and returns the tokens whose references may have changed.
func (b *batch) writeReads(all []readRecord, end func(answer, *failure)) ([]subject, error) {
	var good, bad []readRecord
	for _, r := range all {
		b.touchToken(r.token)
	}
	all, same, stale, err := b.writeUnchangedReads(all)
	if err != nil {
		return nil, err
	}
	known, err := b.knownBefore(all)
	if err != nil {
		return nil, err
	}
	for _, r := range append(all, stale...) {
		if known[r.token] {
			r.problem = r.read.Lack
		}
		if r.problem != nil {
			bad = append(bad, r)
			end(r.answer, &failure{r.openWant, r.step.SourceSeq, r.report.FinishedAt, r.problem})
		} else {
			good = append(good, r)
		}
	}
	if err := b.writeBadReads(bad); err != nil {
		return nil, err
	}
	if err := b.writeGoodReads(good); err != nil {
		return nil, err
	}
	if err := b.writeBadReads(lacking(good)); err != nil {
		return nil, err
	}
	subjects := make([]subject, len(good))
	for i, r := range good {
		subjects[i] = subject{[]tokenKey{r.token}, r.step.Number, r.step.SourceSeq, r.report.FinishedAt}
	}
	return subjects, b.goOn(append(good, same...), end)
}

// goOn ends the wants of tokens that were read, or puts them off if the token is dynamic.
func (b *batch) goOn(read []readRecord, end func(answer, *failure)) error {
	keys := make([]tokenKey, len(read))
	for i, r := range read {
		keys[i] = r.token
	}
	intervals, err := b.dynamic(keys)
	if err != nil {
		return err
	}
	for _, r := range read {
		if r.priority == priorityClock { // fetch the document again too; if that fails, it has its own due time
			again, err := b.resourcesAgain(r.token.contract, []string{r.token.id},
				raisedWant{seq: r.step.SourceSeq, due: r.report.FinishedAt, priority: priorityClock})
			if err != nil {
				return err
			}
			if err := b.raise(again); err != nil {
				return err
			}
		}
		interval, dynamic := intervals[r.token]
		switch {
		case r.read.Lack != nil && (!dynamic || r.retryBefore(interval)): // the rest may come
			if r.priority == priorityClock {
				r.priority = priorityAgain // these attempts are for the rest, and leave documents alone
			}
			end(r.answer, &failure{r.openWant, r.step.SourceSeq, r.report.FinishedAt, r.read.Lack})
			continue
		case !dynamic:
			end(r.answer, nil)
			continue
		}
		if err := b.putOff(r.openWant, r.step.SourceSeq, r.report.FinishedAt.Add(interval), r.report.Tip.Height); err != nil {
			return err
		}
	}
	return nil
}

// retriesMax is the number of failures in a row after which what a dynamic token lacks is left to its next fetch by the clock.
// Until then the token's documents wait for that fetch.
const retriesMax = 6

// retryBefore reports whether another attempt is to bring what a dynamic token lacks before it is due again by the clock.
func (r *readRecord) retryBefore(interval time.Duration) bool {
	if !r.read.LacksForNow() || r.Attempts.Attempts+r.Waits >= retriesMax {
		return false
	}
	attempts := r.Attempts
	return attempts.Fail(r.report.FinishedAt, r.read.Lack).Before(r.report.FinishedAt.Add(interval))
}

// knownBefore returns the tokens of reads that lack something for now, and would replace a known property by none. Such a read
// replaces nothing, because all that is known of a token but its supply is of the one report that its row names.
func (b *batch) knownBefore(all []readRecord) (map[tokenKey]bool, error) {
	var keys []tokenKey
	var lacks [4][]bool
	for _, r := range all {
		if r.problem != nil || !r.read.LacksForNow() {
			continue
		}
		keys = append(keys, r.token)
		for i, missing := range [...]bool{r.uri == nil, r.read.Name == nil, r.read.Symbol == nil, r.read.Decimals == nil} {
			lacks[i] = append(lacks[i], missing)
		}
	}
	known := map[tokenKey]bool{}
	if len(keys) == 0 {
		return known, nil
	}
	contracts, ids := columnsOf(keys)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT t.contract_id, t.token_id::text
		FROM unnest($1::text[], $2::numeric[], $3::boolean[], $4::boolean[], $5::boolean[], $6::boolean[]) AS r (contract, id, uri, name, symbol, decimals)
		JOIN {schema}.token t ON t.contract_id = r.contract AND t.token_id = r.id
		WHERE r.uri AND t.uri IS NOT NULL OR r.name AND t.name IS NOT NULL OR r.symbol AND t.symbol IS NOT NULL OR r.decimals AND t.decimals IS NOT NULL`),
		contracts, ids, lacks[0], lacks[1], lacks[2], lacks[3])
	if err != nil {
		return nil, fmt.Errorf("look for what is known of %d tokens: %w", len(keys), err)
	}
	found, err := pgx.CollectRows(rows, scanTokenKey)
	if err != nil {
		return nil, fmt.Errorf("look for what is known of %d tokens: %w", len(keys), err)
	}
	for _, key := range found {
		known[key] = true
	}
	return known, nil
}

// lacking returns the reads in which a property is missing, with the reason as their problem.
func lacking(good []readRecord) (lacking []readRecord) {
	for _, r := range good {
		if r.read.Lack != nil {
			r.problem = r.read.Lack
			lacking = append(lacking, r)
		}
	}
	return lacking
}

func (b *batch) writeBadReads(all []readRecord) error {
	if len(all) == 0 {
		return nil
	}
	var keys []tokenKey
	var seqs []int64
	var reasons []int16
	for _, r := range all {
		keys, seqs, reasons = append(keys, r.token), append(seqs, r.step.SourceSeq), append(reasons, int16(r.problem.Reason))
	}
	contracts, ids := columnsOf(keys)
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.token t SET failed_seq = r.seq, reason = r.reason
		FROM unnest($1::text[], $2::numeric[], $3::bigint[], $4::smallint[]) AS r (contract, id, seq, reason)
		WHERE t.contract_id = r.contract AND t.token_id = r.id`), contracts, ids, seqs, reasons); err != nil {
		return fmt.Errorf("note that %d tokens can't be read: %w", len(all), err)
	}
	return nil
}

func (b *batch) writeGoodReads(all []readRecord) error {
	if len(all) == 0 {
		return nil
	}
	var (
		n                     = len(all)
		keys                  = make([]tokenKey, n)
		uris, names, symbols  = make([]*string, n), make([]*string, n), make([]*string, n)
		nameKeys, symbolKeys  = make([]*string, n), make([]*string, n)
		decimals              = make([]*int32, n)
		supplies              = make([]*string, n)
		heights, seqs, places = make([]int64, n), make([]int64, n), map[tokenKey]int{}
		times                 = make([]time.Time, n)
		counts                = make([]int16, n)
	)
	for i, r := range all {
		keys[i], places[r.token] = r.token, i
		if !r.read.LacksForNow() { // a notification counts once, however often the rest is tried
			counts[i] = r.counts()
		}
		uris[i], names[i], symbols[i], decimals[i], supplies[i] = r.uri, r.read.Name, r.read.Symbol, r.read.Decimals, decimal(r.read.TotalSupply)
		heights[i], seqs[i], times[i] = r.report.Tip.Height, r.step.SourceSeq, r.report.FinishedAt
		if b.kind == token.FT {
			name, symbol := listKey(r.read.Name), listKey(r.read.Symbol)
			nameKeys[i], symbolKeys[i] = &name, &symbol
		}
	}
	contracts, ids := columnsOf(keys)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		UPDATE {schema}.token t
		SET uri = r.uri, name = r.name, symbol = r.symbol, decimals = r.decimals, total_supply = coalesce(r.supply::numeric, t.total_supply),
		    supply_seq = CASE WHEN r.supply IS NULL AND t.total_supply IS NOT NULL THEN coalesce(t.supply_seq, t.read_seq) END, name_key = r.name_key, symbol_key = r.symbol_key,
		    read_height = r.height, read_seq = r.seq, read_at = r.at, checked_seq = NULL, reason = 0, failed_seq = NULL,
		    in_vain = CASE WHEN t.read_seq IS NOT NULL AND (t.uri, t.name, t.symbol, t.decimals) IS NOT DISTINCT FROM (r.uri, r.name, r.symbol, r.decimals)
		                   THEN least(t.in_vain + r.counts, 100) ELSE 0 END
		FROM unnest($1::text[], $2::numeric[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[],
		            $10::bigint[], $11::bigint[], $12::timestamptz[], $13::smallint[])
		     AS r (contract, id, uri, name, symbol, decimals, supply, name_key, symbol_key, height, seq, at, counts)
		JOIN {schema}.token old ON old.contract_id = r.contract AND old.token_id = r.id
		WHERE t.contract_id = r.contract AND t.token_id = r.id
		RETURNING t.contract_id, t.token_id::text, coalesce(old.name_key, ''), coalesce(old.symbol_key, '')`),
		contracts, ids, uris, names, symbols, decimals, supplies, nameKeys, symbolKeys, heights, seqs, times, counts)
	if err != nil {
		return fmt.Errorf("write what was read of %d tokens: %w", n, err)
	}
	before := make([][2]string, n)
	var key tokenKey
	var old [2]string
	for rows.Next() {
		if err := rows.Scan(&key.contract, &key.id, &old[0], &old[1]); err != nil {
			rows.Close()
			return fmt.Errorf("write what was read of %d tokens: %w", n, err)
		}
		before[places[key]] = old
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("write what was read of %d tokens: %w", n, err)
	}
	if b.kind != token.FT {
		return nil
	}
	moved := make([]listing, n)
	for i, key := range keys {
		moved[i] = listing{key.contract, before[i], [2]string{*nameKeys[i], *symbolKeys[i]}}
	}
	return b.relist(moved)
}

// writeDocuments writes reports of documents, and returns the tokens whose references may have changed.
func (b *batch) writeDocuments(all []resourceRecord, end func(answer, *failure)) ([]subject, error) {
	var hashes [][]byte
	var seqs []int64
	var times []time.Time
	var contents []string
	var counts []int16
	var bad badResources
	var subjects []subject
	all, stale, err := b.writeUnchanged("document", all, end)
	if err != nil {
		return nil, err
	}
	bad.addAll(stale, end)
	for _, d := range all {
		var tokens []tokenKey
		for _, r := range d.referrals {
			if b.touchToken(r.tokenKey); len(tokens) == 0 || tokens[len(tokens)-1] != r.tokenKey {
				tokens = append(tokens, r.tokenKey)
			}
		}
		body, problem := d.report.ResourceBody()
		var content []byte
		if problem == nil {
			content, problem = parse(body, isOwn(d.referrals))
		}
		if problem != nil {
			bad.add(d, int16(problem.Reason))
			end(d.answer, &failure{d.openWant, d.step.SourceSeq, d.report.FinishedAt, problem})
			continue
		}
		end(d.answer, nil)
		hashes, seqs = append(hashes, d.hash[:]), append(seqs, d.step.SourceSeq)
		times, contents, counts = append(times, d.report.FinishedAt), append(contents, string(content)), append(counts, d.counts())
		subjects = append(subjects, subject{tokens, d.step.Number, d.step.SourceSeq, d.report.FinishedAt})
	}
	if err := b.writeBad("document", bad); err != nil {
		return nil, err
	}
	if len(hashes) == 0 {
		return nil, nil
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.document d SET source_seq = r.seq, checked_seq = NULL, fetched_at = r.at, content = r.content, failed_seq = NULL, reason = 0,
		       in_vain = CASE WHEN d.content = r.content THEN least(d.in_vain + r.counts, 100) ELSE 0 END
		FROM unnest($1::bytea[], $2::bigint[], $3::timestamptz[], $4::text[], $5::smallint[]) AS r (hash, seq, at, content, counts)
		WHERE d.uri_hash = r.hash`), hashes, seqs, times, contents, counts); err != nil {
		return nil, fmt.Errorf("write %d documents: %w", len(hashes), err)
	}
	return subjects, nil
}

// writeImages writes reports of images.
func (b *batch) writeImages(all []resourceRecord, end func(answer, *failure)) error {
	var hashes, digests [][]byte
	var seqs []int64
	var times []time.Time
	var types []string
	var widths, heights []int32
	var counts []int16
	var bad badResources
	all, stale, err := b.writeUnchanged("image", all, end)
	if err != nil {
		return err
	}
	bad.addAll(stale, end)
	for _, i := range all {
		for _, r := range i.referrals {
			b.touchToken(r.tokenKey)
		}
		digest, problem := imageDigest(i.report)
		if problem != nil {
			bad.add(i, int16(problem.Reason))
			end(i.answer, &failure{i.openWant, i.step.SourceSeq, i.report.FinishedAt, problem})
			continue
		}
		end(i.answer, nil)
		facts := i.report.Image
		hashes, digests, seqs = append(hashes, i.hash[:]), append(digests, digest), append(seqs, i.step.SourceSeq)
		times, types = append(times, i.report.FinishedAt), append(types, projections.Text(facts.ContentType))
		widths, heights = append(widths, int32(facts.Width)), append(heights, int32(facts.Height))
		counts = append(counts, i.counts())
	}
	if err := b.writeBad("image", bad); err != nil || len(hashes) == 0 {
		return err
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.image i
		SET source_seq = r.seq, checked_seq = NULL, fetched_at = r.at, sha256 = r.digest, content_type = r.type, width = nullif(r.width, 0), height = nullif(r.height, 0),
		    failed_seq = NULL, reason = 0, in_vain = CASE WHEN i.sha256 = r.digest THEN least(i.in_vain + r.counts, 100) ELSE 0 END
		FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::timestamptz[], $5::text[], $6::int[], $7::int[], $8::smallint[])
		     AS r (hash, digest, seq, at, type, width, height, counts)
		WHERE i.uri_hash = r.hash`), hashes, digests, seqs, times, types, widths, heights, counts); err != nil {
		return fmt.Errorf("write %d images: %w", len(hashes), err)
	}
	return nil
}

// badResources holds documents or images that could not be fetched or parsed.
type badResources struct {
	hashes  [][]byte
	seqs    []int64
	reasons []int16
}

func (b *badResources) add(r resourceRecord, reason int16) {
	b.hashes, b.seqs, b.reasons = append(b.hashes, r.hash[:]), append(b.seqs, r.step.SourceSeq), append(b.reasons, reason)
}

// addAll adds the stale ones, and ends their answers.
func (b *badResources) addAll(stale []resourceRecord, end func(answer, *failure)) {
	for _, r := range stale {
		b.add(r, int16(problemStale.Reason))
		end(r.answer, &failure{r.openWant, r.step.SourceSeq, r.report.FinishedAt, &problemStale})
	}
}

func (b *batch) writeBad(table string, bad badResources) error {
	if len(bad.hashes) == 0 {
		return nil
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.`+table+` x SET failed_seq = r.seq, reason = r.reason
		FROM unnest($1::bytea[], $2::bigint[], $3::smallint[]) AS r (hash, seq, reason) WHERE x.uri_hash = r.hash`),
		bad.hashes, bad.seqs, bad.reasons); err != nil {
		return fmt.Errorf("note the failure of %d rows of %s: %w", len(bad.hashes), table, err)
	}
	return nil
}
