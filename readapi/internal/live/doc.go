// Package live delivers events to subscribers as they happen. A process has one hub. The hub receives each step of the
// chain once, as messages that are already encoded, and puts these into the queues of all subscribers of their feeds. A
// queue is bounded: a subscriber that does not empty its queue is told so, and catches up from the tables, starting at its
// position.
package live
