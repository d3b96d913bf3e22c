package rosetta

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"strata/domain/clarity"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/wire"
)

// callMethods are the methods of /call.
var callMethods = []string{
	"contract_call_read_only", "contract_get_interface", "contract_get_source", "contract_get_constant_val", "contract_get_data_var", "contract_get_map_entry",
}

// contractCall reads a contract at a node.
func (c *call) contractCall(ctx context.Context, in *wire.CallRequest) (*wire.CallAnswer, error) {
	word := func(name string) string { text, _ := in.Parameters[name].(string); return text }
	contract, err := clarity.ParsePrincipal(word("deployer_address") + "." + word("contract_name"))
	if err != nil {
		return nil, fault.Newf(fault.InvalidParams, "deployer_address and contract_name name no contract")
	}
	place := contract.Address.String() + "/" + contract.Contract
	named := func(name string) (string, error) {
		if !clarity.IsName(word(name)) {
			return "", fault.Newf(fault.InvalidParams, "%s is no name", name)
		}
		return url.PathEscape(word(name)), nil
	}
	switch in.Method {
	case "contract_call_read_only":
		return c.readOnly(ctx, in, place, named)
	case "contract_get_interface":
		return c.nodeResult(ctx, "/v2/contracts/interface/"+place)
	case "contract_get_source":
		return c.nodeResult(ctx, "/v2/contracts/source/"+place+"?proof=0")
	case "contract_get_constant_val":
		name, err := named("constant_name")
		if err != nil {
			return nil, err
		}
		answer, err := c.nodeValue(ctx, http.MethodGet, "/v2/constant_val/"+place+"/"+name, nil)
		if answer != nil {
			answer.Idempotent = true
		}
		return answer, err
	case "contract_get_data_var":
		name, err := named("var_name")
		if err != nil {
			return nil, err
		}
		return c.nodeValue(ctx, http.MethodGet, "/v2/data_var/"+place+"/"+name+"?proof=0", nil)
	case "contract_get_map_entry":
		name, err := named("map_name")
		if err != nil {
			return nil, err
		}
		key, err := json.Marshal(hexText(word("key")))
		if err != nil {
			return nil, fmt.Errorf("encode a key: %w", err)
		}
		return c.nodeValue(ctx, http.MethodPost, "/v2/map_entry/"+place+"/"+name+"?proof=0", key)
	}
	return nil, fault.Newf(fault.NotSupported, "method %q is not known: want one of %s", in.Method, strings.Join(callMethods, ", "))
}

func hexText(text string) string { return "0x" + strings.TrimPrefix(text, "0x") }

// readOnly calls a read-only function.
func (c *call) readOnly(ctx context.Context, in *wire.CallRequest, place string, named func(string) (string, error)) (*wire.CallAnswer, error) {
	name, err := named("function_name")
	if err != nil {
		return nil, err
	}
	sender, _ := in.Parameters["sender"].(string)
	if checkAccount(wire.AccountIdentifier{Address: sender}) != nil {
		return nil, fault.New(fault.InvalidSender)
	}
	arguments := []string{}
	list, _ := in.Parameters["arguments"].([]any)
	for _, argument := range list {
		text, _ := argument.(string)
		arguments = append(arguments, hexText(text))
	}
	request := map[string]any{"sender": sender, "arguments": arguments}
	if sponsor, ok := in.Parameters["sponsor"].(string); ok && sponsor != "" {
		request["sponsor"] = sponsor
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("encode a call: %w", err)
	}
	status, answer, err := c.node(ctx, http.MethodPost, "/v2/contracts/call-read/"+place+"/"+name, "application/json", body)
	if err != nil {
		return nil, err
	}
	var result struct {
		Okay   bool   `json:"okay"`
		Result string `json:"result"`
		Cause  string `json:"cause"`
	}
	if status != http.StatusOK || json.Unmarshal(answer, &result) != nil {
		return nil, fault.Newf(fault.ContractReadFailed, "the node answers %d: %s", status, answer)
	}
	if !result.Okay {
		return nil, fault.Newf(fault.ContractReadFailed, "%s", result.Cause)
	}
	return valueAnswer(result.Result)
}

// nodeResult returns a node's JSON, which does not change.
func (c *call) nodeResult(ctx context.Context, path string) (*wire.CallAnswer, error) {
	var result map[string]any
	if err := c.nodeContract(ctx, http.MethodGet, path, nil, &result); err != nil {
		return nil, err
	}
	return &wire.CallAnswer{Result: result, Idempotent: true}, nil
}

// nodeValue returns a Clarity value that a node answers with.
func (c *call) nodeValue(ctx context.Context, method, path string, body []byte) (*wire.CallAnswer, error) {
	var result struct {
		Data string `json:"data"`
	}
	if err := c.nodeContract(ctx, method, path, body, &result); err != nil {
		return nil, err
	}
	return valueAnswer(result.Data)
}

func (c *call) nodeContract(ctx context.Context, method, path string, body []byte, into any) error {
	contentType := ""
	if body != nil {
		contentType = "application/json"
	}
	status, answer, err := c.node(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	if status != http.StatusOK || json.Unmarshal(answer, into) != nil {
		return fault.Newf(fault.ContractReadFailed, "the node answers %d: %s", status, answer)
	}
	return nil
}

// valueAnswer shows a Clarity value in its three forms.
func valueAnswer(text string) (*wire.CallAnswer, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, fault.Newf(fault.ContractReadFailed, "the node's value is not hex")
	}
	value, err := clarity.DecodeAll(raw)
	if err != nil {
		return nil, fault.Newf(fault.ContractReadFailed, "the node's value can't be decoded: %s", err)
	}
	return &wire.CallAnswer{Result: map[string]any{"hex": value.Hex(), "repr": value.Repr(), "type": value.TypeText()}}, nil
}
