package bns_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/internal/synth/synthnames"
	"strata/internal/testkit/check"
	reads "strata/readapi/bns"
)

// TestBodies compares whole answers about a short history. In the texts, A, B and C stand for its accounts.
func TestBodies(t *testing.T) {
	t.Parallel()
	blocks, accounts := synthnames.Story()
	s := newSite(t, blocks)
	const (
		free  = `"full_name":"free.free","name_string":"free","namespace_string":"free","owner":"@A","registered_at":"5001","renewal_height":"0","stx_burn":"0"`
		mvip  = `"full_name":"m.vip","name_string":"m","namespace_string":"vip","owner":"@C","registered_at":"111","renewal_height":"0","stx_burn":"0"`
		name  = `"full_name":"name.club","name_string":"name","namespace_string":"club","owner":"@C","registered_at":"104","renewal_height":"404","stx_burn":"20000"`
		old   = `"full_name":"old.btc","name_string":"old","namespace_string":"btc","owner":"@C","registered_at":"5000","renewal_height":"1000","stx_burn":"0"`
		pearl = `"full_name":"pearl.club","name_string":"pearl","namespace_string":"club","owner":"@B","registered_at":"101","renewal_height":"402","stx_burn":"1000"`
		shop  = `"full_name":"shop.club","name_string":"shop","namespace_string":"club","owner":"@B","registered_at":"107","renewal_height":"407","stx_burn":"20000"`

		listHead = `,"current_burn_block":112,"limit":50,"offset":0,"names":[`
		function = `"price_function_base":10,"price_function_coeff":200,"price_function_buckets":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"price_function_no_vowel_discount":3,"price_function_nonalpha_discount":2`
		club     = `"namespace_string":"club","launched_at":102,"lifetime":300,"namespace_manager":null,` + function +
			`,"manager_transferable":false,"can_update_price_function":true,"namespace_import":"@A","revealed_at":101,"manager_frozen":false,"total_names":3,"active_names":3`
		noListing = `"listing":null`
	)
	s.expect(accounts, map[string]string{
		"/names": `{"total":6` + listHead + `{` + free + `,"is_valid":true},{` + mvip + `,"is_valid":true},{` + name + `,"is_valid":true},{` + old + `,"is_valid":false},{` +
			pearl + `,"is_valid":true},{` + shop + `,"is_valid":true}]}`,
		"/names?limit=1&offset=4":       `{"total":6,"current_burn_block":112,"limit":1,"offset":4,"names":[{` + pearl + `,"is_valid":true}]}`,
		"/names?limit=500&offset=9":     `{"total":6,"current_burn_block":112,"limit":100,"offset":9,"names":[]}`,
		"/names/valid?limit=1":          `{"total":6,"current_burn_block":112,"limit":1,"offset":0,"names":[{` + free + `,"revoked":false}]}`,
		"/names/valid?limit=1&offset=3": `{"total":6,"current_burn_block":112,"limit":1,"offset":3,"names":[{` + old + `,"revoked":true}]}`,
		"/names/expired":                `{"total":0` + listHead + `]}`,
		"/names/revoked":                `{"total":1` + listHead + `{` + old + `}]}`,
		"/names/namespace/club":         `{"total":3` + listHead + `{` + name + `},{` + pearl + `},{` + shop + `}]}`,
		"/names/namespace/owner":        `404 {"error":"Namespace not found"}`,

		"/names/address/@B/valid":         `{"total":2` + listHead + `{` + pearl + `,"revoked":false},{` + shop + `,"revoked":false}]}`,
		"/names/address/@A/expired":       `{"total":0` + listHead + `]}`,
		"/names/address/@C/revoked":       `{"total":1` + listHead + `{` + old + `}]}`,
		"/names/address/@B/expiring-soon": `{"total":2` + listHead + `{` + pearl + `,"blocks_until_expiry":290},{` + shop + `,"blocks_until_expiry":295}]}`,
		"/names/address/nobody/valid":     `{"total":0` + listHead + `]}`,
		"/names/address/@B": `{"current_burn_block":112,"block_height":18,"primary_name":"shop.club","names":[{` + shop +
			`,"id":5,"status":"expiring-soon","is_primary":true,"revoked":false},{` + pearl + `,"id":3,"status":"expiring-soon","is_primary":false,"revoked":false}],"next_cursor":null}`,
		"/names/address/@B?height=9&limit=1": `{"current_burn_block":109,"block_height":9,"primary_name":"pearl.club","names":[{` + pearl +
			`,"id":3,"status":"expiring-soon","is_primary":true,"revoked":false}],"next_cursor":"!"}`,
		"/names/address/@B?height=9&cursor=!": `{"current_burn_block":109,"block_height":9,"primary_name":"pearl.club","names":[{` + shop +
			`,"id":5,"status":"expiring-soon","is_primary":false,"revoked":false}],"next_cursor":null}`,
		"/names/address/@B?height=1":  `{"current_burn_block":101,"block_height":1,"primary_name":null,"names":[],"next_cursor":null}`,
		"/names/address/@B?height=19": `404 {"error":"No block at height 19"}`,
		"/names/address/@A/primary":   `{"current_burn_block":112,"address":"@A",` + free + `,"id":2,"status":"active","is_primary":true,"revoked":false}`,
		"/names/address/x/primary":    `404 {"error":"No primary name"}`,
		"/names/by-address?address=x,@A&limit=1": `{"current_burn_block":112,"addresses":[{"address":"x","primary_name":null,"total":0,"names":[]},{"address":"@A","primary_name":"free.free","total":1,"names":[{` +
			free + `,"id":2,"status":"active","is_primary":true,"revoked":false}]}]}`,
		"/names/by-address": `400 {"error":"querystring must have required property 'address'"}`,

		"/names/shop.club": `{"current_burn_block":112,"status":"expiring-soon","is_managed":false,"data":{` + shop +
			`,"revoked":false,"imported_at":null,"preordered_by":"@A","is_valid":true,"hashedSaltedFqnPreorder":"` + synthnames.Preorder + `","id":5,"airdropped":false,"contract_renewal_height":"407",` + noListing + `}}`,
		"/names/pearl.club": `{"current_burn_block":112,"status":"expiring-soon","is_managed":false,"data":{` + pearl +
			`,"revoked":false,"imported_at":"101","preordered_by":null,"is_valid":true,"hashedSaltedFqnPreorder":null,"id":3,"airdropped":false,"contract_renewal_height":"0",` + noListing + `}}`,
		"/names/free.free": `{"current_burn_block":112,"status":"active","is_managed":false,"data":{` + free +
			`,"revoked":false,"imported_at":null,"preordered_by":null,"is_valid":true,"hashedSaltedFqnPreorder":null,"id":2,"airdropped":true,"contract_renewal_height":"0","listing":{"price":"9","commission":"` + synthnames.Commission + `"}}}`,
		"/names/m.vip?network=mainnet": `{"current_burn_block":112,"status":"active","is_managed":true,"data":{` + mvip +
			`,"revoked":false,"imported_at":null,"preordered_by":null,"is_valid":true,"hashedSaltedFqnPreorder":null,"id":6,"airdropped":false,"contract_renewal_height":"0",` + noListing + `}}`,
		"/names/gone.club":             `404 {"error":"Name not found"}`,
		"/names/gone.gone":             `404 {"error":"Namespace not found"}`,
		"/names/gone":                  `404 {"error":"Name not found"}`,
		"/names/name.club/owner":       `{"owner":"@C","current_burn_block":112,"renewal_height":404,"status":"expiring-soon"}`,
		"/names/name.club/id":          `{"name":"name","namespace":"club","id":4}`,
		"/names/name.club/renewal":     `{"current_burn_block":112,"renewal_height":404,"blocks_until_expiry":292,"status":"expiring-soon","needs_renewal":true,"is_managed":false}`,
		"/names/m.vip/renewal":         `{"current_burn_block":112,"renewal_height":0,"blocks_until_expiry":0,"status":"active","needs_renewal":false,"is_managed":true}`,
		"/names/name.club/can-resolve": `{"can_resolve":true,"renewal_height":404,"owner":"@C","current_burn_block":112}`,
		"/names/old.btc/can-resolve":   `{"can_resolve":false,"renewal_height":1000,"owner":"@C","current_burn_block":112,"error":"Name is revoked"}`,

		"/names/club/fresh/can-register": `{"can_register":true,"reason":"NAME_AVAILABLE","is_managed":false}`,
		"/names/club/name/can-register":  `{"can_register":false,"reason":"NAME_TAKEN","current_owner":"@C","is_managed":false}`,
		"/names/club/pearl/can-register": `{"can_register":false,"reason":"NAME_IMPORTED","current_owner":"@B","is_managed":false}`,
		"/names/vip/x/can-register":      `{"can_register":true,"reason":"NAME_AVAILABLE","is_managed":true}`,
		"/names/none/x/can-register":     `404 {"error":"Namespace not found","can_register":false,"reason":"NAMESPACE_NOT_FOUND"}`,
		"/names/club/X/can-register":     `400 {"error":"Invalid name: a label has 1 to 48 of the characters a-z, 0-9, - and _"}`,

		"/resolve-name/name.club":        `{"zonefile":{"owner":"someone","general":"hello","twitter":"me","url":"","nostr":"","lightning":"","btc":"bc1qname","subdomains":{"pay":{"owner":"SP2"}}}}`,
		"/resolve-name/shop.club":        `404 {"error":"No zonefile found or unable to decode"}`,
		"/resolve-name/m.vip":            `404 {"error":"No zonefile found or unable to decode"}`,
		"/resolve-name/old.btc":          `404 {"error":"Name not found, expired or revoked"}`,
		"/resolve-name/x.club":           `404 {"error":"Name not found, expired or revoked"}`,
		"/btc-address/name.club":         `{"btc":"bc1qname"}`,
		"/zonefile/name.club/raw":        `{"full_name":"name.club","zonefile":{"owner":"someone","bio":"hello","btc":"bc1qname","social":[{"platform":"x","username":"me"}],"subdomains":{"pay":{"owner":"SP2"}}}}`,
		"/zonefile/m.vip/raw":            `{"full_name":"m.vip","zonefile":"ipfs://x"}`,
		"/zonefile/old.btc/raw":          `404 {"error":"No zonefile found for this name"}`,
		"/zonefile/name.club/profile":    `{"full_name":"name.club","profile":{"owner":"someone","bio":"hello","btc":"bc1qname","social":[{"platform":"x","username":"me"}],"subdomains":{"pay":{"owner":"SP2"}}},"validation":{"valid":true,"format":"profile"}}`,
		"/zonefile/m.vip/profile":        `400 {"error":"Invalid zonefile format","details":"want a JSON object with the text owner, have text"}`,
		"/subdomains/name.club":          `{"subdomains":{"pay":{"owner":"SP2"}}}`,
		"/subdomains/shop.club":          `404 {"error":"No zonefile found or unable to decode"}`,
		"/subdomain/pay.name.club":       `{"subdomain":"pay.name.club","data":{"owner":"SP2"}}`,
		"/subdomain/no.name.club":        `404 {"error":"Subdomain not found"}`,
		"/subdomain/pay.name.club/owner": `{"subdomain":"pay.name.club","owner":"SP2"}`,

		"/tokens/4/owner": `{"owner":"@C","name":"name","namespace":"club","current_burn_block":112,"renewal_height":404,"status":"expiring-soon"}`,
		"/tokens/2/owner": `{"owner":"@A","name":"free","namespace":"free","current_burn_block":112,"status":"active"}`,
		"/tokens/9/owner": `404 {"error":"Token ID not found"}`,
		"/tokens/4/name":  `{"id":4,"name":"name","namespace":"club","full_name":"name.club"}`,
		"/tokens/1/info": `{"current_burn_block":112,"status":"revoked","data":{` + old +
			`,"revoked":true,"imported_at":null,"preordered_by":null,"is_valid":false,"hashedSaltedFqnPreorder":null,"id":1,"airdropped":true,"contract_renewal_height":"1000",` + noListing + `}}`,
		"/tokens/x/name": `400 {"error":"params/id must be integer"}`,
		"/token/last-id": `{"last_token_id":6}`,

		"/namespaces?limit=1&offset=1": `{"total":4,"current_burn_block":112,"limit":1,"offset":1,"namespaces":[{` + club + `}]}`,
		"/namespaces/club":             `{"current_burn_block":112,"namespace":{` + club + `,"expired_names":0,"revoked_names":0,"first_registration":104,"last_registration":107}}`,
		"/namespaces/none":             `404 {"error":"Namespace not found"}`,
		"/prices/names/abc-1.club":     `{"units":"uSTX","amount":"10000"}`,
		"/prices/names/x.vip":          `{"units":"uSTX","amount":"0"}`,
		"/prices/names/x.none":         `404 {"error":"Namespace not found"}`,
		"/prices/names/X.club":         `400 {"error":"Invalid name"}`,
		"/prices/namespaces/club":      `{"units":"uSTX","amount":"6400000000"}`,
		"/prices/namespaces/C":         `400 {"error":"Invalid namespace"}`,
		"/listings":                    `{"current_burn_block":112,"listings":[{` + free + `,"id":2,"status":"active","price":"9","commission":"` + synthnames.Commission + `"}],"next_cursor":null}`,
		"/listings?namespace=club":     `{"current_burn_block":112,"listings":[],"next_cursor":null}`,
		"/preorders/@A": `{"current_burn_block":112,"preorders":[{"kind":"name","hash":"` + strings.Repeat("0b", 20) +
			`","amount":"5","burn_block_height":112,"block_height":18,"expired":false}]}`,
	})
}

// TestHistory reads the history of a name and of a namespace, page by page.
func TestHistory(t *testing.T) {
	t.Parallel()
	blocks, accounts := synthnames.Story()
	s := newSite(t, blocks)
	walk := func(path string) (events []string) {
		cursor := ""
		for {
			page := s.object(path + "?limit=1" + cursor)
			for _, e := range page["events"].([]any) {
				event := e.(map[string]any)
				text, _ := event["amount"].(string)
				for _, who := range []string{"sender", "recipient"} {
					for i, account := range accounts {
						if event[who] == account {
							text += " " + who + "=" + string(rune('A'+i))
						}
					}
				}
				events = append(events, event["event"].(string)+" "+text)
			}
			next, ok := page["next_cursor"].(string)
			if !ok {
				return events
			}
			cursor = "&cursor=" + next
		}
	}
	for path, want := range map[string]string{
		"/names/shop.club/history":  "set-primary  sender=B, buy 500 sender=A recipient=B, list 500 sender=A, register 20000 recipient=A",
		"/names/old.btc/history":    "revoke  sender=C, transfer  sender=A recipient=C, airdrop  recipient=A",
		"/names/pearl.club/history": "import  recipient=B",
		"/namespaces/vip/history":   "launch  sender=C recipient=C, reveal  sender=C recipient=C",
	} {
		check.Equal(t, path, strings.Join(walk(path), ", "), want)
	}
	if all := walk("/events"); len(all) != 20 {
		t.Errorf("got %d events: %v", len(all), all)
	}
	if got := s.get("/names/gone.club/history"); got.status != http.StatusNotFound {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

// TestNetworks understands the prefix of testnet, and serves at the root.
func TestNetworks(t *testing.T) {
	t.Parallel()
	blocks, _ := synthnames.Story()
	main := newSite(t, blocks)
	if got := main.get("/testnet/names/name.club/id"); got.status != http.StatusNotFound || got.body != `{"error":"This server has the names of mainnet"}` {
		t.Errorf("got %d %s", got.status, got.body)
	}
	test := newSiteOn(t, main.pool, "testnet")
	for path, want := range map[string]string{
		"/testnet/names/name.club/id":                                   `{"network":"testnet","name":"name","namespace":"club","id":4}`,
		"/names/name.club/id":                                           `{"name":"name","namespace":"club","id":4}`,
		"/testnet/subdomains/name.club":                                 `{"subdomains":{"pay":{"owner":"SP2"}}}`,
		"/testnet/names/namespace/vip?limit=1&offset=7&network=mainnet": `{"network":"testnet","total":1,"current_burn_block":112,"limit":1,"offset":7,"names":[]}`,
	} {
		if got := test.get(path); got.body != want {
			t.Errorf("%s: got %d %s, want %s", path, got.status, got.body, want)
		}
		if got := request(t, reads.AtRoot(test.engine), path); got.body != want {
			t.Errorf("%s at the root: got %d %s, want %s", path, got.status, got.body, want)
		}
	}
}
