package importer

import (
	"io"
	"log/slog"

	"strata/eventstore/archive"
)

// Stdin is the file name that means the standard input.
const Stdin = "-"

// Options of Import. Files is required; the zero value of any other field means its default.
type Options struct {
	// Files in the order in which their events go into the log, plain or gzip. Stdin is one of them at most once.
	Files []string
	// Append allows a log that holds other events than those of Files in this order; theirs then follow.
	Append bool
	// Dialect of all the files; default archive.Auto: each file's own content decides.
	Dialect archive.Dialect
	// AnyPayload takes payloads that are not JSON, which a log can hold. Without it they are unreadable lines,
	// because that is what a file read in the wrong dialect looks like.
	AnyPayload bool

	// DataDir is where the database keeps its files, when that is this machine. The disk is then checked for room.
	DataDir string
	// Stdin is read for the file name "-"; default os.Stdin.
	Stdin io.Reader
	// Progress hears how it goes; default nobody.
	Progress Progress
	// Logger for what an operator should know; default none.
	Logger *slog.Logger

	// batchEvents replaces the number of events that share a transaction.
	batchEvents int
	// freeSpace replaces the question to the system how many bytes the file system of a folder has left.
	freeSpace func(dir string) (bytes uint64, known bool, err error)
}

// Result of Import: what this run did.
type Result struct {
	// Files in the order given. Those that were not reached are missing.
	Files []FileResult
	// Events and Bytes (of bodies) that were appended.
	Events, Bytes int64
}

// FileResult is what was done for one file.
type FileResult struct {
	// Name as given.
	Name string
	// Archive is the file's key in log.import.
	Archive string
	// Dialect in use; archive.Auto for a file without events.
	Dialect archive.Dialect
	// Known events were there from an earlier run, Events were appended by this one.
	Known, Events int64
	// Bytes of the bodies that were appended.
	Bytes int64
	// Finished is set when the end of the file was reached.
	Finished bool
}

// AlreadyImported reports whether there was nothing to do.
func (f FileResult) AlreadyImported() bool { return f.Finished && f.Known > 0 && f.Events == 0 }
