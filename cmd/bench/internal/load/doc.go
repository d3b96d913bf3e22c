// Package load makes requests as fast as a server answers them, and measures their latencies. It allocates and parses
// as little as possible, because it shares the processors with the server.
package load
