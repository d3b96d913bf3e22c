// Package param has the parameters that several resources have, each with its schema and what it means.
package param
