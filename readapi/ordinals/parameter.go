package ordinals

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/schema"
)

// Patterns of parameters, as in ordinals-api, except that ids and outputs may begin with 0x, as they may in answers.
const (
	inscriptionIDPattern = `^(0x)?[a-fA-F0-9]{64}i[0-9]+$`
	bitcoinHashPattern   = `^[0]{8}[a-fA-F0-9]{56}$`
	outputPattern        = `^(0x)?[a-fA-F0-9]{64}:[0-9]+$`
	mimeTypePattern      = `^\w+\/[-.\w]+(?:\+[-.\w]+)?$`
)

func inscriptionIDSchema() *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Title: "Inscription ID", Extensions: schema.Matching(inscriptionIDPattern),
		Examples: []any{"38c46a8bf7ec90bc7f6b797e7dc84baa97f4e5fd4286b92fe1b50176d03b18dci0"},
	}
}

// satParameter is the number of a sat; empty when it is not given.
type satParameter string

// Schema implements huma.SchemaProvider.
func (satParameter) Schema(huma.Registry) *huma.Schema {
	least, end := 0.0, float64(ordinals.Supply)
	return &huma.Schema{
		Type: huma.TypeInteger, Format: schema.SatFormat, Minimum: &least, ExclusiveMaximum: &end, Description: "The ordinal number of a satoshi.",
		Examples: []any{257418248345364},
	}
}

// sat returns the sat; ok is false when the parameter is not given.
func (p satParameter) sat() (sat ordinals.Sat, ok bool) {
	sat, err := ordinals.ParseSat(string(p))
	return sat, err == nil
}

// blockParameter is the height or hash of a Bitcoin block; empty when it is not given.
type blockParameter string

// Schema implements huma.SchemaProvider.
func (blockParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "The height or hash of a Bitcoin block.",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Title: "Block Hash", Extensions: schema.Matching(bitcoinHashPattern), Examples: []any{"0000000000000000000452773967cdd62297137cdaf79950c5e8bb0c62075133"}},
			ordinal.HeightSchema(),
		},
	}
}

// block returns the hash or the height that the parameter names; neither when it is not given. A value that could be
// either is a hash.
func (p blockParameter) block() (id *hash.Hash32, height *int64) {
	if h, err := hash.Parse32(string(p)); err == nil {
		return &h, nil
	}
	if n, ok := ordinal.HeightParameter(p).Value(); ok {
		return nil, &n
	}
	return nil, nil
}

// booleanParameter is true or false; empty when it is not given.
type booleanParameter string

// Schema implements huma.SchemaProvider.
func (booleanParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeBoolean}
}

// value returns the parameter as a bool; nil when it is not given.
func (p booleanParameter) value() *bool {
	if p == "" {
		return nil
	}
	yes := p == "true"
	return &yes
}

// inscriptionParameter names an inscription in a path, by its id or its number.
type inscriptionParameter string

// Schema implements huma.SchemaProvider.
func (inscriptionParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "The id or the number of an inscription.",
		AnyOf:       []*huma.Schema{inscriptionIDSchema(), ordinal.IntegerSchema("", 10500)},
	}
}

// InscriptionInput names an inscription.
type InscriptionInput struct {
	ID inscriptionParameter `path:"id"`
}

// id returns the id of the inscription as the tables hold it.
func (in *InscriptionInput) id() string { return bareID(string(in.ID)) }

// bareID returns an id or an output without 0x.
func bareID(text string) string { return strings.TrimPrefix(text, "0x") }

// number returns the number of the inscription; ok is false when the input has an id.
func (in *InscriptionInput) number() (n int64, ok bool) {
	return ordinal.IntegerParameter(in.ID).Value()
}

// inscriptionIDs is a list of ids in a request.
type inscriptionIDs []string

// Schema implements huma.SchemaProvider.
func (inscriptionIDs) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Ids of inscriptions. To ask for several, repeat the parameter.", inscriptionIDSchema())
}

// values returns the distinct ids as the tables hold them; nil for none.
func (p inscriptionIDs) values() []string {
	if p == nil {
		return nil
	}
	ids := make([]string, len(p))
	for i, id := range p {
		ids[i] = bareID(id)
	}
	return schema.Distinct(ids)
}

// inscriptionNumbers is a list of numbers in a request.
type inscriptionNumbers []string

// Schema implements huma.SchemaProvider.
func (inscriptionNumbers) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Numbers of inscriptions. To ask for several, repeat the parameter.", ordinal.IntegerSchema("", 10500))
}

// values returns the numbers. They have been validated before.
func (p inscriptionNumbers) values() []int64 {
	numbers := make([]int64, 0, len(p))
	for _, text := range p {
		if n, ok := ordinal.IntegerParameter(text).Value(); ok {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// bitcoinAddresses is a list of addresses in a request. An address is any text, since the feed may hold any text.
type bitcoinAddresses []string

// Schema implements huma.SchemaProvider.
func (bitcoinAddresses) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Bitcoin addresses. To ask for several, repeat the parameter.",
		&huma.Schema{Type: huma.TypeString, Examples: []any{"bc1p8aq8s3z9xl87e74twfk93mljxq6alv4a79yheadx33t9np4g2wkqqt8kc5"}})
}

// mimeTypes is a list of MIME types in a request.
type mimeTypes []string

// Schema implements huma.SchemaProvider.
func (mimeTypes) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("MIME types. To ask for several, repeat the parameter; write a + as %2B.",
		&huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(mimeTypePattern), Examples: []any{"image/png"}})
}

// rarities is a list of rarities in a request.
type rarities []string

// Schema implements huma.SchemaProvider.
func (rarities) Schema(huma.Registry) *huma.Schema {
	item := &huma.Schema{Type: huma.TypeString, Examples: []any{"uncommon"}}
	for r := ordinals.Common; r <= ordinals.Mythic; r++ {
		item.Enum = append(item.Enum, r.String())
	}
	return schema.ListOf("Rarities of satoshis. To ask for several, repeat the parameter.", item)
}

// values returns the numbers of the rarities. They have been validated before.
func (p rarities) values() []int16 {
	values := make([]int16, 0, len(p))
	for _, text := range p {
		if r, err := ordinals.ParseRarity(text); err == nil {
			values = append(values, int16(r))
		}
	}
	return values
}

// outputParameter is a transaction output; empty when it is not given.
type outputParameter string

// Schema implements huma.SchemaProvider.
func (outputParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Extensions: schema.Matching(outputPattern), Description: "The output that holds the satoshis now.",
		Examples: []any{"8f46f0d4ef685e650727e6faf7e30f23b851a7709714ec774f7909b3fb5e604c:0"},
	}
}

// output returns the transaction and the number of the output, both as the tables store them; ok is false when the
// parameter is not given.
func (p outputParameter) output() (tx hash.Hash32, vout string, ok bool) {
	id, vout, ok := strings.Cut(string(p), ":")
	if !ok {
		return tx, "", false
	}
	tx, err := hash.Parse32(id)
	return tx, vout, err == nil
}
