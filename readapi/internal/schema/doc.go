// Package schema holds the scalar types of API bodies, each with its OpenAPI schema, and helpers for building schemas
// and amounts.
package schema
