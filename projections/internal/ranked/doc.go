// Package ranked counts the entries of ordered lists, and how many come before a key, so that a page at any offset of a
// list costs what its first page costs.
//
// A list is rows of some table in the order of a key of three numbers; the rows themselves are elsewhere and have an
// index on that key. Here is only how many there are:
//
//	list   the number of entries of each list: the total that an answer shows
//	part   of a list with more than 1,024 entries: the number of entries from one key up to another
//
// The page at an offset is found by adding up parts from the nearer end, and then by passing over at most a part of the
// index. The rank of a key is found the same way.
//
// # Invariants
//
//   - A list without entries has no row.
//   - A list of at most 1,024 entries has no parts. The parts of a longer one cover all keys: the first one begins below
//     everything, each ends where the next begins. Their numbers add up to the list's.
//   - No part is empty, and none has more than 1,024 entries but where they all have the same key: there is no part
//     between equal keys.
//
// The numbers of lists follow from the rows alone. Where parts begin is a matter of history, and no answer shows it.
//
// # Cost
//
// A batch costs some statements, however many lists and keys it changes; only what is to be cut is read from the rows, one
// statement for each part, and where a list grows at its end its new rows are counted and no other is read. Parts that
// became small are put together with the next one, so that a list has never more than a few times the parts that it needs.
package ranked
