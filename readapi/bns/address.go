package bns

import (
	"context"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/bns"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// AddressInput names a principal.
type AddressInput struct {
	NetworkInput
	Address string `path:"address" doc:"An address or a contract." example:"SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF"`
}

// AddressNamesInput are the parameters of a list of a principal's names.
type AddressNamesInput struct {
	AddressInput
	PageInput
}

// bnsExpiringRow is a name with the time that is left.
type bnsExpiringRow struct {
	BNSRow
	BlocksUntilExpiry int64 `json:"blocks_until_expiry"`
}

func (a *api) registerAddress() {
	get(a, engine.Operation{
		ID: "list-bns-address-valid-names", Path: "/names/address/{address}/valid", Summary: "Names of an owner that are not expired, in alphabetical order",
	}, func(ctx context.Context, s *engine.Snapshot, in *AddressNamesInput) (*bnsNameList[bnsRevocableRow], error) {
		of := clean(in.Address)
		return listNames(ctx, s, in.NetworkInput, in.PageInput, limitOthers, nameList("held:"+of, " AND c.owner = $1 AND c.valid", of), revocableRow)
	})
	get(a, engine.Operation{
		ID: "list-bns-address-expired-names", Path: "/names/address/{address}/expired", Summary: "Expired names of an owner, in alphabetical order",
	}, func(ctx context.Context, s *engine.Snapshot, in *AddressNamesInput) (*bnsNameList[BNSRow], error) {
		of := clean(in.Address)
		return listNames(ctx, s, in.NetworkInput, in.PageInput, limitOthers, nameList("over:"+of, " AND c.owner = $1 AND NOT c.valid", of), plainRow)
	})
	get(a, engine.Operation{
		ID: "list-bns-address-revoked-names", Path: "/names/address/{address}/revoked", Summary: "Revoked names of an owner, in alphabetical order",
	}, func(ctx context.Context, s *engine.Snapshot, in *AddressNamesInput) (*bnsNameList[BNSRow], error) {
		of := clean(in.Address)
		return listNames(ctx, s, in.NetworkInput, in.PageInput, limitOthers, nameList("withdrawn:"+of, " AND c.owner = $1 AND c.revoked", of), plainRow)
	})
	get(a, engine.Operation{
		ID: "list-bns-address-expiring-names", Path: "/names/address/{address}/expiring-soon",
		Summary:     "Names of an owner that expire within 4320 Bitcoin blocks, the soonest first",
		Description: "Each request counts all of them, and passes over all rows before the page.",
	}, a.listExpiring)
	get(a, engine.Operation{
		ID: "list-bns-address-names", Path: "/names/address/{address}", Summary: "All names of an owner, the primary name first",
		Description: "The primary name comes first, and the others in alphabetical order. `height` shows the names after the block at that Stacks height; " +
			"expiry is then as of that block, too.",
	}, a.listOwned)
	get(a, engine.Operation{
		ID: "get-bns-primary-name", Path: "/names/address/{address}/primary", Summary: "Primary name of a principal",
		Description: "The choice that a contract makes for itself can't be seen: it prints nothing. 404 if there is none.", PointRead: true,
	}, a.primaryName)
	get(a, engine.Operation{
		ID: "get-bns-names-of-addresses", Path: "/names/by-address", Summary: "Names of several owners",
		Description: "For each address the primary name and the first of its names, the primary one first. To name several addresses, repeat the parameter or separate them with commas.",
	}, a.namesOfAddresses)
}

func (a *api) listExpiring(ctx context.Context, s *engine.Snapshot, in *AddressNamesInput) (*bnsNameList[bnsExpiringRow], error) {
	of, limit := clean(in.Address), in.limit(limitOthers)
	// The height as a subquery, not as a joined row: then an index gives the names in their order, and its entries are enough
	// to count them and to skip those before the page.
	const tip = `(SELECT b.burn_height FROM {bns}.block b ORDER BY b.height DESC LIMIT 1)`
	const within = `n.owner = $1 AND ` + current + ` AND n.expires_at >= ` + tip + ` AND n.expires_at < ` + tip + ` + $2::bigint`
	b := s.Batch()
	height := queryTip(b)
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, count(*) FROM {bns}.name n WHERE `+within, of, bns.SoonExpiring)
	rows := engine.Query(b, nameColumns, `
		SELECT r.* FROM (
			SELECT n.full_name, n.expires_at FROM {bns}.name n WHERE `+within+` ORDER BY n.expires_at, n.full_name OFFSET $3 LIMIT $4
		) p
		CROSS JOIN LATERAL (SELECT `+nameSQL+` FROM {bns}.name n WHERE n.full_name = p.full_name AND n.until_height IS NULL LIMIT 1) r
		ORDER BY p.expires_at, p.full_name`, of, bns.SoonExpiring, in.Offset, int64(limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	n, _ := total.First()
	out := &bnsNameList[bnsExpiringRow]{BNSHead: BNSHead{in.marked(), n, height(), limit, in.Offset}, Names: []bnsExpiringRow{}}
	for i := range rows.Rows {
		r := &rows.Rows[i]
		out.Names = append(out.Names, bnsExpiringRow{r.BNSRow, r.blocksLeft(out.CurrentBurnBlock)})
	}
	return out, nil
}

// OwnedInput are the parameters of the list of all names of an owner.
type OwnedInput struct {
	AddressInput
	Limit  int64  `query:"limit" minimum:"0" default:"50" doc:"Rows of a page; 0 means the default. Greater numbers than 1000 mean that."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before: the full name of its last row."`
	Height int64  `query:"height" minimum:"0" default:"0" doc:"Stacks height of the block after which the names are shown; 0 for the newest one."`
}

// BNSOwnedName is a name of an owner.
type BNSOwnedName struct {
	BNSRow
	ID        int64  `json:"id"`
	Status    string `json:"status" enum:"active,expiring-soon,grace-period,expired,revoked"`
	IsPrimary bool   `json:"is_primary"`
	Revoked   bool   `json:"revoked"`
}

// bnsOwnedNames is a page of the names of an owner.
type bnsOwnedNames struct {
	Marked
	CurrentBurnBlock int64          `json:"current_burn_block" doc:"The Bitcoin height that decides about the statuses."`
	BlockHeight      int64          `json:"block_height" doc:"Stacks height of the block after which the names are shown."`
	PrimaryName      *string        `json:"primary_name"`
	Names            []BNSOwnedName `json:"names" nullable:"false"`
	NextCursor       *string        `json:"next_cursor"`
}

// ownedRow is a name of an owner with its place.
type ownedRow struct {
	nameRow
	primary bool
}

func ownedColumns(r *ownedRow) []any { return append(nameColumns(&r.nameRow), &r.primary) }

// ownedSQL returns the query for at most $3 names of owner $1 after the full name $2. The primary name comes first, and
// only if $2 is empty. With historic, they are those after the block at height $4, else the present ones. The condition
// on the owner is a range, so that a generic plan, which expects few names, does not sort all of them either.
func ownedSQL(historic bool) string {
	return strings.NewReplacer("{n}", inForce("n", "$4", historic), "{p}", inForce("p", "$4", historic)).Replace(`
	SELECT r.* FROM (
		SELECT p.full_name, 0 AS place FROM {bns}.primary_name p
		WHERE p.principal = $1 AND $2 = '' AND {p}
		UNION ALL
		SELECT o.full_name, 1 FROM (
			SELECT n.full_name FROM {bns}.name n
			WHERE (n.owner, n.full_name) > ($1, $2) AND n.owner <= $1 AND {n}
			  AND NOT EXISTS (SELECT FROM {bns}.primary_name p WHERE p.principal = $1 AND p.full_name = n.full_name AND {p})
			ORDER BY n.owner, n.full_name LIMIT $3
		) o
	) k
	CROSS JOIN LATERAL (
		SELECT ` + nameSQL + `, k.place = 0 FROM {bns}.name n WHERE n.full_name = k.full_name AND n.owner = $1 AND {n} LIMIT 1
	) r ORDER BY k.place, k.full_name LIMIT $3`)
}

// inForce returns the condition that a version is in force after the block at a height, or now.
func inForce(table, height string, historic bool) string {
	if !historic {
		return table + ".until_height IS NULL"
	}
	return strings.NewReplacer("{t}", table, "{h}", height+"::bigint").Replace(`{t}.height <= {h} AND ({t}.until_height IS NULL OR {t}.until_height > {h})`)
}

func (a *api) listOwned(ctx context.Context, s *engine.Snapshot, in *OwnedInput) (*bnsOwnedNames, error) {
	of, limit := clean(in.Address), PageInput{Limit: in.Limit}.limit(limitOthers)
	historic := in.Height > 0
	args, primaryArgs := []any{of, clean(in.Cursor), int64(limit + 1)}, []any{of}
	var height *int64
	if historic {
		height = &in.Height
		args, primaryArgs = append(args, in.Height), append(primaryArgs, in.Height)
	}
	type moment struct{ height, burnHeight int64 }
	b := s.Batch()
	at := engine.Query(b, func(m *moment) []any { return []any{&m.height, &m.burnHeight} }, `
		SELECT {}, b.height, b.burn_height FROM {bns}.block b WHERE b.height <= coalesce($1::bigint, 9223372036854775807) ORDER BY b.height DESC LIMIT 1`, height)
	rows := engine.QueryPage(b, limit, ownedColumns, ownedSQL(historic), args...)
	primary := engine.Query(b, func(name *string) []any { return []any{name} }, `
		SELECT {bns.primary_name p}, p.full_name FROM {bns}.primary_name p WHERE p.principal = $1 AND `+inForce("p", "$2", historic), primaryArgs...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	m, ok := at.First()
	if !ok || in.Height > m.height {
		return nil, notFound("No block at height " + strconv.FormatInt(in.Height, 10))
	}
	out := &bnsOwnedNames{Marked: in.marked(), CurrentBurnBlock: m.burnHeight, BlockHeight: m.height, Names: []BNSOwnedName{}}
	if name, ok := primary.First(); ok {
		out.PrimaryName = &name
	}
	shown := rows.Rows
	if len(shown) > limit {
		shown = shown[:limit]
		cursor := shown[limit-1].FullName
		if shown[limit-1].primary { // the page has only the primary name: the next one begins at the start of the alphabet
			cursor = beforeNames
		}
		out.NextCursor = &cursor
	}
	for i := range shown {
		out.Names = append(out.Names, shown[i].shape(m.burnHeight))
	}
	return out, nil
}

// beforeNames is a cursor that comes before every full name, and is not empty.
const beforeNames = "!"

func (r *ownedRow) shape(burnHeight int64) BNSOwnedName {
	return BNSOwnedName{r.BNSRow, r.id, r.status(burnHeight), r.primary, r.revoked}
}

// bnsPrimaryAnswer is the primary name of a principal.
type bnsPrimaryAnswer struct {
	Marked
	CurrentBurnBlock int64  `json:"current_burn_block"`
	Address          string `json:"address"`
	BNSOwnedName
}

func (a *api) primaryName(ctx context.Context, s *engine.Snapshot, in *AddressInput) (*bnsPrimaryAnswer, error) {
	of := clean(in.Address)
	b := s.Batch()
	tip := queryTip(b)
	rows := engine.Query(b, ownedColumns, `
		SELECT {bns.primary_name p} || `+nameSQL+`, true FROM {bns}.primary_name p JOIN {bns}.name n ON n.full_name = p.full_name AND `+current+`
		WHERE p.principal = $1 AND p.until_height IS NULL`, of)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := rows.First()
	if !ok {
		return nil, notFound("No primary name")
	}
	return &bnsPrimaryAnswer{in.marked(), tip(), in.Address, row.shape(tip())}, nil
}

// Limits of a request for the names of several owners.
const (
	addressesMost    = 100
	namesEachDefault = 10
	namesEachMost    = 50
)

// addressList is the query parameter that names addresses.
type addressList []string

// Schema implements huma.SchemaProvider.
func (addressList) Schema(huma.Registry) *huma.Schema {
	s := schema.ListOf("Addresses or contracts, 100 at most.", &huma.Schema{Type: huma.TypeString, Examples: []any{"SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF"}})
	s.MaxItems = schema.Ptr(addressesMost)
	return s
}

// AddressesInput names several owners.
type AddressesInput struct {
	NetworkInput
	Addresses addressList `query:"address,explode" required:"true"`
	Each      int64       `query:"limit" minimum:"1" maximum:"50" default:"10" doc:"The greatest number of names for each address."`
}

// bnsAddressNames are the names of one of several owners.
type bnsAddressNames struct {
	Address     string         `json:"address"`
	PrimaryName *string        `json:"primary_name"`
	Total       int64          `json:"total" doc:"Number of all names of the address, expired ones included."`
	Names       []BNSOwnedName `json:"names" nullable:"false"`
}

// bnsNamesByAddress are the names of several owners, in the order of the request.
type bnsNamesByAddress struct {
	Marked
	CurrentBurnBlock int64             `json:"current_burn_block"`
	Addresses        []bnsAddressNames `json:"addresses" nullable:"false"`
}

func (a *api) namesOfAddresses(ctx context.Context, s *engine.Snapshot, in *AddressesInput) (*bnsNamesByAddress, error) {
	var addresses []string
	seen := map[string]int{}
	for _, text := range in.Addresses {
		for address := range strings.SplitSeq(text, ",") {
			if address = clean(strings.TrimSpace(address)); address == "" {
				continue
			}
			if _, ok := seen[address]; !ok {
				seen[address] = len(addresses)
				addresses = append(addresses, address)
			}
		}
	}
	if len(addresses) == 0 || len(addresses) > addressesMost {
		return nil, badRequest("querystring/address must name 1 to " + strconv.Itoa(addressesMost) + " addresses")
	}
	type primaryRow struct{ principal, name string }
	type countRow struct {
		principal string
		n         int64
	}
	b := s.Batch()
	tip := queryTip(b)
	rows := engine.Query(b, ownedColumns, `
		SELECT r.* FROM unnest($1::text[]) WITH ORDINALITY AS wanted (owner, place)
		CROSS JOIN LATERAL (`+strings.NewReplacer("$1", "wanted.owner", "$2", "''", "$3", "$2").Replace(ownedSQL(false))+`) r
		ORDER BY wanted.place`, addresses, in.Each)
	primaries := engine.Query(b, func(r *primaryRow) []any { return []any{&r.principal, &r.name} }, `
		SELECT {bns.primary_name p}, p.principal, p.full_name FROM unnest($1::text[]) AS k (principal)
		JOIN {bns}.primary_name p ON p.principal = k.principal AND p.until_height IS NULL`, addresses)
	counts := engine.Query(b, func(r *countRow) []any { return []any{&r.principal, &r.n} }, `
		SELECT {}, k.owner, coalesce((SELECT l.n FROM {bns}.list l WHERE l.name = 'held:' || k.owner), 0) + coalesce((SELECT l.n FROM {bns}.list l WHERE l.name = 'over:' || k.owner), 0)
		FROM unnest($1::text[]) AS k (owner)`, addresses)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	out := &bnsNamesByAddress{Marked: in.marked(), CurrentBurnBlock: tip(), Addresses: make([]bnsAddressNames, len(addresses))}
	for i, address := range addresses {
		out.Addresses[i] = bnsAddressNames{Address: address, Names: []BNSOwnedName{}}
	}
	for i := range primaries.Rows {
		p := &primaries.Rows[i]
		out.Addresses[seen[p.principal]].PrimaryName = &p.name
	}
	for _, c := range counts.Rows {
		out.Addresses[seen[c.principal]].Total = c.n
	}
	for i := range rows.Rows {
		r := &rows.Rows[i]
		of := &out.Addresses[seen[r.Owner]]
		of.Names = append(of.Names, r.shape(out.CurrentBurnBlock))
	}
	return out, nil
}
