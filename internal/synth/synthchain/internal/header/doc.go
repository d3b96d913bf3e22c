// Package header hashes the headers of made-up Stacks blocks: of Nakamoto blocks (SIP-021), and of blocks of epochs 2.0 to
// 2.5 (SIP-005).
//
// A block hash covers the header. The id that is unique across forks, the "index block hash", also covers the consensus
// hash of the sortition; see hash.IndexBlockHash.
package header
