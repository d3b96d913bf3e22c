package ordinals_test

import (
	"testing"

	"strata/domain/ordinals"
)

func TestLocationOfAReveal(t *testing.T) {
	t.Parallel()
	tx, coinbase := h32(t, "aa"), h32(t, "cc")
	const height, subsidy = 832574, 625_000_000
	inTx := func(offset uint64) ordinals.Satpoint {
		return ordinals.Satpoint{TxID: tx, Vout: "0", Offset: &offset}
	}
	for _, tt := range []struct {
		name     string
		address  *string
		value    uint64
		satpoint ordinals.Satpoint
		want     ordinals.LocationType
	}{
		{"owned", ptr("bc1q"), 10000, inTx(0), ordinals.Transferred},
		{"owned, without value", ptr("bc1q"), 0, inTx(0), ordinals.Transferred},
		{"no address, value", nil, 1000, inTx(665136296), ordinals.Burnt},
		{"empty address, value", ptr(""), 1, inTx(0), ordinals.Burnt},
		{"no value, in the coinbase", nil, 0, ordinals.Satpoint{TxID: coinbase, Vout: "0", Offset: ptr(uint64(subsidy + 7))}, ordinals.SpentInFees},
		{"no value, in another transaction", ptr(""), 0, ordinals.Satpoint{Vout: "0", Offset: ptr(uint64(231))}, ordinals.SpentInFees},
		{"no value, in the transaction beyond the subsidy", ptr(""), 0, inTx(665136296), ordinals.SpentInFees},
		{"no value, in the transaction at the subsidy", ptr(""), 0, inTx(subsidy), ordinals.SpentInFees},
		{"no value, in the transaction", ptr(""), 0, inTx(subsidy - 1), ordinals.Burnt},
		{"no value, in the transaction without offset", nil, 0, ordinals.Satpoint{TxID: tx, Vout: "0"}, ordinals.SpentInFees},
	} {
		reveal := &ordinals.Reveal{Sat: 5, TxIndex: 42, InscriberAddress: tt.address, OutputValue: tt.value, SatpointPost: tt.satpoint}
		want := ordinals.Location{Sat: 5, TxIndex: 42, Type: tt.want, Satpoint: tt.satpoint, Address: tt.address, Value: &tt.value}
		same(t, tt.name, reveal.Location(tx, height), want)
	}
}

// The place of an unbound inscription is at an outpoint of zeros, at the number that the feed gives it.
func TestLocationOfAnUnboundReveal(t *testing.T) {
	t.Parallel()
	tx, number := h32(t, "aa"), ptr(uint64(231))
	for _, tt := range []struct {
		name   string
		reveal ordinals.Reveal
		offset *uint64
	}{
		{"numbered", ordinals.Reveal{UnboundSequence: number, SatpointPost: ordinals.Satpoint{TxID: tx, Vout: "7"}}, number},
		{"at the outpoint", ordinals.Reveal{SatpointPost: ordinals.Satpoint{Vout: "0", Offset: number}}, number},
		{"in the coinbase", ordinals.Reveal{SatpointPost: ordinals.Satpoint{TxID: tx, Vout: "0", Offset: number}}, nil},
		{"on a sat, says the feed", ordinals.Reveal{
			Sat: 5, CurseType: []byte(`"UnrecognizedEvenField"`), InscriberAddress: ptr("bc1q"), OutputValue: 546,
			SatpointPost: ordinals.Satpoint{TxID: tx, Vout: "0", Offset: number},
		}, nil},
	} {
		want := ordinals.Location{Sat: tt.reveal.Sat, Type: ordinals.Unbound, Satpoint: ordinals.Satpoint{Vout: "0", Offset: tt.offset}}
		same(t, tt.name, tt.reveal.Location(tx, 832574), want)
		// The sat moves all the same, with the older inscriptions on it.
		moved, ok := tt.reveal.SatLocation(tx, 832574)
		if onSat := tt.reveal.Sat != 0; ok != onSat || onSat && (moved.Type != ordinals.Transferred || moved.Satpoint != tt.reveal.SatpointPost) {
			t.Errorf("%s: the sat is at %+v, %t", tt.name, moved, ok)
		}
	}
}

func TestLocationOfATransfer(t *testing.T) {
	t.Parallel()
	satpoint := ordinals.Satpoint{TxID: h32(t, "aa"), Vout: "1", Offset: ptr(uint64(3))}
	text, value, zero := ptr("text"), ptr(uint64(9000)), ptr(uint64(0))
	for _, tt := range []struct {
		destination ordinals.LocationType
		in          *uint64
		address     *string
		value       *uint64
	}{
		{ordinals.Transferred, value, text, value},
		{ordinals.Transferred, zero, text, nil},
		{ordinals.Transferred, nil, text, nil},
		{ordinals.SpentInFees, value, nil, nil},
		{ordinals.SpentInFees, nil, nil, nil},
		{ordinals.Burnt, value, nil, value},
		{ordinals.Burnt, zero, nil, nil},
	} {
		transfer := &ordinals.Transfer{Sat: 5, TxIndex: 42, Destination: tt.destination, DestinationValue: text, OutputValue: tt.in, SatpointPost: satpoint}
		want := ordinals.Location{Sat: 5, TxIndex: 42, Type: tt.destination, Satpoint: satpoint, Address: tt.address, Value: tt.value}
		same(t, string(tt.destination), transfer.Location(), want)
	}
}
