package pox

import "strata/domain/clarity"

// Topics of pox-5 that change what is staked, who signs for it and what it earns.
const (
	TopicSetupBond        = "setup-bond"
	TopicAddToAllowlist   = "add-to-allowlist"
	TopicRegisterForBond  = "register-for-bond"
	TopicUpdateBond       = "update-bond-registration"
	TopicUnstakeSBTC      = "unstake-sbtc"
	TopicEarlyExit        = "announce-l1-early-exit"
	TopicStake            = "stake"
	TopicStakeUpdate      = "stake-update"
	TopicUnstake          = "unstake"
	TopicRegisterSigner   = "register-signer"
	TopicGrantSignerKey   = "grant-signer-key"
	TopicRevokeGrant      = "revoke-signer-grant"
	TopicBondDistribution = "bond-distribution"
	TopicCalculateRewards = "calculate-rewards"
	TopicClaimRewards     = "claim-rewards"
	TopicClaimStaker      = "claim-staker-rewards-for-signer"
)

// Topic returns the topic of a value that pox-5 printed, also of one that DecodePrint does not know. It returns false
// for a value without a topic.
func Topic(v clarity.Value) (string, bool) {
	field, _ := v.Field("topic")
	topic, _ := field.Text()
	return topic, topic != ""
}
