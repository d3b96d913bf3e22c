// Package synthchain generates Stacks chains: an endless, deterministic stream of the posts that a Stacks node sends to
// its event observers, with forks, Bitcoin reorganisations, duplicates and everything else that observers meet.
//
// The posts are faithful in their bytes, not only in their shape: raw transactions are serialised and signed, ids are
// their hashes, block hashes are hashes of headers, and each block is valid on its parent. The generator therefore
// keeps a model of the chain on each branch: balances, nonces, locks, tokens, contracts, immature rewards. It updates
// the model while it executes transactions and never by reading what it wrote, so Expected can serve as an oracle for
// code that reads the posts.
//
// # Posts and expectations
//
// Next hands out posts one by one. A block counts from the moment when its post is handed out, so Expected describes
// exactly the posts that the caller has. A chain is not safe for concurrent use.
//
// # Memory
//
// Blocks that no fork can reach any more are final: the generator drops their undo logs and their rivals. With
// Config.ForgetHistory it drops the posts and identities of final blocks, too. Memory is then bounded by the live state
// and a window of recent blocks, however long the stream is.
package synthchain
