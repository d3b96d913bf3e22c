// Package importer imports archives, the four-column files of package archive, into the log, and exports the log as an
// archive.
//
// # Import
//
// Each line becomes one event, in the order of the file. The body is the payload byte for byte, the time of receipt the
// second column, the source "archive:<base name>", the content type application/json, and the origin the unchanged text of
// the first two columns with a tab between them. A line whose id occurred before becomes an event, too.
//
// One goroutine reads, decompresses and checks while another writes batches. Together they hold a few batches, or one
// line larger than a batch, whatever the size of the file.
//
// # How an import resumes
//
// The transaction that appends a batch also updates the archive's row in log.import: lines and bytes read, events
// appended, and the SHA-256 of the decompressed bytes read so far. To resume an import that was killed, run it again
// with the same files. It reads the imported part once more, checks its digest against the row, and appends the rest: no
// event is lost, and none is appended twice. In the same way an import resumes after an unreadable line was repaired, and
// with a newer, longer edition of a finished file.
//
// An archive is identified by its base name and its first line, not by its folder.
//
// # Export
//
// Imported events get the unchanged text of their first two columns back. So if a file is imported into an empty log, the
// export of that log is the same file (under the conditions that package archive states for its round trip), and an
// import of the export gives the same events.
package importer
