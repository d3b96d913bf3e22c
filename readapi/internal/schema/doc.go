// Package schema has the scalar types of answers with their schemas, and what makes schemas.
package schema
