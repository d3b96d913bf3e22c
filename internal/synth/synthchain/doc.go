// Package synthchain makes up Stacks chains: an endless, deterministic stream of the posts that a Stacks node sends to
// its event observers, with forks, Bitcoin reorganisations, duplicates and everything else that observers meet.
//
// What it emits is faithful in bytes, not only in shape: raw transactions are serialised and signed, ids are their
// hashes, block hashes are hashes of headers, and each block is valid on its parent. To that end the generator keeps a
// model of the chain, branch by branch: balances, nonces, locks, tokens, contracts, rewards that are not yet mature.
// The model is made while transactions are executed and never by reading what was written, so Expected can serve as an
// oracle for anything that does read it.
//
// # Order of things
//
// Next hands out posts one by one. What they tell is noted at the moment when they are handed out ("observed"), so
// Expected always speaks about exactly the posts that the caller has. A chain has one goroutine: it is not safe for
// concurrent use.
//
// # Memory
//
// Blocks that no fork can touch any more are final: their undo log is dropped, and so are their rivals. With
// Config.ForgetHistory the posts and identities of final blocks are dropped too, and memory is bounded by the live state
// and a window of recent blocks, however long the stream.
package synthchain
