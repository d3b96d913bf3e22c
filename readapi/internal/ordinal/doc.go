// Package ordinal holds what the operations of the ordinals API share: pages, errors, parameters, and the form of
// values.
package ordinal
