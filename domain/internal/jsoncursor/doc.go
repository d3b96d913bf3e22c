// Package jsoncursor reads a JSON body once, value by value, without building a tree.
//
// The caller asks a [Cursor] for the values that it expects. The first error sticks: every later call does nothing and
// returns zero values, so the caller needs no error handling of its own until [Cursor.Finish]. Each error is a
// *[FieldError] with the JSON pointer of the value.
//
// Methods that report whether a value is present report false for null: a member that is null counts as missing.
//
// Of members with the same name, a caller sees all, so the last one wins. Bytes that are not UTF-8 are no error.
// Nesting beyond 10,000 levels is an error, not a stack overflow.
package jsoncursor
