// Package picture looks at images that strangers made, makes small ones of them, keeps both, and serves them.
//
// Whoever fetches calls [Keep]; whoever serves uses [Handler]. What is kept can be lost: the bytes of each image are in
// the log, so that a store is a cache that nobody has to back up.
//
// An image is trusted with nothing. What it is follows from its bytes, not from what a server called it. Before a
// decoder sees it, its header must promise a size that fits the memory set aside for decoding (a file of a few dozen
// bytes can claim gigabytes). An SVG is a program for a browser: it passes only without anything that runs, or that is
// fetched from elsewhere.
package picture
