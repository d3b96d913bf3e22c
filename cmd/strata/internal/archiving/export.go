package archiving

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
)

// Export is strata export.
type Export struct {
	Database database.Flags `embed:"" group:"Database:"`

	From    int64  `placeholder:"SEQ" help:"First event to export (default the first of the log)."`
	To      int64  `placeholder:"SEQ" help:"Last event to export (default the last of the log)."`
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
