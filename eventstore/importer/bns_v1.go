package importer

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/names"
	"strata/eventstore"
)

// The published export of Stacks 1.0: four files, each with its SHA-256 beside it, in a file with the suffix
// ".sha256". Of the first one, only the sections with names are imported: balances are in the genesis block.
const (
	chainstateFile         = "chainstate.txt"
	nameZonefilesFile      = "name_zonefiles.txt"
	subdomainsFile         = "subdomains.csv"
	subdomainZonefilesFile = "subdomain_zonefiles.txt"
	digestSuffix           = ".sha256"
)

// exportFiles are the files in the order of their import: names come before their zonefiles.
var exportFiles = []string{chainstateFile, nameZonefilesFile, subdomainsFile, subdomainZonefilesFile}

// exportSections are the sections of chainstateFile that are imported.
var exportSections = map[string]names.ExportKind{"NAMESPACES": names.ExportNamespaces, "NAMES": names.ExportNames}

// exportDialect is what log.import has as the dialect of these files.
const exportDialect = "bns-v1"

// exportPartBytes is the size of the lines of one event. A longer line is an event of its own.
const exportPartBytes = 256 << 10

// exportContentType is the content type of the events.
const exportContentType = "application/json"

// ErrDigest means that a file is not the one that its SHA-256 was published for.
var ErrDigest = errors.New("the file does not have its published SHA-256")

// BNSv1Options configures ImportBNSv1.
type BNSv1Options struct {
	// Dir has the files of the export.
	Dir string
	// Progress, if set, is told the progress.
	Progress Progress
	// Logger is for operators; default none.
	Logger *slog.Logger

	// partBytes replaces exportPartBytes; 0 means the constant. batchEvents is the number of events of a transaction.
	partBytes, batchEvents int
}

// ImportBNSv1 appends the published export of Stacks 1.0 to the log: its namespaces, names, subdomains and zonefiles.
// First it checks the SHA-256 of all files. An event has some lines of a file; see names.ExportPart. The transaction that
// appends events also updates the file's row in log.import, so that an interrupted import goes on where it was, and a
// second one appends nothing.
func ImportBNSv1(ctx context.Context, log *eventstore.Log, o BNSv1Options) (result Result, err error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.partBytes == 0 {
		o.partBytes = exportPartBytes
	}
	if o.batchEvents == 0 {
		o.batchEvents = batchBytes / exportPartBytes
	}
	if o.Progress != nil {
		defer func() { o.Progress.Done(result, err) }()
	}
	var files []*exportFile
	var inputs []*input
	for _, name := range exportFiles {
		f, err := checkExportFile(ctx, o.Dir, name)
		if err != nil {
			return result, fmt.Errorf("import of the names of Stacks 1.0: %w", err)
		}
		files, inputs = append(files, f), append(inputs, &f.input)
	}
	c := newCounts(inputs)
	stop := c.report(o.Progress)
	defer stop()
	for i, f := range files {
		c.begin(i)
		file, err := f.run(ctx, log, o, c)
		result.Files = append(result.Files, file)
		result.Events += file.Events
		result.Bytes += file.Bytes
		if err != nil {
			return result, fmt.Errorf("import of the names of Stacks 1.0: %w; %d events of %s are stored, run the import again to resume",
				err, file.Known+file.Events, f.name)
		}
		o.Logger.LogAttrs(ctx, slog.LevelInfo, "file of Stacks 1.0 imported", slog.String("file", f.name), slog.Int64("events", file.Events),
			slog.Int64("known", file.Known), slog.Int64("unusable_lines", f.unusable))
		if f.unusable > 0 {
			o.Logger.LogAttrs(ctx, slog.LevelWarn, "lines of the export hold nothing that the naming system can have; they are in the log only",
				slog.String("file", f.name), slog.Int64("lines", f.unusable), slog.Any("first", f.firstUnusable))
		}
	}
	return result, nil
}

// exportFile is a file of the export.
type exportFile struct {
	input
	digest        [sha256.Size]byte
	row           progressRow
	unusable      int64
	firstUnusable error
}

// checkExportFile compares a file with its published digest.
func checkExportFile(ctx context.Context, dir, name string) (*exportFile, error) {
	path := filepath.Join(dir, name)
	published, err := os.ReadFile(path + digestSuffix)
	if err != nil {
		return nil, fmt.Errorf("read the published SHA-256 of %s: %w", name, err)
	}
	// sha256sum writes the name of the file after the digest.
	want, _, _ := strings.Cut(strings.TrimSpace(string(published)), " ")
	f := &exportFile{input: input{name: path, base: name}}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	digest := sha256.New()
	if f.size, err = io.Copy(digest, contextReader{ctx, file}); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	digest.Sum(f.digest[:0])
	if got := hex.EncodeToString(f.digest[:]); !strings.EqualFold(got, want) {
		return nil, fmt.Errorf("%w: %s has %s, and %s%s says %s; get the file again", ErrDigest, path, got, name, digestSuffix, want)
	}
	f.archive = exportDialect + "/" + name + ":" + hex.EncodeToString(f.digest[:8])
	return f, nil
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// run appends the events of the file that earlier runs have not appended.
func (f *exportFile) run(ctx context.Context, log *eventstore.Log, o BNSv1Options, c *counts) (result FileResult, err error) {
	if f.row, err = loadRow(ctx, log.Pool(), f.archive); err != nil {
		return FileResult{Name: f.name, Archive: f.archive}, err
	}
	result = FileResult{Name: f.name, Archive: f.archive, Known: f.row.events, Finished: f.row.finished}
	c.known.Add(f.row.events)
	if f.row.finished {
		f.read.Store(f.size)
		return result, nil
	}
	file, err := os.Open(f.name)
	if err != nil {
		return result, err
	}
	defer func() { _ = file.Close() }()
	parts := &exportReader{file: f, text: bufio.NewReaderSize(file, 1<<20), most: o.partBytes}
	if kind, whole := wholeFiles[f.base]; whole {
		parts.kind = kind
	}
	skip := f.row.events
	for {
		var batch []eventstore.Incoming
		var bytes int64
		for len(batch) < o.batchEvents {
			part, err := parts.next()
			if err != nil {
				return result, err
			}
			if part == nil {
				break
			}
			if err := part.Read(); err != nil {
				return result, err
			}
			if f.unusable += int64(len(part.Unusable)); f.firstUnusable == nil && len(part.Unusable) > 0 {
				f.firstUnusable = part.Unusable[0]
			}
			if skip > 0 {
				if skip--; skip == 0 && parts.bytes != f.row.bytes {
					return result, fmt.Errorf("%w: %s was divided otherwise; import it into a new log", ErrChanged, f.name)
				}
				continue
			}
			body, err := part.Encode()
			if err != nil {
				return result, err
			}
			bytes += int64(len(body))
			batch = append(batch, eventstore.Incoming{
				ReceivedAt: time.Now(), Source: exportDialect + ":" + f.base, Path: names.PathExport, ContentType: exportContentType, Body: eventstore.NewBody(body),
			})
		}
		f.read.Store(parts.bytes)
		if len(batch) == 0 {
			break
		}
		if err := f.write(ctx, log, batch, parts); err != nil {
			return result, err
		}
		result.Events += int64(len(batch))
		result.Bytes += bytes
		c.events.Add(int64(len(batch)))
		c.bytes.Add(bytes)
	}
	row := f.row
	row.dialect, row.prefix, row.lines, row.bytes, row.finished, row.exists = exportDialect, f.digest, parts.line, parts.bytes, true, true
	if err := row.save(ctx, log.Pool(), f.row); err != nil {
		return result, err
	}
	result.Finished = true
	return result, nil
}

// write appends a batch and updates the row, or does neither.
func (f *exportFile) write(ctx context.Context, log *eventstore.Log, batch []eventstore.Incoming, parts *exportReader) error {
	row := f.row
	row.exists, row.dialect, row.prefix, row.lines, row.bytes = true, exportDialect, f.digest, parts.line, parts.bytes
	row.events += int64(len(batch))
	var ours error // not a fault of the database, although the Log wraps it in ErrUnavailable
	_, err := log.AppendBatch(ctx, batch, func(tx pgx.Tx, _ int64) error {
		err := row.save(ctx, tx, f.row)
		if errors.Is(err, ErrConcurrent) {
			ours = err
		}
		return err
	})
	if ours != nil {
		return ours
	}
	if err == nil {
		f.row = row
	}
	return err
}

// wholeFiles hold lines of a single kind.
var wholeFiles = map[string]names.ExportKind{
	nameZonefilesFile: names.ExportZonefiles, subdomainsFile: names.ExportSubdomains, subdomainZonefilesFile: names.ExportZonefiles,
}

// exportReader divides a file into parts. The same file always gives the same parts, unless most is another.
type exportReader struct {
	file    *exportFile
	text    *bufio.Reader
	most    int
	kind    names.ExportKind // of the lines that follow; empty between sections
	columns string
	line    int64 // lines read
	bytes   int64
}

// next returns the next part; nil at the end of the file.
func (r *exportReader) next() (*names.ExportPart, error) {
	var text []byte
	var part *names.ExportPart
	for {
		line, err := r.readLine()
		if err != nil {
			return nil, err
		}
		if line == nil || r.startsOrEnds(line) {
			if part != nil {
				break
			}
			if line == nil {
				return nil, nil
			}
			continue
		}
		if r.kind == "" {
			continue // a section that is not imported
		}
		if r.columns == "" && r.kind != names.ExportZonefiles {
			r.columns = strings.TrimRight(string(line), "\r\n")
			continue
		}
		if part == nil {
			part = &names.ExportPart{
				File: r.file.base, SHA256: hex.EncodeToString(r.file.digest[:]), Kind: r.kind, FirstLine: r.line, Columns: r.columns,
			}
		}
		text = append(text, line...)
		if r.kind == names.ExportZonefiles {
			if line, err = r.readLine(); err != nil {
				return nil, err
			}
			text = append(text, line...)
		}
		if len(text) >= r.most {
			break
		}
	}
	part.Text = string(text)
	return part, nil
}

// readLine returns the next line with its line break; nil at the end of the file.
func (r *exportReader) readLine() ([]byte, error) {
	line, err := r.text.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", r.file.name, err)
	}
	if len(line) == 0 {
		return nil, nil
	}
	r.line++
	r.bytes += int64(len(line))
	return line, nil
}

// startsOrEnds reports whether a line of chainstateFile begins or ends a section.
func (r *exportReader) startsOrEnds(line []byte) bool {
	if r.file.base != chainstateFile {
		return false
	}
	const dashes = "-----"
	text := string(bytes.TrimSpace(line))
	text, begins := strings.CutPrefix(text, dashes)
	text, ends := strings.CutSuffix(text, dashes)
	if !begins || !ends {
		return false
	}
	r.kind, r.columns = "", ""
	if section, isBegin := strings.CutPrefix(text, "BEGIN "); isBegin {
		r.kind = exportSections[section]
	}
	return true
}
