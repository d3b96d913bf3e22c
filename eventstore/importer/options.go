package importer

import (
	"context"
	"io"
	"log/slog"

	"strata/eventstore"
	"strata/eventstore/archive"
)

// Stdin is the file name that stands for the standard input.
const Stdin = "-"

// Options configures Import. Files is required; the zero value of any other field means its default.
type Options struct {
	// Files are plain or gzip files, in the order in which their events go into the log. Stdin may occur once.
	Files []string
	// Append allows that the log holds other events than those of Files in this order. New events follow them.
	Append bool
	// Dialect is the dialect of all files; default archive.Auto, which detects it for each file.
	Dialect archive.Dialect
	// AnyPayload accepts payloads that are not JSON, which a log can hold. By default such lines are errors, because a
	// file that is read in the wrong dialect looks like that.
	AnyPayload bool
	// Admit, if set, is asked before events are appended. Its error ends the import.
	Admit func(ctx context.Context, events []eventstore.Incoming) error

	// DataDir is the data directory of the database if it is on this machine. Import then checks the disk for room.
	DataDir string
	// Stdin is read for the file name "-"; default os.Stdin.
	Stdin io.Reader
	// Progress, if set, is told the progress.
	Progress Progress
	// Logger is for operators; default none.
	Logger *slog.Logger

	// batchEvents replaces the constant of that name; 0 means the constant.
	batchEvents int
	// freeSpace replaces the function of that name; nil means the function.
	freeSpace func(dir string) (bytes uint64, known bool, err error)
}

// Result describes what a run of Import did.
type Result struct {
	// Files has a result for each file that was reached, in the order given.
	Files []FileResult
	// Events is the number of events appended, and Bytes the total size of their bodies.
	Events, Bytes int64
}

// FileResult describes what a run of Import did for one file.
type FileResult struct {
	// Name is the name as given.
	Name string
	// Archive is the file's key in log.import.
	Archive string
	// Dialect is the dialect in use; archive.Auto for a file without events.
	Dialect archive.Dialect
	// Known is the number of events from earlier runs, and Events the number that this run appended.
	Known, Events int64
	// Bytes is the total size of the bodies that were appended.
	Bytes int64
	// Finished is true if the whole file is imported.
	Finished bool
}

// AlreadyImported reports whether earlier runs had imported the whole file.
func (f FileResult) AlreadyImported() bool { return f.Finished && f.Known > 0 && f.Events == 0 }
