// Package apitest has what tests of the read API share: an API on a database of its own, made-up worlds, golden files, traces.
package apitest
