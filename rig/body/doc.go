// Package body builds bodies of /new_block and /new_burn_block by hand, for tests of blocks that no generator makes.
//
// # Names
//
// The name of a block tells its position, and its hashes are made from its name:
//
//	a3      a Stacks block of height 3 on the branch a
//	genesis the genesis block
//	101b    a Bitcoin block of height 101 on the fork b
//	101b'   the same Bitcoin block with another sortition, and so another consensus hash
package body
