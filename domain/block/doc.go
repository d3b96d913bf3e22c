// Package block decodes and encodes raw Stacks blocks and their headers: Nakamoto blocks (SIP-021), and the blocks of
// epochs 2.0 to 2.5 (SIP-005). Microblock headers are in the sub-package microblock.
//
// A block hash covers the header. The id that is unique across forks, the "index block hash", also covers the consensus
// hash of the sortition; see hash.IndexBlockHash.
package block
