// Package rig is what the tests of packages follow and version share: projections made for tests, posts to fold, and
// helpers that look at the register.
package rig
