package readapi_test

import (
	"testing"

	"strata/readapi"
)

// BenchmarkNew is what it takes to make an API: a part of the start of each server, and of most tests here.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readapi.New(readapi.Config{})
	}
}
