package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/history"
	"strata/eventstore/network"
	"strata/internal/wholeness"
	"strata/projections"
)

// repair is strata history repair.
type repair struct {
	Database database.Flags       `embed:"" group:"Database:"`
	Writer   database.WriterFlags `embed:"" group:"Database:"`
	trust

	URLs []string `arg:"" name:"url" help:"Histories to look in, one after the other: folders, or addresses of them at HTTP servers."`
}

// Run looks for what is missing, and appends what it finds.
func (c *repair) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	if err := errors.Join(c.Writer.Check(ctx, db), history.CheckWhole(ctx, db.Log)); err != nil {
		return err
	}
	holes, err := findHoles(ctx, db.Log)
	if err != nil {
		return err
	}
	if len(holes) == 0 {
		fmt.Println("No blocks are missing.")
		return nil
	}
	download, err := os.MkdirTemp("", "strata-history-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(download) }()
	for _, h := range holes {
		for _, url := range c.URLs {
			opened, err := c.open(ctx, url)
			if err != nil {
				return err
			}
			r, err := newRepairer(ctx, db.Log, opened, h, download)
			if err == nil {
				err = r.run(ctx)
			}
			if err != nil {
				return fmt.Errorf("look for blocks %d to %d in the history at %s: %w", h.first, h.last, opened.Source, err)
			}
			fmt.Printf("Missing blocks %d to %d: appended %d events from %s.\n", h.first, h.last, r.events, opened.Source)
			if h.whole() {
				break
			}
		}
		if !h.whole() {
			err = errors.Join(err, fmt.Errorf("missing blocks %d to %d: no history has those at %d of the heights", h.first, h.last, h.last-h.first+1-int64(len(h.found))))
		}
	}
	return err
}

// hole is heights at which blocks are missing, and the Bitcoin heights around them.
type hole struct {
	first, last         int64
	burnFirst, burnLast int64
	found               map[uint64]bool // heights
}

func (h *hole) whole() bool { return int64(len(h.found)) > h.last-h.first }

// findHoles returns where blocks are missing.
func findHoles(ctx context.Context, log *eventstore.Log) (holes []*hole, err error) {
	facts, err := wholeness.Read(ctx, log.Pool())
	if err != nil {
		return nil, err
	}
	tables, err := chainTables(ctx, log)
	if err != nil || tables.Version == 0 {
		return nil, err
	}
	if facts.HistoryFrom != nil && *facts.HistoryFrom > 0 {
		holes = append(holes, &hole{first: 0, last: *facts.HistoryFrom - 1, found: map[uint64]bool{}})
	}
	if facts.Gaps > 0 {
		holes = append(holes, &hole{first: facts.MissingFrom, last: facts.MissingTo, found: map[uint64]bool{}})
	}
	for _, h := range holes {
		err := log.Pool().QueryRow(ctx, `
			SELECT coalesce((SELECT max(burn_block_height) FROM `+tables.Table("block")+` WHERE height = $1 - 1), 0),
			       coalesce((SELECT min(burn_block_height) FROM `+tables.Table("block")+` WHERE height = $2 + 1), $3)`,
			h.first, h.last, int64(math.MaxInt64)).Scan(&h.burnFirst, &h.burnLast)
		if err != nil {
			return nil, fmt.Errorf("read the blocks around heights %d to %d: %w", h.first, h.last, err)
		}
	}
	return holes, nil
}

// repairer appends what a history has of a hole.
type repairer struct {
	*hole
	log      *eventstore.Log
	from     *history.Opened
	chain    projections.Schema
	guard    *network.Guard
	download string
	taken    map[[sha256.Size]byte]bool // bodies
	batch    []eventstore.Incoming
	ids      []hash.Hash32 // of the blocks in the batch, Bitcoin blocks, too; zero for other events
	held     int64

	events int64 // that were appended
}

func newRepairer(ctx context.Context, log *eventstore.Log, from *history.Opened, h *hole, download string) (r *repairer, err error) {
	r = &repairer{hole: h, log: log, from: from, download: download, taken: map[[sha256.Size]byte]bool{}}
	if r.chain, err = chainTables(ctx, log); err != nil {
		return nil, err
	}
	r.guard, err = network.NewGuard(ctx, log)
	return r, err
}

// run takes events as they were received, if the history has its log; else those of the canonical chain.
func (r *repairer) run(ctx context.Context) error {
	options := history.VerifyOptions{Download: r.download}
	err := r.from.EachEvent(ctx, r.from.Log.Between(r.first, r.last), options, func(_ history.File, e *eventstore.Event, body *eventstore.Body) error {
		return r.take(ctx, e.Path, e.ContentType, body)
	})
	if err == nil && len(r.from.Log.Files) == 0 {
		err = r.from.EachLine(ctx, r.from.Chain.Between(r.first, r.last), options, func(_ history.File, rec archive.Record) error {
			return r.take(ctx, rec.Path, "application/json", eventstore.NewBody(slices.Clone(rec.Payload)))
		})
	}
	if err != nil {
		return err
	}
	return r.flush(ctx)
}

// take takes an event that is about the hole.
func (r *repairer) take(ctx context.Context, path, contentType string, body *eventstore.Body) error {
	data, _ := body.Bytes()
	path = strings.TrimRight(path, "/")
	if !slices.Contains([]string{nodeevent.PathBlock, nodeevent.PathBurnBlock, nodeevent.PathAttachments}, path) || r.taken[body.SHA256()] {
		return nil
	}
	payload, err := nodeevent.Decode(path, data)
	if err != nil {
		return nil //nolint:nilerr // it is in quarantine there
	}
	var id hash.Hash32
	wanted := false
	switch p := payload.(type) {
	case *nodeevent.Block:
		if wanted, id = r.has(p.Height), p.IndexBlockHash; wanted {
			r.found[p.Height] = true
		}
	case *nodeevent.BurnBlock:
		wanted, id = p.Height >= uint64(r.burnFirst) && p.Height <= uint64(r.burnLast), p.Hash
	case *nodeevent.Attachments:
		wanted = slices.ContainsFunc(p.List, func(a nodeevent.Attachment) bool { return r.has(a.BlockHeight) })
	}
	if !wanted {
		return nil
	}
	r.taken[body.SHA256()] = true
	r.batch = append(r.batch, eventstore.Incoming{
		ReceivedAt: time.Now(), Source: "history:" + r.from.Publisher(), Path: path, ContentType: contentType, Body: body,
	})
	r.ids = append(r.ids, id)
	if r.held += body.Size(); r.held < pageBytes {
		return nil
	}
	return r.flush(ctx)
}

func (r *repairer) has(height uint64) bool {
	return height >= uint64(r.first) && height <= uint64(r.last)
}

// flush appends the batch without the blocks that the log has.
func (r *repairer) flush(ctx context.Context) error {
	rows, err := r.log.Pool().Query(ctx, `
		SELECT index_block_hash FROM `+r.chain.Table("block")+` WHERE index_block_hash = ANY ($1)
		UNION SELECT burn_block_hash FROM `+r.chain.Table("burn_block")+` WHERE burn_block_hash = ANY ($1)`, hashBytes(r.ids))
	if err != nil {
		return err
	}
	known, err := pgx.CollectRows(rows, pgx.RowTo[hash.Hash32])
	if err != nil {
		return fmt.Errorf("look up which blocks the log has: %w", err)
	}
	var batch []eventstore.Incoming
	for i, in := range r.batch {
		if !slices.Contains(known, r.ids[i]) {
			batch = append(batch, in)
		}
	}
	r.batch, r.ids, r.held = nil, nil, 0
	if len(batch) == 0 {
		return nil
	}
	if err := r.guard.Admit(ctx, batch); err != nil {
		return err
	}
	if _, err := r.log.AppendBatch(ctx, batch, nil); err != nil {
		return err
	}
	r.events += int64(len(batch))
	return nil
}

func hashBytes(ids []hash.Hash32) [][]byte {
	all := make([][]byte, len(ids))
	for i := range ids {
		all[i] = ids[i][:]
	}
	return all
}
