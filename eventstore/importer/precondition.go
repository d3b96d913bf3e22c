package importer

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"strata/eventstore"
)

// plan is what Import found before it began.
type plan struct {
	inputs []*input
	rows   []progressRow // of inputs
	last   int           // index of the last input that was begun before; -1: none
	size   int64         // of the log
}

// prepare checks everything that can be checked before the first event is appended.
func prepare(ctx context.Context, log *eventstore.Log, o Options) (p plan, err error) {
	p.last = -1
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if len(o.Files) == 0 {
		return p, fmt.Errorf("import: no file named")
	}
	names := map[string]string{}
	for _, name := range o.Files {
		in, err := inspect(ctx, name, o.Stdin)
		if err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
		p.inputs = append(p.inputs, in)
		if other, twice := names[in.archive]; twice {
			return p, fmt.Errorf("import: %s and %s are the same archive (same name, same first line): name it once", other, name)
		}
		names[in.archive] = name
	}
	if p.size, err = log.Size(ctx); err != nil {
		return p, fmt.Errorf("import: %w", err)
	}
	for i, in := range p.inputs {
		row, err := loadRow(ctx, log.Pool(), in.archive)
		if err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
		if row.exists {
			p.last = i
		}
		p.rows = append(p.rows, row)
	}
	if !o.Append {
		if err := p.checkOrder(); err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
	}
	if o.DataDir != "" {
		if err := p.checkSpace(o.DataDir, o.freeSpace); err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
	}
	return p, nil
}

// checkOrder makes sure that the log is empty, or that it is these archives, each whole but for the last.
func (p plan) checkOrder() error {
	const way = "import into an empty log, or say --append to put these events after those"
	var (
		known int64
		begun time.Time // the newest start of those before
	)
	for i, row := range p.rows {
		known += row.events
		if row.exists && row.started.Before(begun) {
			return fmt.Errorf("%w: %s was imported before the files named before it; name them in the order in which they were imported, or say --append",
				ErrNotEmpty, p.inputs[i].name)
		}
		if row.exists {
			begun = row.started
		}
		if i < p.last && !row.finished {
			return fmt.Errorf("%w: %s was imported, while %s before it is not complete; %s",
				ErrNotEmpty, p.inputs[p.last].name, p.inputs[i].name, way)
		}
	}
	if known != p.size {
		return fmt.Errorf("%w: it has %d events, of which %d are of the files named; %s", ErrNotEmpty, p.size, known, way)
	}
	return nil
}

// The log with its index and digests, against the size of a file that holds the same events. Real archives need
// more: these bounds are meant to find the disk that is clearly too small, and to never refuse one that would do.
const (
	bytesPerPlainByte = 0.4
	bytesPerGzipByte  = 2
)

func (p plan) checkSpace(dir string, freeSpace func(string) (uint64, bool, error)) error {
	var need float64
	for i, in := range p.inputs {
		switch row := p.rows[i]; {
		case row.finished:
		case !in.gzip:
			need += bytesPerPlainByte * float64(max(0, in.size-row.bytes))
		case !row.exists: // how much of a compressed file is left can't be told
			need += bytesPerGzipByte * float64(in.size)
		}
	}
	free, known, err := freeSpace(dir)
	if err != nil {
		return fmt.Errorf("look how much room %s has: %w", dir, err)
	}
	if known && need > float64(free) {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		return fmt.Errorf("%w: the log will need %s at the very least, %s has %s left; make room, or put the data directory on a larger disk",
			ErrNoSpace, byteCount(int64(need)), dir, byteCount(int64(min(free, 1<<62))))
	}
	return nil
}

func (p plan) close() {
	for _, in := range p.inputs {
		if in.once && !in.started {
			in.close()
		}
	}
}
