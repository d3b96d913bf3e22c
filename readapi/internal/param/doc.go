// Package param holds the parameters that several operations share. Each has its schema, and the method that interprets
// it.
package param
