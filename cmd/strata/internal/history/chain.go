package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/canonical"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/history"
	"strata/projections"
	"strata/projections/version"
)

// heightsPerFile is the number of Stacks heights in a file of the canonical chain. Publishers agree on it, so that they can be compared.
const heightsPerFile = 10_000

// chainPublisher writes the canonical chain of a log, as the active version of the projection chain has it.
type chainPublisher struct {
	log           *eventstore.Log
	confirmations int64
	perFile       int64 // heights
	logger        *slog.Logger
}

// publish is history.Publisher.Chain.
func (c *chainPublisher) publish(ctx context.Context, dir *history.Dir, before history.Layer) (history.Layer, error) {
	tables, err := chainTables(ctx, c.log)
	if err != nil {
		return before, err
	}
	if tables.Version == 0 {
		return history.Layer{Last: -1}, nil
	}
	w := chainWriter{chainPublisher: c, in: tables, layer: history.Layer{Files: slices.Clone(before.Files)}}
	first, final, err := w.bounds(ctx)
	if err != nil || final < first {
		return history.Layer{First: first, Last: first - 1}, err
	}
	w.layer.First, w.layer.Last = first, final
	if err := w.cut(ctx, final); err != nil {
		return before, err
	}
	next := first
	if n := len(w.layer.Files); n > 0 {
		next = w.layer.Files[n-1].Last + 1
	}
	for next <= final {
		last := min(next-next%w.perFile+w.perFile-1, final)
		f, err := w.write(ctx, dir, next, last)
		if err != nil {
			return before, fmt.Errorf("publish the chain from height %d to %d: %w", next, last, err)
		}
		w.layer.Files = append(w.layer.Files, f)
		c.logger.LogAttrs(ctx, slog.LevelInfo, "published blocks", slog.Int64("first", next), slog.Int64("last", last), slog.Int64("of", final))
		next = last + 1
	}
	return w.layer, nil
}

// compare compares the canonical chain of a history with that of the log, as far as that goes, and returns the last height that is the same.
// It returns a *history.DifferenceError that names the first line that is not.
func (c *chainPublisher) compare(ctx context.Context, with *history.Opened, dir string) (last int64, err error) {
	last = with.Chain.First - 1
	tables, err := chainTables(ctx, c.log)
	if err != nil || tables.Version == 0 {
		return last, err
	}
	w := chainWriter{chainPublisher: c, in: tables}
	first, final, err := w.bounds(ctx)
	if err != nil {
		return last, err
	}
	if first != with.Chain.First {
		return last, fmt.Errorf("the chain of the database begins at height %d, and that of %s at %d", first, with.Source, with.Chain.First)
	}
	for _, f := range with.Chain.Files {
		if f.First > final {
			break
		}
		own, err := w.write(ctx, history.NewDir(dir), f.First, min(f.Last, final))
		if err == nil {
			err = history.CompareFiles(ctx, with, f, history.NewDir(dir), own, history.VerifyOptions{Download: dir})
		}
		if err == nil {
			err = os.Remove(filepath.Join(dir, filepath.FromSlash(own.Path)))
		}
		if err != nil {
			return last, err
		}
		w.layer.Files, last = append(w.layer.Files, f), own.Last
	}
	return last, nil
}

// heights is history.Publisher.Heights.
func (c *chainPublisher) heights(ctx context.Context, first, last int64) ([]int64, error) {
	tables, err := chainTables(ctx, c.log)
	if err != nil || tables.Version == 0 {
		return nil, err
	}
	var lowest, highest *int64
	err = c.log.Pool().QueryRow(ctx, `SELECT min(height), max(height) FROM `+tables.Table("block")+` WHERE source_seq BETWEEN $1 AND $2`, first, last).Scan(&lowest, &highest)
	if err != nil || lowest == nil || highest == nil {
		return nil, err
	}
	return []int64{*lowest, *highest}, nil
}

// chainTables returns the active version of the projection chain; version 0 for none.
func chainTables(ctx context.Context, log *eventstore.Log) (projections.Schema, error) {
	return version.ActiveOf(ctx, log.Pool(), "chain")
}

// chainWriter writes the files of a layer.
type chainWriter struct {
	*chainPublisher
	in    projections.Schema
	layer history.Layer
}

func (w *chainWriter) sql(query string) string {
	return strings.ReplaceAll(query, "{chain}", w.in.Quoted())
}

// bounds returns the lowest canonical block, and the highest that enough Bitcoin blocks follow; a lower one if there is none.
func (w *chainWriter) bounds(ctx context.Context) (first, final int64, err error) {
	err = w.log.Pool().QueryRow(ctx, w.sql(`
		WITH placed AS (SELECT c.height, b.burn_block_height FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq)
		SELECT coalesce((SELECT min(height) FROM {chain}.canonical), 0), coalesce((
			SELECT height FROM placed
			WHERE burn_block_height <= (SELECT burn_block_height FROM placed ORDER BY height DESC LIMIT 1) - $1
			ORDER BY height DESC LIMIT 1), -1)`), w.confirmations).Scan(&first, &final)
	if err != nil {
		err = fmt.Errorf("find the newest block that is final: %w", err)
	}
	return first, final, err
}

// cut drops files that are not of the canonical chain any more, because it was reorganised deeper than is usual; and the last one if it
// is not full, and there is more.
func (w *chainWriter) cut(ctx context.Context, final int64) error {
	for len(w.layer.Files) > 0 {
		last := w.layer.Files[len(w.layer.Files)-1]
		var id hash.Hash32
		err := w.log.Pool().QueryRow(ctx, w.sql(`
			SELECT b.index_block_hash FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq WHERE c.height = $1`), last.Last).Scan(&id)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("read the block at height %d: %w", last.Last, err)
		}
		full := last.Last%w.perFile == w.perFile-1
		if id.String() == last.State && last.Last <= final && (full || last.Last == final) {
			return nil
		}
		if id.String() != last.State {
			w.logger.LogAttrs(ctx, slog.LevelWarn, "the chain was reorganised below the published height; writing its files again", slog.Int64("height", last.First))
		}
		w.layer.Files = w.layer.Files[:len(w.layer.Files)-1]
	}
	return nil
}

// chainFile is a file that is being written.
type chainFile struct {
	*chainWriter
	out         *archive.Writer
	id          int64 // of the last record
	block       *nodeevent.Block
	burn        *nodeevent.BurnBlock
	attachments map[hash.Hash32][]attachmentAt
	form        []byte
}

// attachmentAt says where an attachment is: in an event of the log, and there in the list.
type attachmentAt struct {
	seq   int64
	index int
}

// write writes the canonical bodies of the blocks at some heights, each after the Bitcoin blocks up to its own, and before its
// attachments.
func (w *chainWriter) write(ctx context.Context, dir *history.Dir, first, last int64) (_ history.File, err error) {
	out, err := dir.CreateFile("chain", first)
	if err != nil {
		return history.File{}, err
	}
	f := &chainFile{chainWriter: w, out: archive.NewWriter(out, archive.Raw)}
	for _, earlier := range w.layer.Files {
		f.id += earlier.Records
	}
	begun := f.id
	err = f.begin(ctx, first)
	for next := first; err == nil && next <= last; {
		next, err = f.page(ctx, next, last)
	}
	if err == nil {
		err = f.out.Flush()
	}
	if err != nil {
		out.Discard()
		return history.File{}, err
	}
	out.Records = f.id - begun
	return out.Finish(last, f.block.IndexBlockHash.String(), "tsv")
}

// begin reads what comes before the first height, and where the attachments from there on are.
func (f *chainFile) begin(ctx context.Context, first int64) error {
	var below, burn *int64
	var from int64
	err := f.log.Pool().QueryRow(ctx, f.sql(`
		SELECT below.block_seq, (
			SELECT source_seq FROM {chain}.burn_block u WHERE u.canonical AND u.height <= b.burn_block_height ORDER BY u.height DESC LIMIT 1
		), coalesce((SELECT h.first_seq FROM {chain}.canonical c JOIN {chain}.block h ON h.source_seq = c.block_seq WHERE c.height = $1), 0)
		FROM (SELECT) one LEFT JOIN {chain}.canonical below ON below.height = $1 - 1 LEFT JOIN {chain}.block b ON b.source_seq = below.block_seq`),
		first).Scan(&below, &burn, &from)
	if err != nil {
		return fmt.Errorf("read the block below height %d: %w", first, err)
	}
	if below != nil {
		if f.block, err = decoded[*nodeevent.Block](ctx, f.log, *below); err != nil {
			return err
		}
	}
	if burn != nil {
		if f.burn, err = decoded[*nodeevent.BurnBlock](ctx, f.log, *burn); err != nil {
			return err
		}
	}
	return f.findAttachments(ctx, from)
}

func decoded[T nodeevent.Payload](ctx context.Context, log *eventstore.Log, seq int64) (payload T, err error) {
	e, err := log.Get(ctx, seq, true)
	if err != nil {
		return payload, err
	}
	return decode[T](&e)
}

func decode[T nodeevent.Payload](e *eventstore.Event) (payload T, err error) {
	all, err := nodeevent.Decode(e.Path, e.Body)
	if err != nil {
		return payload, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	payload, ok := all.(T)
	if !ok {
		return payload, fmt.Errorf("event %d is a %T, not a %T", e.Seq, all, payload)
	}
	return payload, nil
}

// findAttachments notes where the attachments of blocks are that were announced after a position.
func (f *chainFile) findAttachments(ctx context.Context, after int64) error {
	f.attachments = map[hash.Hash32][]attachmentAt{}
	rows, err := f.log.Pool().Query(ctx, `SELECT seq FROM log.event WHERE seq > $1 AND rtrim(path, '/') = $2 ORDER BY seq`, after, nodeevent.PathAttachments)
	if err != nil {
		return fmt.Errorf("look for attachments: %w", err)
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("look for attachments: %w", err)
	}
	for some := range slices.Chunk(seqs, 100) {
		events, err := f.log.GetMany(ctx, some)
		if err != nil {
			return err
		}
		for i := range events {
			list, err := decode[*nodeevent.Attachments](&events[i])
			if err != nil {
				continue // it is in quarantine
			}
			for _, a := range list.List {
				f.attachments[a.IndexBlockHash] = append(f.attachments[a.IndexBlockHash], attachmentAt{events[i].Seq, a.Index})
			}
		}
	}
	return nil
}

// Bounds of a page: blocks that are in memory at once.
const (
	pageBlocks = 500
	pageBytes  = 8 << 20
)

// page writes blocks from a height on, and returns the next height.
func (f *chainFile) page(ctx context.Context, next, last int64) (int64, error) {
	var seqs []int64
	var total int64
	var height, seq, size, burn, burnHeight int64
	rows, err := f.log.Pool().Query(ctx, f.sql(`
		SELECT c.height, c.block_seq, e.size, b.burn_block_height
		FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq JOIN log.event e ON e.seq = c.block_seq
		WHERE c.height BETWEEN $1 AND $2 ORDER BY c.height LIMIT $3`), next, last, pageBlocks)
	if err != nil {
		return next, err
	}
	full := false
	_, err = pgx.ForEachRow(rows, []any{&height, &seq, &size, &burn}, func() error {
		switch total += size; {
		case full || height != next+int64(len(seqs)):
		case len(seqs) > 0 && total > pageBytes:
			full = true
		default:
			seqs, burnHeight = append(seqs, seq), burn
		}
		return nil
	})
	if err == nil && len(seqs) == 0 {
		err = fmt.Errorf("there is no block at height %d any more: the chain was reorganised meanwhile, publish again", next)
	}
	if err != nil {
		return next, err
	}
	blocks, err := f.blocks(ctx, seqs)
	if err != nil {
		return next, err
	}
	bitcoin, err := f.bitcoin(ctx, burnHeight)
	if err != nil {
		return next, err
	}
	for _, b := range blocks {
		for len(bitcoin) > 0 && bitcoin[0].Height <= b.BurnBlockHeight {
			if err := f.record(nodeevent.PathBurnBlock, b, canonical.AppendBurnBlock(f.form[:0], bitcoin[0], f.burn)); err != nil {
				return next, err
			}
			f.burn, bitcoin = bitcoin[0], bitcoin[1:]
		}
		if below := f.block; below != nil && b.ParentIndexBlockHash != below.IndexBlockHash {
			return next, fmt.Errorf("the block at height %d is not the child of that below: the chain was reorganised meanwhile, publish again", b.Height)
		}
		if err := f.record(nodeevent.PathBlock, b, canonical.AppendBlock(f.form[:0], b, f.block)); err != nil {
			return next, err
		}
		f.block = b
		if err := f.attach(ctx, b); err != nil {
			return next, err
		}
	}
	return next + int64(len(blocks)), nil
}

// blocks reads the blocks at positions, in their order.
func (f *chainFile) blocks(ctx context.Context, seqs []int64) ([]*nodeevent.Block, error) {
	events, err := f.log.GetMany(ctx, seqs)
	if err != nil {
		return nil, err
	}
	bySeq := map[int64]*nodeevent.Block{}
	for i := range events {
		if bySeq[events[i].Seq], err = decode[*nodeevent.Block](&events[i]); err != nil {
			return nil, err
		}
	}
	var all []*nodeevent.Block
	for _, seq := range seqs {
		if bySeq[seq] == nil {
			return nil, fmt.Errorf("event %d: %w", seq, eventstore.ErrNotFound)
		}
		all = append(all, bySeq[seq])
	}
	return all, nil
}

// bitcoin reads the Bitcoin blocks that are followed, above the last one that was written, up to a height.
func (f *chainFile) bitcoin(ctx context.Context, height int64) (all []*nodeevent.BurnBlock, err error) {
	above := int64(-1)
	if f.burn != nil {
		above = int64(f.burn.Height)
	}
	rows, err := f.log.Pool().Query(ctx, f.sql(`SELECT source_seq FROM {chain}.burn_block WHERE canonical AND height > $1 AND height <= $2 ORDER BY height`), above, height)
	if err != nil {
		return nil, err
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("read the Bitcoin blocks above %d: %w", above, err)
	}
	for some := range slices.Chunk(seqs, 500) {
		events, err := f.log.GetMany(ctx, some)
		if err != nil {
			return nil, err
		}
		for i := range events {
			b, err := decode[*nodeevent.BurnBlock](&events[i])
			if err != nil {
				return nil, err
			}
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b *nodeevent.BurnBlock) int { return cmp.Compare(a.Height, b.Height) })
	return all, nil
}

// attach writes the attachments of a block, each once.
func (f *chainFile) attach(ctx context.Context, b *nodeevent.Block) error {
	type key struct {
		contract, tx string
		index        uint32
		content      hash.Hash20
	}
	found := map[key]*nodeevent.Attachment{}
	for _, at := range f.attachments[b.IndexBlockHash] {
		list, err := decoded[*nodeevent.Attachments](ctx, f.log, at.seq)
		if err != nil {
			return err
		}
		for i := range list.List {
			a := &list.List[i]
			if k := (key{a.ContractID, a.TxID.String(), a.AttachmentIndex, a.ContentHash}); a.Index == at.index && (found[k] == nil || a.Content != nil) {
				a.BlockHeight = b.Height // some nodes do not send it
				found[k] = a
			}
		}
	}
	keys := make([]key, 0, len(found))
	for k := range found {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y key) int {
		return cmp.Or(cmp.Compare(x.index, y.index), cmp.Compare(x.contract, y.contract), cmp.Compare(x.tx, y.tx), slices.Compare(x.content[:], y.content[:]))
	})
	for _, k := range keys {
		if err := f.record(nodeevent.PathAttachments, b, canonical.AppendAttachment(f.form[:0], found[k])); err != nil {
			return err
		}
	}
	return nil
}

// record writes a body with the time of a block: nothing in the file is of this log alone.
func (f *chainFile) record(path string, at *nodeevent.Block, body []byte) error {
	f.form = body
	f.id++
	seconds := at.BurnBlockTime
	switch {
	case at.Time != nil:
		seconds = *at.Time
	case at.IsGenesis():
		seconds = 0
	}
	return f.out.Write(archive.Record{ID: f.id, HasID: true, ReceivedAt: time.Unix(int64(seconds), 0), Path: path, Payload: body})
}
