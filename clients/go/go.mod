// At a release, the path changes here, in README.md and in the imports of the tests.
module strata.example/client

go 1.26.0

require (
	github.com/transparency-dev/formats v0.1.1
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/mod v0.42.0
)
