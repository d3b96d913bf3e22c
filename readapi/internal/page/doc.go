// Package page has the one engine that lists are paged through with. All kinds of lists have totals and pages that cost the same at
// any depth:
//
//   - Numbered lists number their rows per owner as they are applied;
//   - Typed is the list of transactions of some types, merged from the lists of each;
//   - RankedList is ordered by a key, and counted in parts.
package page
