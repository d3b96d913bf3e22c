// Package ordinal has what the resources of the ordinals family share: pages, errors, parameters, and how values are written.
package ordinal
