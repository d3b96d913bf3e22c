package transaction

import (
	"strata/domain/clarity"
)

// ContractCall calls a public function of a contract.
type ContractCall struct {
	Contract  clarity.Principal
	Function  string
	Arguments Arguments
}

func readContractCall(r *reader) *ContractCall {
	p := new(ContractCall)
	p.Contract.Address = r.address("called contract")
	p.Contract.Contract = string(r.name("called contract"))
	p.Function = string(r.name("called function"))
	p.Arguments = readArguments(r)
	return p
}

// ID returns ContractCallID.
func (p *ContractCall) ID() PayloadID { return ContractCallID }

func (p *ContractCall) appendTo(dst []byte) []byte {
	dst = appendAddress(append(dst, byte(ContractCallID)), p.Contract.Address)
	dst = appendName(dst, p.Contract.Contract)
	dst = appendName(dst, p.Function)
	return append(dst, p.Arguments.Blob()...)
}

func (p *ContractCall) validate() error {
	if err := validateName("called contract", p.Contract.Contract); err != nil {
		return err
	}
	if err := validateAddress("called contract", p.Contract.Address); err != nil {
		return err
	}
	return validateName("called function", p.Function)
}

func (p *ContractCall) sizeHint() int {
	return 24 + len(p.Contract.Contract) + len(p.Function) + len(p.Arguments.Blob())
}
