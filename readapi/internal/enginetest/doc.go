// Package enginetest tests the engine as clients and other processes meet it: through the whole API, while the chain moves
// and Redis or the database fail. The tests stand apart from package engine, whose own tests look inside of it: with these
// beside them, all resources would be compiled once more for the package's tests.
package enginetest
