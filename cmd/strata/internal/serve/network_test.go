package serve

import "testing"

func TestChainID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint32{"1": 1, "0x80000000": 1 << 31, "2147483648": 1 << 31, "0xFF000001": 0xff000001, "0": 0, "x": 0, "0x100000000": 0, "-1": 0} {
		var id chainID
		if err := id.UnmarshalText([]byte(text)); (err == nil) != (want != 0) || uint32(id) != want {
			t.Errorf("%q: got %d (%v), want %d", text, id, err, want)
		}
	}
	for _, tc := range []struct {
		id      chainID
		network string
		used    uint32 // 0 for an error
	}{
		{0, "mainnet", 1}, {0, "testnet", 1 << 31}, {1, "mainnet", 1}, {1, "testnet", 0}, {1 << 31, "mainnet", 0}, {1 << 31, "testnet", 1 << 31},
		{0x80000123, "testnet", 0x80000123}, {7, "mainnet", 7},
	} {
		if err := tc.id.check(tc.network); (err != nil) != (tc.used == 0) || err == nil && tc.id.of(tc.network) != tc.used {
			t.Errorf("%#x of %s: got %#x (%v), want %#x", uint32(tc.id), tc.network, tc.id.of(tc.network), err, tc.used)
		}
	}
}
