// Package body writes bodies of /new_block and /new_burn_block by hand, for tests of what no generator makes.
//
// # Names
//
// Blocks have names that say where they stand, and their hashes are made from these:
//
//	a3      a Stacks block of height 3 on the branch a
//	genesis the genesis block
//	101b    a Bitcoin block of height 101 on the fork b
//	101b'   the same Bitcoin block with another sortition: its consensus hash is another one
package body
