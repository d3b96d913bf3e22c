package node

// nodePox is the state of stacking and the schedule of the network. Amounts are in µSTX.
type nodePox struct {
	ContractID          string            `json:"contract_id" doc:"The contract in force." example:"SP000000000000000000002Q6VF78.pox-4"`
	ActivationThreshold int64             `json:"pox_activation_threshold_ustx" doc:"Amount that must be stacked for a cycle to pay rewards."`
	FirstHeight         int64             `json:"first_burnchain_block_height" doc:"The Bitcoin height at which the network began."`
	CurrentHeight       int64             `json:"current_burnchain_block_height" doc:"The Bitcoin height now."`
	PreparePhaseLength  int64             `json:"prepare_phase_block_length" doc:"Bitcoin blocks."`
	RewardPhaseLength   int64             `json:"reward_phase_block_length" doc:"Bitcoin blocks."`
	RewardSlots         int64             `json:"reward_slots"`
	RejectionFraction   *int64            `json:"rejection_fraction" doc:"Null since rejection ended with pox-2."`
	TotalLiquidSupply   int64             `json:"total_liquid_supply_ustx"`
	CurrentCycle        nodePoxCycle      `json:"current_cycle"`
	NextCycle           nodePoxNextCycle  `json:"next_cycle"`
	Epochs              []nodePoxEpoch    `json:"epochs" nullable:"false" doc:"All epochs, including those that have not begun."`
	CurrentEpoch        string            `json:"current_epoch,omitempty" doc:"The epoch_id of the epoch in force." example:"Epoch33"`
	MinAmount           int64             `json:"min_amount_ustx" doc:"Minimum amount for a reward slot in the next cycle."`
	PrepareCycleLength  int64             `json:"prepare_cycle_length" doc:"The same as prepare_phase_block_length."`
	RewardCycleID       int64             `json:"reward_cycle_id" doc:"The number of the current cycle."`
	RewardCycleLength   int64             `json:"reward_cycle_length" doc:"Bitcoin blocks."`
	RejectionVotesLeft  *int64            `json:"rejection_votes_left_required" doc:"Null since rejection ended with pox-2."`
	NextRewardCycleIn   int64             `json:"next_reward_cycle_in" doc:"Bitcoin blocks until the next cycle begins."`
	ContractVersions    []nodePoxContract `json:"contract_versions" nullable:"false"`
	Pox5SBTCContract    *string           `json:"pox_5_sbtc_contract,omitempty" doc:"The token in which pox-5 pays; present if the node knows pox-5."`
	Pox5SBTCRegistry    *string           `json:"pox_5_sbtc_registry_contract,omitempty" doc:"The registry of that token."`
}

type nodePoxCycle struct {
	ID           int64 `json:"id"`
	MinThreshold int64 `json:"min_threshold_ustx" doc:"Minimum amount for a reward slot."`
	Stacked      int64 `json:"stacked_ustx"`
	Active       bool  `json:"is_pox_active" doc:"Whether the cycle pays rewards."`
}

type nodePoxNextCycle struct {
	ID                 int64  `json:"id"`
	MinThreshold       int64  `json:"min_threshold_ustx" doc:"Minimum amount for a reward slot."`
	MinIncrement       int64  `json:"min_increment_ustx" doc:"The threshold is a multiple of this amount."`
	Stacked            int64  `json:"stacked_ustx"`
	PrepareStart       int64  `json:"prepare_phase_start_block_height" doc:"Bitcoin height."`
	BlocksUntilPrepare int64  `json:"blocks_until_prepare_phase" doc:"Bitcoin blocks; negative once it has begun."`
	RewardStart        int64  `json:"reward_phase_start_block_height" doc:"Bitcoin height."`
	BlocksUntilReward  int64  `json:"blocks_until_reward_phase" doc:"Bitcoin blocks."`
	UntilRejection     *int64 `json:"ustx_until_pox_rejection" doc:"Null since rejection ended with pox-2."`
}

type nodePoxEpoch struct {
	ID           string        `json:"epoch_id" example:"Epoch33"`
	StartHeight  int64         `json:"start_height" doc:"Bitcoin height of the first block of the epoch."`
	EndHeight    int64         `json:"end_height" doc:"Bitcoin height of the first block after the epoch; 9223372036854775807 if none is planned, which exceeds the precision of a JavaScript number."`
	BlockLimit   ExecutionCost `json:"block_limit" doc:"Cost limit of all blocks of a tenure together."`
	NetworkEpoch int64         `json:"network_epoch"`
}

type nodePoxContract struct {
	ContractID       string `json:"contract_id"`
	ActivationHeight int64  `json:"activation_burnchain_block_height"`
	FirstRewardCycle int64  `json:"first_reward_cycle_id"`
}
