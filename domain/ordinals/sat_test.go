package ordinals_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
)

func TestSatVectors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n, height, cycle, epoch, period, offset uint64
		decimal, degree, name, rarity, part     string
	}{
		{0, 0, 0, 0, 0, 0, "0.0", "0°0′0″0‴", "nvtdijuwxlp", "mythic", "0%"},
		{5, 0, 0, 0, 0, 5, "0.5", "0°0′0″5‴", "nvtdijuwxlk", "common", "0.000000000000238095238357143%"},
		{200, 0, 0, 0, 0, 200, "0.200", "0°0′0″200‴", "nvtdijuwxdx", "common", "0.000000000009523809534285719%"},
		{5000000000, 1, 0, 0, 0, 0, "1.0", "0°1′1″0‴", "nvtcsezkbth", "uncommon", "0.00023809523835714296%"},
		{1000000000000, 200, 0, 0, 0, 0, "200.0", "0°200′200″0‴", "nvoivgmdyqb", "uncommon", "0.04761904767142859%"},
		{10080000000000, 2016, 0, 0, 1, 0, "2016.0", "0°2016′0″0‴", "ntwwidfrzxh", "rare", "0.48000000052800024%"},
		{10080000000001, 2016, 0, 0, 1, 1, "2016.1", "0°2016′0″1‴", "ntwwidfrzxg", "common", "0.48000000052804787%"},
		{125348773618236, 25069, 0, 0, 12, 3773618236, "25069.3773618236", "0°25069′877″3773618236‴", "myqwuiexavd", "common", "5.968989226481892%"},
		{257418248345364, 51483, 0, 0, 25, 3248345364, "51483.3248345364", "0°51483′1083″3248345364‴", "mailmmnfcmn", "common", "12.258011839453534%"},
		{1050000000000000, 210000, 0, 1, 104, 0, "210000.0", "0°0′336″0‴", "gkjbdrhkfqf", "epic", "50.00000005500003%"},
		{1914287520444193, 752860, 0, 3, 373, 20444193, "752860.20444193", "0°122860′892″20444193‴", "ahehcbywzae", "common", "91.15654869285287%"},
		{1971875000000000, 850000, 0, 4, 421, 0, "850000.0", "0°10000′1264″0‴", "woneakoqll", "uncommon", "93.89880962709826%"},
		{2067187500000000, 1260000, 1, 6, 625, 0, "1260000.0", "1°0′0″0‴", "fachfvytgb", "legendary", "98.4375001082813%"},
		{2098974609270000, 2310000, 1, 11, 1145, 0, "2310000.0", "1°0′1680″0‴", "dwqhddocv", "epic", "99.95117197994634%"},
		{2099999997689998, 6929998, 5, 32, 3437, 0, "6929998.0", "5°209998′1006″0‴", "b", "uncommon", "99.99999999999996%"},
		{2099999997689999, 6929999, 5, 32, 3437, 0, "6929999.0", "5°209999′1007″0‴", "a", "uncommon", "100%"},
	} {
		sat := ordinals.Sat(tt.n)
		same(t, sat.String()+" in numbers",
			[]uint64{sat.CoinbaseHeight(), sat.Cycle(), sat.Epoch(), sat.Period(), sat.Offset()},
			[]uint64{tt.height, tt.cycle, tt.epoch, tt.period, tt.offset})
		same(t, sat.String()+" in text",
			[]string{sat.Decimal(), sat.Degree(), sat.Name(), sat.Rarity().String(), sat.Percentile()},
			[]string{tt.decimal, tt.degree, tt.name, tt.rarity, tt.part})
	}
}

// epochStarts are the first sats of the epochs, from the published table.
var epochStarts = [...]uint64{
	0, 1050000000000000, 1575000000000000, 1837500000000000, 1968750000000000, 2034375000000000, 2067187500000000,
	2083593750000000, 2091796875000000, 2095898437500000, 2097949218750000, 2098974609270000, 2099487304530000,
	2099743652160000, 2099871825870000, 2099935912620000, 2099967955890000, 2099983977420000, 2099991988080000,
	2099995993410000, 2099997995970000, 2099998997250000, 2099999497890000, 2099999748210000, 2099999873370000,
	2099999935950000, 2099999967240000, 2099999982780000, 2099999990550000, 2099999994330000, 2099999996220000,
	2099999997060000, 2099999997480000,
}

func TestEpochStarts(t *testing.T) {
	t.Parallel()
	for epoch, start := range epochStarts {
		sat, height := ordinals.Sat(start), uint64(epoch)*ordinals.HalvingBlocks
		same(t, "epoch of its first sat", sat.Epoch(), uint64(epoch))
		same(t, "first sat of the epoch", ordinals.FirstSat(height), sat)
		same(t, "height of the first sat", sat.CoinbaseHeight(), height)
		same(t, "subsidy", ordinals.Subsidy(height), uint64(5_000_000_000)>>epoch)
		if epoch > 0 {
			same(t, "epoch of the sat before", (sat - 1).Epoch(), uint64(epoch-1))
			same(t, "height of the sat before", (sat - 1).CoinbaseHeight(), height-1)
		}
	}
	const end = 33 * ordinals.HalvingBlocks
	same(t, "first sat after the last", []ordinals.Sat{ordinals.FirstSat(end), ordinals.FirstSat(1<<64 - 1)}, []ordinals.Sat{ordinals.Supply, ordinals.Supply})
	same(t, "subsidy after the last", []uint64{ordinals.Subsidy(end), ordinals.Subsidy(1<<64 - 1)}, []uint64{0, 0})
	same(t, "first sat of the last block", ordinals.FirstSat(end-1), ordinals.LastSat)
}

func TestNumbersThatAreNotSats(t *testing.T) {
	t.Parallel()
	for _, sat := range []ordinals.Sat{ordinals.Supply, 1<<64 - 1} {
		if sat.Valid() {
			t.Errorf("%d is valid", sat)
		}
		// The results mean nothing, but the methods must not panic.
		_ = sat.Degree() + sat.Decimal() + sat.Name() + sat.Percentile() + sat.Rarity().String()
		sat.Charms()
	}
	if !ordinals.LastSat.Valid() || !ordinals.Sat(0).Valid() {
		t.Error("a sat is not valid")
	}
}

func TestParseSat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want ordinals.Sat
	}{
		{"0", 0}, {"5", 5}, {"007", 7}, {"2099999997689999", ordinals.LastSat},
		{"1e3", 1000}, {"1E+3", 1000}, {"2e0", 2}, {"20999e11", 2099900000000000},
		{"0e99999999999999999999", 0}, {"000000000000000000000000000001", 1},
	} {
		if got, err := ordinals.ParseSat(tt.text); err != nil || got != tt.want {
			t.Errorf("ParseSat(%q): got %d, %v, want %d", tt.text, got, err, tt.want)
		}
	}
	for _, text := range []string{
		"", " ", "-1", "-0", "+1", "1.5", "5.0", "abc", "Infinity", "NaN", "0x10", "1_000", "5 ", " 5", "٣", "e3", "1e", "1e-3", "1e+", "1e3e3", "1e++3",
		"2099999997690000", "18446744073709551616", "18446744073709551617", "21e14", "1e16", "2e99999999999999999999", "5000000000e10", strings.Repeat("9", 1000),
	} {
		if got, err := ordinals.ParseSat(text); err == nil {
			t.Errorf("ParseSat(%q): got %d, want an error", text, got)
		} else if len(err.Error()) > 200 {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
	}
}

var genSat = rapid.Custom(func(t *rapid.T) ordinals.Sat {
	sat := rapid.Uint64Range(0, uint64(ordinals.LastSat)).Draw(t, "sat")
	if rapid.Bool().Draw(t, "near the start of an epoch") {
		sat = rapid.SampledFrom(epochStarts[:]).Draw(t, "start") + rapid.Uint64Range(0, 10).Draw(t, "after")
		sat = min(sat, uint64(ordinals.LastSat))
	}
	return ordinals.Sat(sat)
})

func TestHeightAndOffsetRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		height := rapid.Uint64Range(0, 33*ordinals.HalvingBlocks-1).Draw(t, "height")
		epoch := height / ordinals.HalvingBlocks
		subsidy := uint64(5_000_000_000) >> epoch
		offset := rapid.Uint64Range(0, subsidy-1).Draw(t, "offset")
		sat := ordinals.Sat(epochStarts[epoch] + (height-epoch*ordinals.HalvingBlocks)*subsidy + offset)
		if sat.CoinbaseHeight() != height || sat.Offset() != offset || sat.Epoch() != epoch {
			t.Fatalf("%d: got %d.%d in epoch %d, want %d.%d in epoch %d", sat, sat.CoinbaseHeight(), sat.Offset(), sat.Epoch(), height, offset, epoch)
		}
		if sat.Cycle() != height/(6*ordinals.HalvingBlocks) || sat.Period() != height/2016 {
			t.Fatalf("%d: got cycle %d and period %d", sat, sat.Cycle(), sat.Period())
		}
		if got := ordinals.FirstSat(height) + ordinals.Sat(offset); got != sat {
			t.Fatalf("FirstSat(%d): got %d, want %d", height, got-ordinals.Sat(offset), sat-ordinals.Sat(offset))
		}
	})
}

func TestNameReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sat := genSat.Draw(t, "sat")
		left := uint64(0)
		for _, ch := range sat.Name() {
			left = left*26 + uint64(ch-'a') + 1
		}
		if got := ordinals.Supply - left; got != uint64(sat) {
			t.Fatalf("the name %s of %d reads as %d", sat.Name(), sat, got)
		}
	})
}

func TestPercentileHasNoExponent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sat := genSat.Draw(t, "sat") >> rapid.IntRange(0, 50).Draw(t, "smaller")
		if text := sat.Percentile(); strings.Trim(strings.TrimSuffix(text, "%"), "0123456789.") != "" || !strings.HasSuffix(text, "%") {
			t.Fatalf("got %q", text)
		}
	})
}

func TestParseSatReadsString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sat := genSat.Draw(t, "sat")
		if got, err := ordinals.ParseSat(sat.String()); err != nil || got != sat {
			t.Fatalf("got %d, %v, want %d", got, err, sat)
		}
	})
}
