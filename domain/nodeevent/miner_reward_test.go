package nodeevent_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"strata/domain/nodeevent"
)

// Rewards are read without the rest of their block.
func TestReadMinerRewards(t *testing.T) {
	t.Parallel()
	const block = `{"index_block_hash":"0x01","events":[{"type":"x","matured_miner_rewards":[]}],"matured_miner_rewards":[` +
		`{"recipient":"a","miner_address":"b","coinbase_amount":"1","tx_fees_anchored":"2","tx_fees_streamed_confirmed":"3","tx_fees_streamed_produced":"4"},` +
		`{"recipient":"c","coinbase_amount":"0","tx_fees_anchored":"5"}],"transactions":[]}`
	got, err := nodeevent.ReadMinerRewards(iotest.OneByteReader(strings.NewReader(block)))
	if err != nil || len(got) != 2 || got[0].MinerAddress != "b" || got[0].Total().Int64() != 10 || got[1].Recipient != "c" || got[1].Index != 1 || got[1].Total().Int64() != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
	for body, wrong := range map[string]bool{
		`{}`: false, `{"events":[{"matured_miner_rewards":[1]}]}`: false, `{"matured_miner_rewards":null}`: false,
		``: true, `[]`: true, `{"a":1`: true, `{"a":1,}`: true, `{"matured_miner_rewards":[{}]}`: true, `{"matured_miner_rewards":[`: true,
	} {
		if got, err := nodeevent.ReadMinerRewards(strings.NewReader(body)); len(got) > 0 || (err != nil) != wrong {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
	const escaped = `{"x":"\"matured_miner_rewards\":[]","matured\u005fminer_rewards":[{"recipient":"a","coinbase_amount":"1","tx_fees_anchored":"2"}]`
	if got, err := nodeevent.ReadMinerRewards(strings.NewReader(escaped)); err != nil || len(got) != 1 || got[0].Recipient != "a" {
		t.Errorf("got %+v, %v: the rest of the body has to be left alone", got, err)
	}
}
