// Package rig is what the tests of packages follow, version and chain share: projections made for tests, posts to fold,
// helpers that look at the register, and the comparison of rows with the model of a made-up chain.
//
// Its folder stands above all layers but the programs, so that what it sets up may be of any of them.
package rig
