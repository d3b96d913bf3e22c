// Package json5 reads JSON5 (spec.json5.org), which people write by hand, and writes it as compact JSON (RFC 8259).
//
// What is read can be stored: text holds neither U+0000, which Postgres refuses, nor lone surrogates, which UTF-8 can't
// express. Integers of any size stay as they were written, and members keep their order.
package json5
