package folding

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/history"
	"strata/eventstore/network"
	"strata/internal/wholeness"
	"strata/projections"
	"strata/projections/version"
)

// Hole is heights at which a log lacks blocks.
type Hole struct {
	First, Last int64

	burnFirst, burnLast int64           // the Bitcoin heights around them
	found               map[uint64]bool // heights
}

// Left returns the number of heights at which no block has been found yet.
func (h *Hole) Left() int64 { return h.Last - h.First + 1 - int64(len(h.found)) }

// FindHoles returns where blocks are missing, as far as the log is folded.
func FindHoles(ctx context.Context, log *eventstore.Log) (holes []*Hole, err error) {
	facts, err := wholeness.Read(ctx, log.Pool())
	if err != nil {
		return nil, err
	}
	tables, err := version.ActiveOf(ctx, log.Pool(), "chain")
	if err != nil || tables.Version == 0 {
		return nil, err
	}
	if facts.HistoryFrom != nil && *facts.HistoryFrom > 0 {
		holes = append(holes, &Hole{First: 0, Last: *facts.HistoryFrom - 1, found: map[uint64]bool{}})
	}
	if facts.Gaps > 0 {
		holes = append(holes, &Hole{First: facts.MissingFrom, Last: facts.MissingTo, found: map[uint64]bool{}})
	}
	for _, h := range holes {
		err := log.Pool().QueryRow(ctx, `
			SELECT coalesce((SELECT max(burn_block_height) FROM `+tables.Table("block")+` WHERE height = $1 - 1), 0),
			       coalesce((SELECT min(burn_block_height) FROM `+tables.Table("block")+` WHERE height = $2 + 1), $3)`,
			h.First, h.Last, int64(math.MaxInt64)).Scan(&h.burnFirst, &h.burnLast)
		if err != nil {
			return nil, fmt.Errorf("read the blocks around heights %d to %d: %w", h.First, h.Last, err)
		}
	}
	return holes, nil
}

// Mender appends the blocks that a log lacks as soon as a history has them.
type Mender struct {
	Log      *eventstore.Log
	Open     func(context.Context) (*history.Opened, error)
	Download string // folder for files, which is removed again
	Logger   *slog.Logger

	tried string // the history that was looked in, and what was missing
}

// Mend looks once, unless the history is as it was the last time, and the same is missing.
func (m *Mender) Mend(ctx context.Context) error {
	holes, err := FindHoles(ctx, m.Log)
	if err != nil || len(holes) == 0 {
		return err
	}
	opened, err := m.Open(ctx)
	if err != nil {
		return err
	}
	try := opened.Digest
	for _, h := range holes {
		try += fmt.Sprintf(" %d-%d", h.First, h.Last)
	}
	if try == m.tried {
		return nil
	}
	defer func() { _ = os.RemoveAll(m.Download) }()
	for _, h := range holes {
		events, err := h.Fill(ctx, m.Log, opened, m.Download)
		if err != nil {
			return err
		}
		m.Logger.LogAttrs(ctx, slog.LevelInfo, "looked for missing blocks in the history", slog.Int64("first", h.First), slog.Int64("last", h.Last),
			slog.Int64("appended_events", events), slog.Int64("heights_left", h.Left()))
	}
	m.tried = try
	return nil
}

// Fill appends what a history has of the hole, with the Bitcoin blocks around it and attachments, and returns the number of events.
// Files are downloaded into a folder.
func (h *Hole) Fill(ctx context.Context, log *eventstore.Log, from *history.Opened, download string) (events int64, err error) {
	f := &filler{Hole: h, log: log, from: from, download: download, taken: map[[sha256.Size]byte]bool{}, fresh: map[hash.Hash32]bool{}}
	if f.chain, err = version.ActiveOf(ctx, log.Pool(), "chain"); err == nil {
		f.guard, err = network.NewGuard(ctx, log)
	}
	if err == nil {
		err = f.run(ctx)
	}
	if err != nil {
		return f.events, fmt.Errorf("look for blocks %d to %d in the history at %s: %w", h.First, h.Last, from.Source, err)
	}
	return f.events, nil
}

// filler appends what a history has of a hole.
type filler struct {
	*Hole
	log      *eventstore.Log
	from     *history.Opened
	chain    projections.Schema
	guard    *network.Guard
	download string
	taken    map[[sha256.Size]byte]bool // bodies
	batch    []eventstore.Incoming
	of       [][]hash.Hash32 // the blocks, Bitcoin blocks, too, that the events in the batch are about
	held     int64
	fresh    map[hash.Hash32]bool // blocks that the log lacked

	events int64 // that were appended
}

// run takes events as they were received, if the history has its log; else those of the canonical chain.
func (f *filler) run(ctx context.Context) error {
	options := history.VerifyOptions{Download: f.download}
	err := f.from.EachEvent(ctx, f.from.Log.Between(f.First, f.Last), options, func(_ history.File, e *eventstore.Event, body *eventstore.Body) error {
		return f.take(ctx, e.Path, e.ContentType, body)
	})
	if err == nil && !f.from.HasLog() {
		err = f.from.EachLine(ctx, f.from.Chain.Between(f.First, f.Last), options, func(_ history.File, rec archive.Record) error {
			return f.take(ctx, rec.Path, "application/json", eventstore.NewBody(slices.Clone(rec.Payload)))
		})
	}
	if err != nil {
		return err
	}
	return f.flush(ctx)
}

// take takes an event that is about the hole.
func (f *filler) take(ctx context.Context, path, contentType string, body *eventstore.Body) error {
	data, _ := body.Bytes()
	path = strings.TrimRight(path, "/")
	if !slices.Contains([]string{nodeevent.PathBlock, nodeevent.PathBurnBlock, nodeevent.PathAttachments}, path) || f.taken[body.SHA256()] {
		return nil
	}
	payload, err := nodeevent.Decode(path, data)
	if err != nil {
		return nil //nolint:nilerr // it is in quarantine there
	}
	var of []hash.Hash32
	wanted := false
	switch p := payload.(type) {
	case *nodeevent.Block:
		if wanted, of = f.has(p.Height), []hash.Hash32{p.IndexBlockHash}; wanted {
			f.found[p.Height] = true
		}
	case *nodeevent.BurnBlock:
		wanted, of = p.Height >= uint64(f.burnFirst) && p.Height <= uint64(f.burnLast), []hash.Hash32{p.Hash}
	case *nodeevent.Attachments:
		for _, a := range p.List {
			wanted, of = wanted || f.has(a.BlockHeight), append(of, a.IndexBlockHash)
		}
	}
	if !wanted {
		return nil
	}
	f.taken[body.SHA256()] = true
	f.batch = append(f.batch, eventstore.Incoming{
		ReceivedAt: time.Now(), Source: "history:" + f.from.Publisher(), Path: path, ContentType: contentType, Body: body,
	})
	f.of = append(f.of, of)
	if f.held += body.Size(); f.held < fillBytes {
		return nil
	}
	return f.flush(ctx)
}

func (f *filler) has(height uint64) bool {
	return height >= uint64(f.First) && height <= uint64(f.Last)
}

// fillBytes is how much of what is found is held before it is appended.
const fillBytes = 8 << 20

// flush appends the batch without the blocks that the log has: those that are folded, and those that another process appends meanwhile.
func (f *filler) flush(ctx context.Context) error {
	if len(f.batch) == 0 {
		return nil
	}
	var folded int64
	err := f.log.Pool().QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = $1 AND version = $2`, f.chain.Name, f.chain.Version).Scan(&folded)
	if err != nil {
		return fmt.Errorf("read how much of the log is folded: %w", err)
	}
	rows, err := f.log.Pool().Query(ctx, `
		SELECT index_block_hash FROM `+f.chain.Table("block")+` WHERE index_block_hash = ANY ($1)
		UNION SELECT burn_block_hash FROM `+f.chain.Table("burn_block")+` WHERE burn_block_hash = ANY ($1)`, hashBytes(slices.Concat(f.of...)))
	if err != nil {
		return err
	}
	known, id := map[hash.Hash32]bool{}, hash.Hash32{}
	if _, err = pgx.ForEachRow(rows, []any{&id}, func() error { known[id] = true; return nil }); err != nil {
		return fmt.Errorf("look up which blocks the log has: %w", err)
	}
	var batch []eventstore.Incoming
	for i, in := range f.batch {
		lacking := slices.ContainsFunc(f.of[i], func(id hash.Hash32) bool { return f.fresh[id] || !known[id] })
		if !lacking {
			continue
		}
		batch = append(batch, in)
		for _, id := range f.of[i] {
			f.fresh[id] = true
		}
	}
	f.batch, f.of, f.held = nil, nil, 0
	if err := f.guard.Admit(ctx, batch); err != nil {
		return err
	}
	for len(batch) > 0 {
		var there [][]byte
		_, err := f.log.AppendBatch(ctx, batch, func(tx pgx.Tx, first int64) error {
			rows, err := tx.Query(ctx, `SELECT sha256 FROM log.event WHERE seq > $1 AND seq < $2 AND sha256 = ANY ($3)`, folded, first, digestsOf(batch))
			if err == nil {
				there, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
			}
			if err == nil && len(there) > 0 {
				err = errThere
			}
			return err
		})
		if err != nil && len(there) == 0 {
			return err
		}
		if err == nil {
			f.events += int64(len(batch))
			return nil
		}
		batch = slices.DeleteFunc(batch, func(in eventstore.Incoming) bool {
			digest := in.Body.SHA256()
			return slices.ContainsFunc(there, func(other []byte) bool { return bytes.Equal(other, digest[:]) })
		})
	}
	return nil
}

// errThere undoes an append of what has been appended since the log was folded.
var errThere = errors.New("the log has some of these events already")

func digestsOf(batch []eventstore.Incoming) (all [][]byte) {
	for _, in := range batch {
		digest := in.Body.SHA256()
		all = append(all, digest[:])
	}
	return all
}

func hashBytes(ids []hash.Hash32) [][]byte {
	all := make([][]byte, len(ids))
	for i := range ids {
		all[i] = ids[i][:]
	}
	return all
}
