// Package replica decides which of several databases reads go to: a primary and replicas of it, all with the same rows, at
// different positions.
//
// One process reads one of them at a time, so that its answers go forwards: a replica as long as it answers and keeps up, else
// the next one, and the primary when there is none. A pool whose configuration went through Prepare follows the choice: its
// next connections go to the chosen server, and those to others are closed when they are asked for.
package replica
