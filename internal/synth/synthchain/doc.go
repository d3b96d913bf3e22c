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
// # Rooms
//
// This package decides: which block is built on which, who mines it, when it is posted. The packages below internal/ do
// the rest: plan decides what accounts do, vm executes that on the ledger, contracts and account hold what is deployed
// and who signs. nodejson writes the bodies as nodes of a generation do, and nodehttp posts them as a node does. What a
// new epoch brings goes there: a field into nodejson, a rule into vm, a contract into contracts, a release into node.
//
// # Memory
//
// Blocks that no fork can reach any more are final: the generator drops their undo logs and their rivals. With
// Config.ForgetHistory it drops the posts and identities of final blocks, too. Memory is then bounded by the live state
// and a window of recent blocks, however long the stream is.
package synthchain
