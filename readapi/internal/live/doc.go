// Package live hands what happens to those who follow it. One hub for a process is told each step of the chain once, with
// messages that are encoded once, and puts them into the queues of all who follow a feed. A queue is bounded: whoever does
// not empty it is told so, and finds what it missed in the tables, from its position on.
package live
