package reads

import (
	"context"
	"fmt"
	"strconv"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// namesDeepPage is the page that is compared with the first one, counted from 1.
const namesDeepPage = 10_000

// ReadNames measures what resolves a name or an address from the tables, and deep pages of lists beside their first pages.
func (b *Bench) ReadNames(ctx context.Context) {
	w := namesWorld{b.Named}
	url := b.World(ctx, "names", w.posts())
	b.FromTables(ctx, url, func(server *bench.Server) {
		b.nameLookups(ctx, server)
		b.namePages(ctx, server)
	})
}

// nameLookups measures reads by a name, an id or an address, which is another one in each request.
func (b *Bench) nameLookups(ctx context.Context, server *bench.Server) {
	w := namesWorld{b.Named}
	const v2 = "/bns/v2"
	random := func(i int) int { return 1 + load.Pick(i, w.Names) }
	first := func(i int) string { return firstName(random(i)) }
	second := func(i int) string { return secondName(random(i)) }
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
		{v2 + "/tokens/{id}/name", func(i int) string { return v2 + "/tokens/" + strconv.Itoa(airdropped+random(i)) + "/name" }},
	} {
		b.Lookups(ctx, server, fmt.Sprintf("%s, %d names", look.what, w.Names), "p99 < 5 ms over 1 connection", look.path)
	}
}

// namePages compares deep pages with first pages. The requests of each differ a little.
func (b *Bench) namePages(ctx context.Context, server *bench.Server) {
	w := namesWorld{b.Named}
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
		{"/bns/v2/names/namespace/free", 50, func(page, variant int) string {
			return fmt.Sprintf("/bns/v2/names/namespace/free?limit=50&offset=%d", (page-1)*50+variant)
		}},
	} {
		deep := min(namesDeepPage, w.Names/list.size)
		b.Deep(ctx, server, fmt.Sprintf("cold %s, page %d", list.what, deep), "page 1", "≤ 1.5×", variants, 1, deep, list.path)
	}
}
