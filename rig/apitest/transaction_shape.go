package apitest

const AbiOfCoin = `{"functions":[{"name":"transfer","access":"public","args":[{"name":"amount","type":"uint128"},{"name":"to","type":"principal"}],
	"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}],"variables":[],"maps":[],"fungible_tokens":[],"non_fungible_tokens":[]}`
