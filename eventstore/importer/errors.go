package importer

import "errors"

// Reasons why Import stops that a caller may want to tell apart. A line that can't be read is an
// *archive.LineError, and a database that can't be written is eventstore.ErrUnavailable; both leave what was appended
// before in the log, and the import can be started again.
var (
	// ErrNotEmpty: the log holds events that are not of these archives in this order, and Append is not set.
	ErrNotEmpty = errors.New("the log holds other events")
	// ErrChanged: a file does not begin with what was imported of it before.
	ErrChanged = errors.New("the file is not the one that was imported before")
	// ErrDialect: a file's import was begun in another dialect.
	ErrDialect = errors.New("the file was imported in another dialect")
	// ErrConcurrent: somebody else imports the same archive, or (without Append) appends to the log.
	ErrConcurrent = errors.New("the log is being written by somebody else")
	// ErrNoSpace: the disk is clearly too small.
	ErrNoSpace = errors.New("not enough disk space")
)
