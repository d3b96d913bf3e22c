package folding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/program"
	"strata/eventstore"
	"strata/eventstore/history"
	"strata/migrations"
	"strata/projections"
	"strata/projections/version"
)

// CopyTables writes the tables of all active versions into a history. It is history.Publisher.Tables.
func CopyTables(pool *pgxpool.Pool, logger *slog.Logger) func(context.Context, *history.Dir) ([]history.TableSet, error) {
	return func(ctx context.Context, dir *history.Dir) (sets []history.TableSet, err error) {
		var of *version.State // that of the last set
		err = version.CopyActive(ctx, pool, func(part version.Part, read func(io.Writer) error) error {
			if part.State != of {
				state, err := json.Marshal(part.State)
				if err != nil {
					return err
				}
				of, sets = part.State, append(sets, history.TableSet{State: state, Files: []history.TableFile{}})
			}
			w, err := dir.CreateFile("tables", 0)
			if err != nil {
				return err
			}
			if err := read(w); err != nil || w.ContentBytes == emptyCopy {
				w.Discard()
				return err
			}
			table := part.Table
			if table == version.Quarantine {
				table = "quarantine"
			}
			f, err := w.FinishAs(fmt.Sprintf("%s_v%d.%s-%d", of.Name, of.Version, table, part.Number), "copy")
			if err != nil {
				return err
			}
			set := &sets[len(sets)-1]
			set.Files = append(set.Files, history.TableFile{Table: part.Table, Columns: part.Columns, Part: part.Number, File: f})
			logger.LogAttrs(ctx, slog.LevelInfo, "published a table", slog.String("file", f.Path), slog.Int64("bytes", f.Bytes))
			return nil
		})
		return sets, err
	}
}

// emptyCopy is the size in bytes of a COPY without rows in the binary format: header and trailer.
const emptyCopy = 11 + 4 + 4 + 2

// BringOptions configures Bring.
type BringOptions struct {
	// DataDir is the data directory: files are downloaded into a folder there, which is removed at the end.
	DataDir string
	// Fold leaves all tables to be folded from the log.
	Fold   bool
	Logger *slog.Logger
}

// Bring brings a history into an empty database, or the rest of it: the log, and those read tables that this program would have folded
// in the same way.
func Bring(ctx context.Context, log *eventstore.Log, opened *history.Opened, o BringOptions) error {
	download := filepath.Join(o.DataDir, "bootstrap-download")
	bar := program.NewBar("history", "bytes")
	defer bar.Done()
	err := history.Restore(ctx, log, opened, history.RestoreOptions{Download: download, Progress: func(done, total int64) { bar.Show(done, total, done) }})
	if err != nil {
		return err
	}
	size, root, err := log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	o.Logger.LogAttrs(ctx, slog.LevelInfo, "the history is in the log", slog.Bool("as_received", opened.HasLog()), slog.Int64("events", size),
		slog.String("root", fmt.Sprintf("%x", root)))
	if err := migrations.RestoreSkips(ctx, log.Pool()); err != nil {
		return err
	}
	if o.Fold || !opened.HasLog() { // tables are of events as they were received
		return nil
	}
	lines, err := Lines("recommended", o.Logger, nil)
	if err != nil {
		return err
	}
	// Leaders come first, one after the other; what folds their steps is loaded on all processors.
	followers, followersCtx := errgroup.WithContext(ctx)
	followers.SetLimit(runtime.GOMAXPROCS(0))
	for i, set := range opened.Tables {
		state := &version.State{}
		if err := json.Unmarshal(set.State, state); err != nil {
			return errors.Join(fmt.Errorf("read what the tables of the history are: %w", err), followers.Wait())
		}
		t := tableLoader{log: log, lines: lines, opened: opened, set: set, state: state, options: &o}
		t.download = filepath.Join(download, strconv.Itoa(i))
		if definition, err := lines.Definition(state.Name); err == nil && definition.Leader != "" {
			followers.Go(func() error { return t.load(followersCtx) })
			continue
		}
		if err := t.load(ctx); err != nil {
			return errors.Join(err, followers.Wait())
		}
	}
	if err := followers.Wait(); err != nil {
		return err
	}
	return os.RemoveAll(download)
}

// tableLoader loads the tables of a projection.
type tableLoader struct {
	log      *eventstore.Log
	lines    projections.Lines
	opened   *history.Opened
	set      history.TableSet
	state    *version.State
	download string
	options  *BringOptions
}

// load loads them, or says why they are folded instead.
func (t *tableLoader) load(ctx context.Context) error {
	loaded, err := version.Load(ctx, t.log.Pool(), t.lines, t.state, func(load func(version.Part, io.Reader) error) error {
		return t.opened.EachTable(ctx, t.set, t.download, func(f history.TableFile, rows io.Reader) error {
			return load(version.Part{State: t.state, Table: f.Table, Columns: f.Columns, Number: f.Part}, rows)
		})
	})
	switch {
	case errors.Is(err, version.ErrOtherTables):
		t.options.Logger.LogAttrs(ctx, slog.LevelInfo, "tables of the history are not used, and folded from the log instead", slog.Any("reason", err))
	case err != nil:
		return err
	case loaded:
		t.options.Logger.LogAttrs(ctx, slog.LevelInfo, "loaded the tables of a projection", slog.String("projection", t.state.Name), slog.Int64("log_seq", t.state.LogSeq))
	}
	return nil
}
