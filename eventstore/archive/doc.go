// Package archive reads and writes the four-column event export: one event a line,
//
//	id <TAB> timestamp <TAB> path <TAB> payload <LF>
//
// as public archives of Stacks node events have it, plain or gzip. It knows nothing of databases.
//
// # Dialects
//
// Two ways of writing the columns are in use, and a file is in one of them from its first line to its last:
//
//   - [Copy]: Postgres COPY text format. A backslash starts an escape (\\, \b \f \n \r \t \v, one to three octal
//     digits, \x and one or two hex digits; before any other character it stands for that character), a column that
//     is exactly \N is NULL, and a line that is exactly \. ends the data. Any byte string can be carried.
//   - [Raw]: no escaping at all. The payload is what stands between the third tab and the line feed.
//
// Lines without a backslash, a fourth tab or a carriage return mean the same in both, so [Auto] decides at the first
// line where it matters:
//
//  1. If only one reading gives four good columns and valid JSON, it is that one.
//  2. If both do, but the COPY reading needs an escape that Postgres never writes (such as \u or \"), it is Raw.
//  3. Otherwise the same two questions are put to the complete lines within the next [Lookahead] bytes.
//  4. If none of them answers, the shape of the timestamp does: "2024-03-13 15:34:10.446375+00" (as Postgres prints
//     it) means Copy, "2024-03-13T15:34:10.446Z" (ISO 8601) means Raw.
//
// The decision is final. A later line that contradicts it is an error that says so, because everything before it was
// read by the same rule.
//
// # What a payload can hold
//
// The reader asks for valid JSON unless [Options.AnyPayload] is set: a payload that is not JSON is nearly always a
// file read in the wrong dialect, or a truncated one. A log also stores bodies that are not JSON, and those travel in
// the Copy dialect: the writer escapes exactly what Postgres escapes, and writes NUL and bytes that are not UTF-8 as
// \xHH, which Postgres text can't hold in the first place. The Raw dialect can't carry a line feed, nor a carriage
// return at the end; the writer refuses such a record with [ErrNotRaw].
//
// The format has no room for the content type of a body or the source it came from. They don't survive an export.
//
// # Round trip
//
// Reading a file and writing its records in the dialect that [Reader.Dialect] reports gives the same bytes back, as
// long as the escapes in it are the ones Postgres writes, no end marker is used and the last line ends in a line feed.
package archive
