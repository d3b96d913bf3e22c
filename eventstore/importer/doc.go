// Package importer carries archives, the four-column files of package archive, into the log and out of it again.
//
// # Import
//
// Each line becomes one event, in the order of the file: the payload byte for byte as the body, the second column as
// the time of receipt, "archive:<base name>" as the source, application/json as the content type, and the first two
// columns as they stood, with a tab between, as the origin. Lines are facts: one whose id occurred before is an event
// all the same.
//
// One goroutine reads, decompresses and checks while another writes batches; both hold a few batches, or one line
// larger than a batch, whatever the size of the file.
//
// # How an import goes on
//
// The row of the archive in log.import moves in the transaction that appends a batch: lines and bytes read, events
// appended, and the SHA-256 over the decompressed bytes read so far. An import that was killed is started again with
// the same files. It reads the part that is done once more, in order to check that its digest is the one in the row,
// and appends what follows: no event is lost, none stands in the log twice. The same goes for a file that was stopped
// at an unreadable line and mended from there on, and for a newer, longer edition of a finished file.
//
// An archive is known by its base name and its first line, not by its folder.
//
// # Export
//
// Events that were imported get their first two columns back as they were. So importing a file into an empty log and
// exporting that gives the same file (under the conditions that package archive states for its round trip), and
// importing that file again gives the same events.
package importer
