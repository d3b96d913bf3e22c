// Package subscriptions brings to people what they have subscribed to. What a subscription gets follows from the list of steps of the
// projection chain: for each block that is applied and has something for its filter a message, and one for each of these blocks that is
// reverted. Messages are numbered, and delivered in order until each is acknowledged, so that whoever folds the acknowledged ones has what
// the canonical chain has at their position.
//
// One process at a time, the holder of a row, finds matches and delivers. Subscriptions at the tip share a place on the list, and one look
// at a block is enough for all of them; each of the others has a place of its own until it has caught up.
package subscriptions
