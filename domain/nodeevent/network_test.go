package nodeevent_test

import (
	"testing"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
)

func TestNetwork(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, path, body string
		want             transaction.Network
		tells            bool
	}{
		{"mainnet", "/new_block", `{"transactions":[{"raw_tx":"0x000000000104"}]}`, transaction.Mainnet, true},
		{"testnet, with spaces", "/new_microblocks", `{"raw_tx" : "0x808000000004"}`, transaction.Testnet, true},
		{"after the genesis contracts and a Bitcoin operation", "/new_block", `{"raw_tx":"0x800000000004"},{"raw_tx":"0x00"},{"raw_tx":"0x808000012304"}`,
			transaction.Network{Version: transaction.VersionTestnet, ChainID: 0x80000123}, true},
		{"another chain of testnet, without 0x", "/new_block", `{"raw_tx":"8000000001`, transaction.Network{Version: transaction.VersionTestnet, ChainID: 1}, true},
		{"within a string", "/new_block", `{"abi":"{\"raw_tx\":\"0x000000000104\"}"}`, transaction.Network{}, false},
		{"no transaction", "/new_block", `{}`, transaction.Network{}, false},
		{"not hex", "/new_block", `{"raw_tx":"0xzz00000001"}`, transaction.Network{}, false},
		{"cut off", "/new_block", `{"raw_tx":"0x0000`, transaction.Network{}, false},
		{"another path", "/new_burn_block", `{"raw_tx":"0x000000000104"}`, transaction.Network{}, false},
	} {
		if n, tells := nodeevent.Network(tc.path, []byte(tc.body)); tells != tc.tells || tells && n != tc.want {
			t.Errorf("%s: got %+v, %t, want %+v, %t", tc.name, n, tells, tc.want, tc.tells)
		}
	}
}
