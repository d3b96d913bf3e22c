// Package synthordinals makes up the feed of an ordinals indexer: an endless, deterministic stream of the payloads that
// ordhook posts to /payload, with reorganisations, duplicates, gaps and everything else that receivers meet.
//
// What it emits follows the rules of the protocol, not only its shape: sats flow through transactions first in, first
// out, so that no two of them ever share a place; numbers, curses and charms follow from what happened; BRC-20
// operations are those that an indexer would find valid. To that end the generator keeps a world, and takes it back
// block by block when the branch that it is on loses.
//
// # Canonical
//
// A payload first takes back what is under rollback and then applies the rest. A block is known by its height and hash.
// To apply one that is applied, or to take back one that is not, changes nothing. The state is that of the applied blocks
// in the order of their heights, whatever the order in which they came; at no time are two of one height applied.
//
// Expected is that state, computed from the applied blocks from the start each time, by code that is as simple as it can
// be and that never reads what was written. Between a gap and what fills it, it has moves of sats that were not revealed
// yet, operations of tokens that were not deployed yet, and balances below zero.
//
// # Order of things
//
// Next hands out posts one by one. Expected speaks about exactly the posts that the caller has. A feed has one
// goroutine: it is not safe for concurrent use.
//
// # Memory
//
// The world is bounded: outputs beyond [Config.Live] are left alone for ever. What grows are the blocks that Expected
// needs, with their contents; with [Config.ForgetHistory] the old ones are dropped, and the posts stay the same.
package synthordinals
