// Package json5 reads JSON5 (spec.json5.org), which people write by hand, and writes it as compact JSON (RFC 8259).
//
// Values can be stored: a text has neither U+0000, which Postgres refuses, nor lone surrogates, which UTF-8 cannot
// express. Integers of any size are kept as written, and members keep their order.
package json5
