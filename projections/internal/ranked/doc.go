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
// Where Lists.Sectioned says so, a list with more than 65,536 entries also has sections: sums of the parts that begin from
// one key up to another. A reader first adds up sections, and then only the parts of one section: in a list of a million
// entries about 100 rows instead of 700. Sections are rows of the table part whose list has a prefix, so a reader needs no
// other tables where there are none.
//
// # Invariants
//
//   - A list without entries has no row.
//   - A list of at most 1,024 entries has no parts. The parts of a longer list cover all keys: the first part begins below
//     all keys, and each part ends where the next one begins. Their numbers add up to the list's.
//   - No part is empty. A part has more than 1,024 entries only if all of them have the same key, because parts never split
//     equal keys.
//   - A list of at most 65,536 entries has no sections. In a longer list, sections group parts as parts group entries: they
//     cover all keys, none is empty, and one has more than 65,536 entries only if it is one part.
//
// The numbers of lists follow from the rows alone. The keys at which parts and sections begin depend on the history of the list, but
// no answer shows them.
//
// # Cost
//
// A batch costs a few statements, however many lists and keys it changes. The sums of sections change in the round trip that
// writes parts; only cutting a section reads its parts. Only splitting a part reads rows, with one
// statement for each part; where a list grows at its end, only its new rows are counted. A part that becomes small is
// joined with the next one, so that a list never has more than a few times the parts that it needs.
package ranked
