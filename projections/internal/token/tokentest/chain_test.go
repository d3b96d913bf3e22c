package tokentest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"strata/domain/clarity"
	"strata/internal/synth/value"
	"strata/rig/body"
)

// alice deploys the contracts.
const (
	alice    = body.Account("alice")
	stranger = body.Account("stranger")
)

func utf8(s string) clarity.Value { return value.Must(clarity.NewUTF8(s)) }

// huge is 2^128-1.
var huge = value.Must(clarity.NewUint(hugeNumber))

var hugeNumber = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))

// functions returns the functions of an interface, each given as "name type …".
func functions(lines ...string) []any {
	types := map[string]any{
		"uint": "uint128", "principal": "principal",
		"memo":     map[string]any{"buffer": map[string]any{"length": 34}},
		"optional": map[string]any{"optional": map[string]any{"buffer": map[string]any{"length": 34}}},
	}
	var all []any
	for _, line := range lines {
		words := strings.Fields(line)
		arguments := []any{}
		for i, word := range words[1:] {
			arguments = append(arguments, map[string]any{"name": fmt.Sprint("a", i), "type": types[word]})
		}
		all = append(all, map[string]any{"name": words[0], "access": "public", "args": arguments, "outputs": map[string]any{"type": "bool"}})
	}
	return all
}

func contractInterface(fungible, nonFungible []string, functions []any) json.RawMessage {
	named := func(names []string) []any {
		list := []any{}
		for _, name := range names {
			list = append(list, map[string]any{"name": name, "type": "uint128"})
		}
		return list
	}
	text, err := json.Marshal(map[string]any{"functions": functions, "fungible_tokens": named(fungible), "non_fungible_tokens": named(nonFungible)})
	if err != nil {
		panic(err)
	}
	return text
}

// Interfaces of contracts that follow the standards.
var (
	sip010 = contractInterface([]string{"coin"}, nil, functions(
		"transfer uint principal principal optional", "get-name", "get-symbol", "get-decimals", "get-balance principal", "get-total-supply", "get-token-uri"))
	sip009 = contractInterface(nil, []string{"art"}, functions(
		"get-last-token-id", "get-token-uri uint", "get-owner uint", "transfer uint principal principal"))
	sip013 = contractInterface([]string{"share"}, []string{"deed"}, functions(
		"get-balance uint principal", "get-overall-balance principal", "get-total-supply uint", "get-overall-supply", "get-decimals uint",
		"get-token-uri uint", "transfer uint uint principal principal", "transfer-memo uint uint principal principal memo"))
	noToken = contractInterface(nil, nil, functions("greet"))
)

func mintNFT(contract string, id uint64) body.Event {
	return body.MintNFT(contract+"::art", value.Uint(id))
}
func mintFT(contract string) body.Event { return body.MintFT(contract+"::coin", "2000") }
func burnFT(contract string) body.Event { return body.BurnFT(contract+"::coin", "2000") }

// printSFT returns the print sft_mint or sft_burn of SIP-013.
func printSFT(contract, event string, id clarity.Value, amount uint64) body.Event {
	return body.Print(contract, value.Tuple("type", value.Text(event), "token-id", id, "amount", value.Uint(amount), "recipient", value.Principal(alice.Address())))
}

// announce returns a notification of SIP-019 that the contract itself prints. Parts are further names and values of the
// payload.
func announce(contract, class string, parts ...any) body.Event {
	return body.Print(contract, announcement(contract, class, parts...))
}

// announcement returns the notification with one word as a buffer, because words may be of any text type.
func announcement(contract, class string, parts ...any) clarity.Value {
	payload := append([]any{"token-class", value.Buffer(class), "contract-id", value.Principal(contract)}, parts...)
	return value.Tuple("notification", value.Text("token-metadata-update"), "payload", value.Tuple(payload...))
}

func ids(n ...uint64) clarity.Value {
	var values []clarity.Value
	for _, id := range n {
		values = append(values, value.Uint(id))
	}
	return value.Must(clarity.NewList(values...))
}

// by returns a transaction of alice with events.
func by(events ...body.Event) body.Transaction { return alice.Did(events...) }

var (
	none   = clarity.NewNone()
	okNone = clarity.NewOk(none)
)

func okNumber(n uint64) clarity.Value { return clarity.NewOk(value.Uint(n)) }

func newList(values ...clarity.Value) (clarity.Value, error) { return clarity.NewList(values...) }
