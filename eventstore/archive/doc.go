// Package archive reads and writes the four-column event export, with one event per line,
//
//	id <TAB> timestamp <TAB> path <TAB> payload <LF>
//
// plain or gzip. Public archives of Stacks node events have this format. The package does not use a database.
//
// # Dialects
//
// The columns are written in one of two dialects. A file has the same dialect from its first line to its last:
//
//   - [Copy]: Postgres COPY text format. A backslash starts an escape (\\, \b \f \n \r \t \v, one to three octal
//     digits, \x and one or two hex digits; before any other character it stands for that character), a column that
//     is exactly \N is NULL, and a line that is exactly \. ends the data. Any byte string can be carried.
//   - [Raw]: no escaping at all. The payload is the text between the third tab and the line feed.
//
// A line without a backslash, a fourth tab or a carriage return means the same in both dialects. [Auto] decides at the
// first line with one of them:
//
//  1. If only one dialect gives four good columns and valid JSON, it is that one.
//  2. If both do, but Copy needs an escape that Postgres never writes (such as \u or \"), it is Raw.
//  3. Otherwise the complete lines within the next [Lookahead] bytes are judged by the same two rules.
//  4. If they decide nothing, the shape of the timestamp does: "2024-03-13 15:34:10.446375+00" (as Postgres prints
//     it) means Copy, "2024-03-13T15:34:10.446Z" (ISO 8601) means Raw.
//
// The decision is final. A later line that contradicts it is an error, because the decision was applied to all lines
// before it.
//
// # What a payload can hold
//
// The reader requires valid JSON unless [Options.AnyPayload] is set: a payload that is not JSON nearly always means that
// the dialect is wrong, or the file truncated. A log also stores bodies that are not JSON. The Copy dialect can carry
// them: the writer escapes exactly what Postgres escapes, and writes NUL and bytes that are not UTF-8, which Postgres text
// can't hold, as \xHH. The Raw dialect can carry neither a line feed nor a carriage return at the end; the writer refuses
// such a record with [ErrNotRaw].
//
// The format has no columns for the content type and the source of an event. An export loses them.
//
// # Round trip
//
// If the records of a file are written in the dialect that [Reader.Dialect] reports, the result is the same bytes,
// provided that the file has only escapes that Postgres writes and no end marker, and ends in a line feed.
package archive
