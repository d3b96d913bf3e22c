package importer

import "errors"

// Reasons why Import stops. Besides them, an unreadable line gives an *archive.LineError, and a database that can't be
// written gives eventstore.ErrUnavailable. After both, the events before stay in the log, and the import can be resumed.
var (
	// ErrNotEmpty means that the log holds events other than those of these archives in this order, and that Append is
	// not set.
	ErrNotEmpty = errors.New("the log holds other events")
	// ErrChanged means that a file does not start with the part that was imported from it before.
	ErrChanged = errors.New("the file is not the one that was imported before")
	// ErrDialect means that the first part of a file was imported in another dialect.
	ErrDialect = errors.New("the file was imported in another dialect")
	// ErrConcurrent means that another process imports the same archive, or (without Append) appends to the log.
	ErrConcurrent = errors.New("another process writes to the log")
	// ErrNoSpace means that the disk is clearly too small.
	ErrNoSpace = errors.New("not enough disk space")
)
