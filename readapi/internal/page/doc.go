// Package page reads pages of lists. It holds what list operations share: page requests, page bodies with their
// cursors, and three kinds of lists. Each list knows its total, and a page costs the same at any depth:
//
//   - Numbered: a projection numbers the rows of each owner as it applies them.
//   - Typed: the transactions of some types, merged from the numbered list of each type.
//   - RankedList: rows ordered by a key, with stored counts of the parts of the list.
package page
