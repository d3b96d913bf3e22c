package main

import (
	"context"
	"os"

	"strata/readapi"
)

type openapiCommand struct {
	YAML bool `help:"Print YAML instead of JSON."`
}

// Run prints the description; it needs no database.
func (c *openapiCommand) Run(context.Context, *Globals) error {
	document, err := readapi.OpenAPI(c.YAML)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(document)
	return err
}
