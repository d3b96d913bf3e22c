// Package synthordinals generates the feed of an ordinals indexer: an endless, deterministic stream of the payloads
// that ordhook posts to /payload, with reorganisations, duplicates, gaps and everything else that receivers meet.
//
// The payloads follow the rules of the protocol, not only its shape. Sats flow through transactions first in, first
// out, so two of them never share a place; numbers, curses and charms follow from what happened before; BRC-20
// operations are those that an indexer would accept. The generator therefore keeps the state at its tip, called the
// world, and undoes it block by block when its branch loses.
//
// # Canonical blocks
//
// A payload first rolls back the blocks under rollback and then applies the others. Height and hash identify a block.
// Applying an applied block, or rolling back one that is not applied, changes nothing. The state follows from the
// applied blocks in the order of their heights, whatever the order in which they came. No two applied blocks have the
// same height.
//
// Expected computes that state from the applied blocks, each time from the start, by code that is as simple as possible
// and never reads what was written. As long as a gap is not filled, the state may have moves of sats that were not
// revealed yet, operations of tokens that were not deployed yet, and balances below zero.
//
// # Posts and expectations
//
// Next hands out posts one by one. Expected describes exactly the posts that the caller has. A feed is not safe for
// concurrent use.
//
// # Memory
//
// The world is bounded: outputs beyond [Config.Live] are never spent. The blocks that Expected needs, and their
// contents, grow without bound. With [Config.ForgetHistory] the old ones are dropped, and the posts stay the same.
package synthordinals
