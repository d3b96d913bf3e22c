// Package wire has the JSON shapes of the open standard for blockchain integration (Rosetta, now Mesh; version 1.4),
// and decodes its requests. Members without omitempty are required.
package wire
