package param

import (
	"github.com/danielgtaylor/huma/v2"

	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// bitcoinAddress is the path parameter for a Bitcoin address, or for a Stacks address, which stands for the Bitcoin
// address of the same key or script.
type bitcoinAddress string

// Schema implements huma.SchemaProvider.
func (bitcoinAddress) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Extensions: schema.Described(`^[0-9A-Za-z]{20,90}$`), Description: "A Bitcoin address, or a Stacks address, which stands for the Bitcoin address of the same key or script.",
		Examples: []any{"1FhZqHcrXaWcNCJPEGn2BRZ9angJvYfTBT"},
	}
}

// bitcoinNetworks are the networks whose addresses are accepted; the tables hold no others.
var bitcoinNetworks = []bitcoin.Network{bitcoin.Mainnet, bitcoin.Testnet, bitcoin.Regtest}

// Text returns the Bitcoin address as nodes write it.
func (a bitcoinAddress) Text() (string, error) {
	for _, network := range bitcoinNetworks {
		if parsed, err := bitcoin.ParseAddress(string(a), network); err == nil {
			if text, ok := parsed.Text(network); ok {
				return text, nil
			}
		}
	}
	if parsed, err := c32.ParseAddress(string(a)); err == nil {
		return bitcoin.FromStacks(parsed), nil
	}
	return "", engine.BadRequest("Address %s is not a valid Bitcoin or STX address.", string(a))
}

// BitcoinAddressInput names a Bitcoin address.
type BitcoinAddressInput struct {
	Address bitcoinAddress `path:"address"`
}

// Dependencies returns what the projection pox has of the address.
func (in *BitcoinAddressInput) Dependencies() engine.Dependencies {
	address, err := in.Address.Text()
	if err != nil {
		return engine.On("pox")
	}
	return engine.On("pox", shard.BitcoinAddress(address))
}
