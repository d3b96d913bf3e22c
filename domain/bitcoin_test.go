package domain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"

	"pgregory.net/rapid"
)

// TestParseAddress takes its bech32 examples from BIP-173 and BIP-350.
func TestParseAddress(t *testing.T) {
	const key = "751e76e8199196d454941c45d1b3a323f1433bd6"
	for _, tc := range []struct {
		name, text string
		network    bitcoin.Network
		want       bitcoin.Address
		err        error
	}{
		{"P2PKH", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", bitcoin.Mainnet, bitcoin.Address{Kind: bitcoin.PubKeyHash, Hash: vector.Bytes(t, key)}, nil},
		{"P2WPKH", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", bitcoin.Mainnet, bitcoin.Address{Kind: bitcoin.Witness, Hash: vector.Bytes(t, key)}, nil},
		{"upper case", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", bitcoin.Mainnet, bitcoin.Address{Kind: bitcoin.Witness, Hash: vector.Bytes(t, key)}, nil},
		{"testnet P2WPKH", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", bitcoin.Testnet, bitcoin.Address{Kind: bitcoin.Witness, Hash: vector.Bytes(t, key)}, nil},
		{"P2WSH", "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", bitcoin.Mainnet, bitcoin.Address{Kind: bitcoin.Witness, Hash: vector.Bytes(t, "1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262")}, nil},
		{"P2TR", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", bitcoin.Mainnet, bitcoin.Address{Kind: bitcoin.Witness, Version: 1, Hash: vector.Bytes(t, "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")}, nil},
		{"witness version 16", "bc1sw50qgdz25j", bitcoin.Mainnet, bitcoin.Address{Kind: bitcoin.Witness, Version: 16, Hash: vector.Bytes(t, "751e")}, nil},
		{"base58 checksum", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMJ", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"bech32 checksum", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"version 1 with bech32", "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"version 0 with bech32m", "bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"program of 41 bytes", "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"without program", "bc1gmk9yu", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"mixed case", "bc1QW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"other network's base58", "mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrNetwork},
		{"other network's bech32", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrNetwork},
		{"empty", "", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"too long", strings.Repeat("1", 1<<20), bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
		{"Stacks", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7", bitcoin.Mainnet, bitcoin.Address{}, bitcoin.ErrAddress},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := bitcoin.ParseAddress(tc.text, tc.network)
			if !errors.Is(err, tc.err) {
				t.Fatalf("err = %v, want %v", err, tc.err)
			}
			if got.Kind != tc.want.Kind || got.Version != tc.want.Version || !bytes.Equal(got.Hash, tc.want.Hash) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			if err != nil || tc.name == "upper case" {
				return
			}
			if text, ok := got.Text(tc.network); !ok || text != tc.text {
				t.Errorf("Text = %s, %t, want %s", text, ok, tc.text)
			}
		})
	}
}

func TestAddressWithoutText(t *testing.T) {
	for _, a := range []bitcoin.Address{
		{},
		{Kind: bitcoin.PubKeyHash, Hash: make([]byte, 32)},
		{Kind: bitcoin.ScriptHash},
		{Kind: bitcoin.Witness, Hash: make([]byte, 21)},
		{Kind: bitcoin.Witness, Version: 17, Hash: make([]byte, 32)},
		{Kind: 9, Hash: make([]byte, 20)},
	} {
		if text, ok := a.Text(bitcoin.Mainnet); ok {
			t.Errorf("Text of %+v = %s, want none", a, text)
		}
	}
}

func TestStacks(t *testing.T) {
	for stacks, want := range map[string]string{
		"SP2GKVKM12JZ0YW3ZJH3GMBJYGVNM0BS94ERA45AM": "1FhZqHcrXaWcNCJPEGn2BRZ9angJvYfTBT",
		"ST2M9C0SHDV4FMXF3R0P98H8GQPW5824DVEJ9MVQZ": "mvtMXL9MYH8HaNz7u9AgapGqoFYpNDfKBx",
	} {
		a := must.Get(c32.ParseAddress(stacks))(t)
		if got := bitcoin.FromStacks(a); got != want {
			t.Errorf("FromStacks(%s) = %s, want %s", stacks, got, want)
		}
		if got, err := bitcoin.ToStacks(want); err != nil || got != a {
			t.Errorf("ToStacks(%s) = %s, %v, want %s", want, got, err, stacks)
		}
	}
	for text, want := range map[string]error{
		"":                        bitcoin.ErrAddress,
		strings.Repeat("1", 1000): bitcoin.ErrAddress,
		"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4":          bitcoin.ErrAddress,
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ": bitcoin.ErrAddress, // a private key: 32 bytes
		"LbTjMGN7gELw4KbeyQf6cTCq859hD18guE":                  c32.ErrVersion,     // version 48
	} {
		if got, err := bitcoin.ToStacks(text); !errors.Is(err, want) {
			t.Errorf("ToStacks(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestPoxAddressWithoutText(t *testing.T) {
	for _, p := range []bitcoin.PoxAddress{
		{Version: 7, Hash: make([]byte, 32)},
		{Version: bitcoin.PoxP2PKH, Hash: make([]byte, 32)},
		{Version: bitcoin.PoxP2WSH, Hash: make([]byte, 20)},
		{Version: bitcoin.PoxP2TR},
	} {
		if text, ok := p.Text(bitcoin.Mainnet); ok {
			t.Errorf("Text of %+v = %s, want none", p, text)
		}
	}
	if p, err := bitcoin.ParsePoxAddress("bc1sw50qgdz25j", bitcoin.Mainnet); !errors.Is(err, bitcoin.ErrAddress) {
		t.Errorf("witness version 16: got %+v, %v, want %v", p, err, bitcoin.ErrAddress)
	}
}

func TestPoxAddressRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		network := rapid.SampledFrom([]bitcoin.Network{bitcoin.Mainnet, bitcoin.Testnet, bitcoin.Regtest}).Draw(t, "network")
		length := 20
		version := rapid.ByteRange(0, 6).Draw(t, "version")
		if version >= bitcoin.PoxP2WSH {
			length = 32
		}
		p := bitcoin.PoxAddress{Version: version, Hash: rapid.SliceOfN(rapid.Byte(), length, length).Draw(t, "hash")}
		text, ok := p.Text(network)
		if !ok {
			t.Fatalf("%+v has no text", p)
		}
		got, err := bitcoin.ParsePoxAddress(text, network)
		if version == bitcoin.PoxP2SHP2WPKH || version == bitcoin.PoxP2SHP2WSH {
			version = bitcoin.PoxP2SH
		}
		if err != nil || got.Version != version || !bytes.Equal(got.Hash, p.Hash) {
			t.Fatalf("%s read back as %+v, %v, want version %d of %x", text, got, err, version, p.Hash)
		}
	})
}

func TestStacksVectors(t *testing.T) {
	vector.Each(t, "c32_addresses.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			Address        string
			BitcoinAddress string `json:"bitcoin_address"`
			RoundTrip      *bool  `json:"round_trip_from_bitcoin"`
		}](t, row)
		a := must.Get(c32.ParseAddress(want.Address))(t)
		same(t, "FromStacks", bitcoin.FromStacks(a), want.BitcoinAddress)
		if want.RoundTrip == nil {
			return
		}
		if got, err := bitcoin.ToStacks(want.BitcoinAddress); err != nil || (got == a) != *want.RoundTrip {
			t.Errorf("ToStacks = %v, %v, want round trip %t", got, err, *want.RoundTrip)
		}
	})
}

func TestPoxAddressVectors(t *testing.T) {
	vector.Each(t, "pox_addresses.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			Version                   byte
			Hashbytes                 string
			Mainnet, Testnet, Regtest string
		}](t, row)
		p := bitcoin.PoxAddress{Version: want.Version, Hash: vector.Bytes(t, want.Hashbytes)}
		for _, network := range []struct {
			bitcoin.Network
			want string
		}{{bitcoin.Mainnet, want.Mainnet}, {bitcoin.Testnet, want.Testnet}, {bitcoin.Regtest, want.Regtest}} {
			if got, ok := p.Text(network.Network); !ok || got != network.want {
				t.Errorf("%s: Text = %s, %t, want %s", network.HRP, got, ok, network.want)
			}
		}
	})
}

func FuzzParsePoxAddress(f *testing.F) {
	f.Add("1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH")
	f.Add("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
	f.Add("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := bitcoin.ParsePoxAddress(s, bitcoin.Mainnet)
		if err != nil {
			return
		}
		if text, ok := p.Text(bitcoin.Mainnet); !ok || !strings.EqualFold(text, s) {
			t.Errorf("%q parsed as %+v: Text = %s, %t", s, p, text, ok)
		}
	})
}

func FuzzToStacks(f *testing.F) {
	f.Add("1FhZqHcrXaWcNCJPEGn2BRZ9angJvYfTBT")
	f.Add("mvtMXL9MYH8HaNz7u9AgapGqoFYpNDfKBx")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := bitcoin.ToStacks(s)
		if err != nil {
			return
		}
		if text := bitcoin.FromStacks(a); text != s {
			// The Bitcoin versions 20, 21, 22 and 26 are also Stacks versions, which FromStacks maps to other numbers.
			if again, err := bitcoin.ToStacks(text); err != nil || again != a {
				t.Errorf("%q becomes %s, then %s, then %s, %v", s, a, text, again, err)
			}
		}
	})
}
