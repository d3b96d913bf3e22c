// Package names measures reads of names of both registries in a large world.
package names

import (
	"context"
	"fmt"
	"strconv"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// Bench measures reads of the world.
type Bench struct {
	*bench.Bench
	World World
}

// deepPage is the page that is compared with the first one, counted from 1.
const deepPage = 10_000

// Reads measures what resolves a name or an address from the tables, and deep pages of lists beside their first pages.
func (b *Bench) Reads(ctx context.Context) error {
	url, err := b.Create(ctx, b.World.world())
	if err != nil {
		return err
	}
	return b.FromTables(ctx, url, func(server *bench.Server) error {
		if err := b.lookups(ctx, server); err != nil {
			return err
		}
		return b.pages(ctx, server)
	})
}

// lookups measures reads by a name, an id or an address, which is another one in each request.
func (b *Bench) lookups(ctx context.Context, server *bench.Server) error {
	const v2 = "/bns/v2"
	random := func(i int) int { return 1 + load.Pick(i, b.World.Names) }
	first := func(i int) string { return fmt.Sprintf("name%08d.id", random(i)) }
	second := func(i int) string { return fmt.Sprintf("name%08d.btc", random(i)) }
	owner := func(i int) string { return bench.Account(random(i)) }
	for _, look := range []struct {
		what string
		path func(i int) string
	}{
		{"/v1/names/{name}", func(i int) string { return "/v1/names/" + first(i) }},
		{"/v1/addresses/stacks/{a}", func(i int) string { return "/v1/addresses/stacks/" + owner(i) }},
		{v2 + "/names/{name}", func(i int) string { return v2 + "/names/" + second(i) }},
		{v2 + "/names/{name}/owner", func(i int) string { return v2 + "/names/" + second(i) + "/owner" }},
		{v2 + "/names/address/{a}/valid", func(i int) string { return v2 + "/names/address/" + owner(i) + "/valid" }},
		{v2 + "/names/address/{a}/primary", func(i int) string { return v2 + "/names/address/" + owner(i) + "/primary" }},
		{v2 + "/tokens/{id}/name", func(i int) string { return v2 + "/tokens/" + strconv.Itoa(random(i)) + "/name" }},
	} {
		err := b.Cold(ctx, server, fmt.Sprintf("%s, %d names", look.what, b.World.Names), "p99 < 5 ms over 1 connection", look.path)
		if err != nil {
			return err
		}
	}
	return nil
}

// pages compares deep pages with first pages. The requests of each differ a little.
func (b *Bench) pages(ctx context.Context, server *bench.Server) error {
	const variants = 20
	for _, list := range []struct {
		what string
		size int // names of a page
		path func(page, variant int) string
	}{
		{"/v1/names", 100, func(page, variant int) string { return fmt.Sprintf("/v1/names?page=%d", max(page-1-variant, variant)) }},
		{"/v1/namespaces/id/names", 100, func(page, variant int) string {
			return fmt.Sprintf("/v1/namespaces/id/names?page=%d", max(page-1-variant, variant))
		}},
		{"/bns/v2/names", 50, func(page, variant int) string {
			return fmt.Sprintf("/bns/v2/names?limit=50&offset=%d", (page-1)*50+variant)
		}},
		{"/bns/v2/names/namespace/btc", 50, func(page, variant int) string {
			return fmt.Sprintf("/bns/v2/names/namespace/btc?limit=50&offset=%d", (page-1)*50+variant)
		}},
	} {
		deep := min(deepPage, b.World.Names/list.size)
		if err := b.Deep(ctx, server, fmt.Sprintf("cold %s, page %d", list.what, deep), "page 1", "≤ 1.5×", variants, 1, deep, list.path); err != nil {
			return err
		}
	}
	return nil
}
