package archiving

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
	"strata/projections/version"
)

// Export is strata export.
type Export struct {
	Database database.Flags `embed:"" group:"Database:"`

	From    int64  `placeholder:"SEQ" help:"First event to export (default the first of the log)."`
	To      int64  `placeholder:"SEQ" help:"Last event to export (default the last of the log)."`
	Heights string `placeholder:"FIRST-LAST" help:"Export the events from the first to the last announcement of the blocks at these heights, such as 101-187, instead of positions."`
	Dialect string `default:"auto" enum:"auto,copy,raw" help:"Escaping of payloads: copy (COPY text format), raw (none) or auto (that of the imported archives, else copy)."`
	Out     string `short:"o" default:"-" help:"File to write, compressed if its name ends in .gz; - writes to standard output."`
}

// Run writes the archive.
func (c *Export) Run(ctx context.Context, globals *program.Globals) (err error) {
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	dialect, err := archive.ParseDialect(c.Dialect)
	if err != nil {
		return err
	}
	if c.Heights != "" {
		if err := c.locate(ctx, db.Pool); err != nil {
			return err
		}
	}
	out, finish, err := c.create()
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := finish(); err == nil {
			err = closeErr
		}
	}()
	result, err := importer.Export(ctx, db.Log, out, importer.ExportOptions{From: c.From, To: c.To, Dialect: dialect})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "exported %d events (%d to %d, dialect %s)\n", result.Events, result.From, result.To, result.Dialect)
	return nil
}

// locate sets From and To to the events of the blocks at Heights, on all forks. The Bitcoin blocks that a node announces before
// a Stacks block come along, because they stand between these events.
func (c *Export) locate(ctx context.Context, pool *pgxpool.Pool) error {
	if c.From != 0 || c.To != 0 {
		return errors.New("--heights: leave out --from and --to, which name positions in the log")
	}
	first, last, isRange := strings.Cut(c.Heights, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.ParseInt(first, 10, 64)
	to, lastErr := strconv.ParseInt(last, 10, 64)
	if err != nil || lastErr != nil || from < 0 || to < from {
		return fmt.Errorf("--heights: %q are not two heights, such as 101-187", c.Heights)
	}
	tables, err := version.ActiveOf(ctx, pool, "chain")
	if err != nil {
		return err
	}
	if tables.Version == 0 {
		return errors.New("--heights: this database has no blocks yet; name positions in the log with --from and --to")
	}
	var begin, end *int64
	// The announcements of Bitcoin blocks that come before the first block begin after the block below it.
	err = pool.QueryRow(ctx, strings.ReplaceAll(`
		SELECT coalesce((SELECT max(first_seq) + 1 FROM {chain}.block WHERE height = $1 - 1 AND first_seq < min(b.first_seq)), min(b.first_seq)),
		       max(greatest(b.source_seq, b.first_seq))
		FROM {chain}.block b WHERE b.height BETWEEN $1 AND $2`, "{chain}", tables.Quoted()), from, to).Scan(&begin, &end)
	switch {
	case err != nil:
		return fmt.Errorf("--heights: look up the blocks: %w", err)
	case begin == nil || end == nil:
		return fmt.Errorf("--heights: this log has no block at heights %d to %d", from, to)
	}
	c.From, c.To = *begin, *end
	return nil
}

// create opens the output. The caller must call finish, which flushes and closes it.
func (c *Export) create() (out io.Writer, finish func() error, err error) {
	file := os.Stdout
	if c.Out != "-" {
		if file, err = os.Create(c.Out); err != nil {
			return nil, nil, err
		}
	}
	buffered := bufio.NewWriterSize(file, 1<<20)
	if !strings.HasSuffix(c.Out, ".gz") {
		return buffered, func() error { return flushAndClose(buffered, file) }, nil
	}
	compressed := gzip.NewWriter(buffered)
	return compressed, func() error {
		if err := compressed.Close(); err != nil {
			return err
		}
		return flushAndClose(buffered, file)
	}, nil
}

func flushAndClose(buffered *bufio.Writer, file *os.File) error {
	if err := buffered.Flush(); err != nil {
		return err
	}
	return file.Close()
}
