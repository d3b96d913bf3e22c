package view

import (
	"strconv"

	"strata/domain/transaction"
	"strata/readapi/internal/schema"
)

// conditionBody is a post-condition: what must hold for an account when the transaction ends.
type conditionBody struct {
	Type          string              `json:"type" enum:"stx,fungible,non_fungible,staking,pox"`
	ConditionCode string              `json:"condition_code" enum:"sent_equal_to,sent_greater_than,sent_greater_than_or_equal_to,sent_less_than,sent_less_than_or_equal_to,sent,not_sent,maybe_sent,not_performed,maybe_performed,performed,unknown" doc:"For amounts, the comparison; for non_fungible, whether the token is sent; for pox, whether the account stacks."`
	Amount        schema.Amount       `json:"amount,omitempty" doc:"Of stx, fungible and staking."`
	AssetValue    *ClarityValue       `json:"asset_value,omitempty" doc:"Of non_fungible: which one."`
	Asset         *conditionAsset     `json:"asset,omitempty" doc:"Of fungible and non_fungible."`
	Principal     conditionsPrincipal `json:"principal"`
}

type conditionAsset struct {
	AssetName       string `json:"asset_name"`
	ContractAddress string `json:"contract_address"`
	ContractName    string `json:"contract_name"`
}

// conditionsPrincipal is the account that a post-condition is about.
type conditionsPrincipal struct {
	TypeID       string `json:"type_id" enum:"principal_origin,principal_standard,principal_contract"`
	ContractName string `json:"contract_name,omitempty" doc:"Of principal_contract."`
	Address      string `json:"address,omitempty" doc:"Absent for principal_origin, which is the sender."`
}

func showConditions(conditions transaction.PostConditions) []conditionBody {
	shown := make([]conditionBody, 0, min(conditions.Len(), 256))
	for c := range conditions.All() {
		shown = append(shown, showCondition(c))
	}
	return shown
}

func showCondition(c transaction.PostCondition) conditionBody {
	shown := conditionBody{
		Type: c.Type.String(), ConditionCode: c.Code.String(),
		Principal: conditionsPrincipal{TypeID: c.PrincipalKind.String(), ContractName: c.Principal.Contract},
	}
	if c.PrincipalKind != transaction.PrincipalOrigin {
		shown.Principal.Address = c.Principal.Address.String()
	}
	if c.Type.HasAmount() {
		shown.Amount = unsignedAmount(c.Amount)
	}
	if c.Type.HasAsset() {
		shown.Asset = &conditionAsset{c.Asset.Asset, c.Asset.Contract.Address.String(), c.Asset.Contract.Contract}
	}
	if c.Type == transaction.ConditionNonFungible {
		value := showValue(c.AssetValue)
		shown.AssetValue = &value
	}
	return shown
}

func unsignedAmount(n uint64) schema.Amount { return schema.Amount(strconv.FormatUint(n, 10)) }
