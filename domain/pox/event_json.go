package pox

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
)

// JSON returns the event as existing APIs show it, an object with the members name, stacker, locked, balance,
// burnchain_unlock_height, pox_addr (a Bitcoin address of network n), pox_addr_raw and data. Numbers are decimal
// strings, bytes are 0x hex, and absent values are null.
func (e Event) JSON(n bitcoin.Network) ([]byte, error) {
	var address, raw *string
	if e.PoxAddress != nil {
		bytes := "0x" + hex.EncodeToString(e.PoxAddress.Raw())
		raw = &bytes
		if text, ok := e.PoxAddress.Text(n); ok {
			address = &text
		}
	}
	data := object{}
	for _, field := range layouts[e.Name].members {
		data = append(data, member{field, e.Data.jsonValue(field)})
	}
	b, err := object{
		{"name", e.Name},
		{"stacker", e.Stacker.String()},
		{"locked", decimal(e.Locked)},
		{"balance", decimal(e.Balance)},
		{"burnchain_unlock_height", decimal(e.BurnchainUnlockHeight)},
		{"pox_addr", address},
		{"pox_addr_raw", raw},
		{"data", data},
	}.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Name, err)
	}
	return b, nil
}

// jsonValue returns the value of a field for JSON, or nil if the field is absent.
func (d *Data) jsonValue(field string) any {
	switch value := d.pointer(field).(type) {
	case **big.Int:
		return decimal(*value)
	case *[]byte:
		if *value != nil {
			return "0x" + hex.EncodeToString(*value)
		}
	case **clarity.Principal:
		if *value != nil {
			return (*value).String()
		}
	}
	return nil
}

// decimal returns n as a decimal string, or nil for nil.
func decimal(n *big.Int) any {
	if n == nil {
		return nil
	}
	return n.String()
}

// object is a JSON object that keeps the order of its members. In JSON, hyphens in their names become underscores.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(strings.ReplaceAll(m.name, "-", "_"))
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", m.name, err)
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
