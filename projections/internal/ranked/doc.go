// Package ranked counts the entries of ordered lists, and the entries before a key, so that a page at any offset of a
// list costs no more than its first page.
//
// A list consists of rows of some table in the order of a key of three numbers. The rows have an index on that key. The
// list of fungible tokens, whose keys are texts, has a table of its own; see projections/internal/token.
// This package stores only numbers of rows, in two tables:
//
//	list   the number of entries of each list: the total that an answer shows
//	part   of a list with more than 1,024 entries: the number of entries from one key up to another
//
// A reader finds the page at an offset by adding up parts from the nearer end, and then skipping at most one part of
// the index. It finds the rank of a key in the same way.
//
// # Invariants
//
//   - A list without entries has no row.
//   - A list of at most 1,024 entries has no parts. The parts of a longer list cover all keys: the first part begins below
//     all keys, and each part ends where the next one begins. Their numbers add up to the list's.
//   - No part is empty. A part has more than 1,024 entries only if all of them have the same key, because parts never split
//     equal keys.
//
// The numbers of lists follow from the rows alone. The keys at which parts begin depend on the history of the list, but
// no answer shows them.
//
// # Cost
//
// A batch costs a few statements, however many lists and keys it changes. Only splitting a part reads rows, with one
// statement for each part; where a list grows at its end, only its new rows are counted. A part that becomes small is
// joined with the next one, so that a list never has more than a few times the parts that it needs.
package ranked
