package bns_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/internal/synth/synthnames"
	"strata/rig/replay"
)

// TestExpiries compares whole answers about names that are not as in the story of TestBodies: whose zonefiles can't be
// used, whose namespace is not launched, and, at the Bitcoin heights around which it changes, one that expires.
func TestExpiries(t *testing.T) {
	t.Parallel()
	const (
		bytes = `"full_name":"bytes.club","name_string":"bytes","namespace_string":"club","owner":"@B","registered_at":"103","renewal_height":"403","stx_burn":"20000"`
		early = `"full_name":"early.next","name_string":"early","namespace_string":"next","owner":"@C","registered_at":"104","renewal_height":"0","stx_burn":"1000"`
		far   = `"full_name":"far.club","name_string":"far","namespace_string":"club","owner":"@B","registered_at":"103","renewal_height":"403","stx_burn":"20000"`
		moved = `"full_name":"moved.club","name_string":"moved","namespace_string":"club","owner":"@C","registered_at":"103","renewal_height":"403","stx_burn":"20000"`
		name  = `"full_name":"name.club","name_string":"name","namespace_string":"club","owner":"@C","registered_at":"103","renewal_height":"403","stx_burn":"20000"`
		odd   = `"full_name":"odd.club","name_string":"odd","namespace_string":"club","owner":"@B","registered_at":"103","renewal_height":"403","stx_burn":"20000"`
		pearl = `"full_name":"pearl.club","name_string":"pearl","namespace_string":"club","owner":"@B","registered_at":"100","renewal_height":"401","stx_burn":"1000"`
		next  = `"namespace_string":"next","launched_at":null,"lifetime":300,"namespace_manager":null,"price_function_base":10,"price_function_coeff":200,` +
			`"price_function_buckets":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"price_function_no_vowel_discount":3,"price_function_nonalpha_discount":2,` +
			`"manager_transferable":false,"can_update_price_function":true,"namespace_import":"@A","revealed_at":104,"manager_frozen":false,"total_names":1,"active_names":1`
		noFormat    = `400 {"error":"Invalid zonefile format"`
		mismatch    = `400 {"error":"Zonefile needs to be updated (owner mismatch)"}`
		noSubdomain = `400 {"error":"No subdomains or external link found"}`
		undecoded   = `404 {"error":"No zonefile found or unable to decode"}`
		unresolved  = `404 {"error":"Name not found, expired or revoked"}`
	)
	log := replay.NewLog(t)
	blocks, accounts := synthnames.Expiries()
	const launched = 16 // blocks before Bitcoin is at 403
	s := addBlocks(t, log, blocks[:launched])
	s.expect(accounts, map[string]string{
		"/btc-address/name.club":       `404 {"error":"No BTC address set in zonefile"}`,
		"/subdomains/name.club":        noSubdomain,
		"/subdomain/x.name.club":       noSubdomain,
		"/subdomain/x.name.club/owner": noSubdomain,
		"/zonefile/name.club/profile": `{"full_name":"name.club","profile":{"owner":"someone","general":"","twitter":"","url":"","nostr":"","lightning":"","btc":""},` +
			`"validation":{"valid":true,"format":"fields"}}`,

		"/resolve-name/moved.club":     mismatch,
		"/btc-address/moved.club":      mismatch,
		"/subdomains/moved.club":       mismatch,
		"/subdomain/x.moved.club":      mismatch,
		"/zonefile/moved.club/raw":     `400 {"error":"Zonefile owner does not match name owner"}`,
		"/zonefile/moved.club/profile": `400 {"error":"Zonefile owner does not match name owner"}`,

		"/resolve-name/odd.club":       noFormat + `}`,
		"/btc-address/odd.club":        noFormat + `}`,
		"/zonefile/odd.club/raw":       `{"full_name":"odd.club","zonefile":[1]}`,
		"/zonefile/odd.club/profile":   noFormat + `,"details":"want a JSON object with the text owner, have json"}`,
		"/resolve-name/bytes.club":     undecoded,
		"/btc-address/bytes.club":      undecoded,
		"/zonefile/bytes.club/raw":     `{"full_name":"bytes.club","zonefile":"0xff00"}`,
		"/zonefile/bytes.club/profile": noFormat + `,"details":"want a JSON object with the text owner, have bytes"}`,
		"/zonefile/pearl.club/raw":     `404 {"error":"No zonefile found for this name"}`,
		"/zonefile/pearl.club/profile": `404 {"error":"No zonefile found for this name"}`,
		"/zonefile/x.club/raw":         `404 {"error":"Name not found"}`,
		"/zonefile/x.none/profile":     `404 {"error":"Namespace not found"}`,

		"/resolve-name/far.club": `{"zonefile":{"owner":"someone","general":"","twitter":"","url":"","nostr":"","lightning":"","btc":"bc1qfar",` +
			`"externalSubdomainFile":"https://far.example/all.json"}}`,
		"/subdomains/far.club":        `{"subdomains":{},"externalSubdomainFile":"https://far.example/all.json"}`,
		"/subdomain/x.far.club":       `404 {"error":"Subdomain not found","details":"the zonefile leaves subdomains to https://far.example/all.json, which the server does not fetch"}`,
		"/subdomain/x.far.club/owner": `404 {"error":"Subdomain not found","details":"the zonefile leaves subdomains to https://far.example/all.json, which the server does not fetch"}`,
		"/subdomain/far":              `404 {"error":"Subdomain not found"}`,

		"/names/early.next": `{"current_burn_block":104,"status":"active","is_managed":false,"data":{` + early + `,"revoked":false,"imported_at":"104","preordered_by":null,"is_valid":true,` +
			`"hashedSaltedFqnPreorder":null,"id":7,"airdropped":false,"contract_renewal_height":"0","listing":null}}`,
		"/names/early.next/owner":       `400 {"error":"Namespace not launched"}`,
		"/names/early.next/can-resolve": `400 {"error":"Namespace not launched"}`,
		"/names/early.next/renewal":     `{"current_burn_block":104,"renewal_height":0,"blocks_until_expiry":0,"status":"active","needs_renewal":false,"is_managed":false}`,
		"/names/next/x/can-register":    `{"can_register":false,"reason":"NAMESPACE_NOT_LAUNCHED","is_managed":false}`,
		"/names/namespace/next":         `{"total":1,"current_burn_block":104,"limit":50,"offset":0,"names":[{` + early + `}]}`,
		"/namespaces/next": `{"current_burn_block":104,"namespace":{` + next +
			`,"expired_names":0,"revoked_names":0,"first_registration":null,"last_registration":null}}`,
		"/tokens/7/owner": `{"owner":"@C","name":"early","namespace":"next","current_burn_block":104,"status":"active"}`,
		"/tokens/7/name":  `{"id":7,"name":"early","namespace":"next","full_name":"early.next"}`,

		"/names/x.club/owner":       `404 {"error":"Name not found"}`,
		"/names/x.club/id":          `404 {"error":"Name not found"}`,
		"/names/x.club/renewal":     `404 {"error":"Name not found"}`,
		"/names/x.club/can-resolve": `404 {"error":"Name not found"}`,
		"/names/x.none/owner":       `404 {"error":"Namespace not found"}`,
		"/tokens/9/name":            `404 {"error":"Token ID not found"}`,
		"/tokens/9/info":            `404 {"error":"Token ID not found"}`,
		"/names/address/@B/expiring-soon?limit=2&offset=1": `{"total":4,"current_burn_block":104,"limit":2,"offset":1,"names":[{` + bytes + `,"blocks_until_expiry":299},{` +
			far + `,"blocks_until_expiry":299}]}`,
	})

	// name.club lasts until 403, and its grace period until 5402. The resolver and the public service count one block more.
	resolved := `{"zonefile":{"owner":"someone","general":"","twitter":"","url":"","nostr":"","lightning":"","btc":""}}`
	taken := `{"can_register":false,"reason":"NAME_TAKEN","current_owner":"@C","is_managed":false}`
	lapsed := `{"can_register":false,"reason":"NAME_EXPIRED","previous_owner":"@C","expired_at":403,"is_managed":false}`
	for i, at := range []struct {
		height        int64
		status, token string
		resolver      string // of can-resolve
		resolve       string
		register      string
		valid         bool
	}{
		{403, "expiring-soon", "active", `true`, resolved, taken, true},
		{404, "grace-period", "expired", `true`, unresolved, taken, false},
		{5402, "grace-period", "expired", `true`, unresolved, taken, false},
		{5403, "grace-period", "expired", `true`, unresolved, lapsed, false},
		{5404, "expired", "expired", `false`, unresolved, lapsed, false},
	} {
		s := addBlocks(t, log, blocks[launched+i:launched+i+1])
		valid, expired := []string{early}, []string{bytes, far, moved, name, odd, pearl}
		ofC, overC := []string{early}, []string{moved, name}
		if at.valid {
			valid, expired = []string{bytes, early, far, moved, name, odd}, []string{pearl}
			ofC, overC = []string{early, moved, name}, nil
		}
		list := func(names []string, more string) string {
			rows := make([]string, len(names))
			for i, row := range names {
				rows[i] = `{` + row + more + `}`
			}
			return fmt.Sprintf(`{"total":%d,"current_burn_block":%d,"limit":50,"offset":0,"names":[%s]}`, len(names), at.height, strings.Join(rows, ","))
		}
		failure := ""
		if at.resolver == `false` {
			failure = `,"error":"Name expired"`
		}
		data := fmt.Sprintf(`"data":{%s,"revoked":false,"imported_at":null,"preordered_by":null,"is_valid":%t,"hashedSaltedFqnPreorder":null,"id":2,"airdropped":false,`+
			`"contract_renewal_height":"403","listing":null}}`, name, at.valid)
		s.expect(accounts, map[string]string{
			"/names/name.club":       fmt.Sprintf(`{"current_burn_block":%d,"status":"%s","is_managed":false,`, at.height, at.status) + data,
			"/tokens/2/info":         fmt.Sprintf(`{"current_burn_block":%d,"status":"%s",`, at.height, at.token) + data,
			"/tokens/2/owner":        fmt.Sprintf(`{"owner":"@C","name":"name","namespace":"club","current_burn_block":%d,"renewal_height":403,"status":"%s"}`, at.height, at.status),
			"/names/name.club/owner": fmt.Sprintf(`{"owner":"@C","current_burn_block":%d,"renewal_height":403,"status":"%s"}`, at.height, at.status),
			"/names/name.club/renewal": fmt.Sprintf(`{"current_burn_block":%d,"renewal_height":403,"blocks_until_expiry":%d,"status":"%s","needs_renewal":true,"is_managed":false}`,
				at.height, 403-at.height, at.status),
			"/names/name.club/can-resolve":  fmt.Sprintf(`{"can_resolve":%s,"renewal_height":403,"owner":"@C","current_burn_block":%d%s}`, at.resolver, at.height, failure),
			"/names/club/name/can-register": at.register,
			"/resolve-name/name.club":       at.resolve,
			"/names/valid":                  list(valid, `,"revoked":false`),
			"/names/expired":                list(expired, ""),
			"/names/address/@C/valid":       list(ofC, `,"revoked":false`),
			"/names/address/@C/expired":     list(overC, ""),
		})
	}
}
