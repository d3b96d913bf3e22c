package apitest

import (
	"testing"

	"strata/readapi"
)

// NewKeptWorld returns an API on the small archive, and one that keeps its answers.
func NewKeptWorld(t testing.TB, config readapi.Config) (*Site, *Keeper) {
	t.Helper()
	s := NewWorld(t)
	return s, NewKeeper(t, s.Pool, config)
}
