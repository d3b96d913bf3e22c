// Package block reads and writes raw Stacks blocks and their headers: Nakamoto blocks (SIP-021) and the blocks before
// them (SIP-005), which end with epoch 2.5. Microblock headers are in the sub-package microblock.
//
// A block hash covers the header. The id that is unique over forks, the "index block hash", adds the consensus hash of
// the sortition; see hash.IndexBlockHash.
package block
