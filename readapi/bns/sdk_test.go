package bns_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"strata/internal/synth/synthnames"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	reads "strata/readapi/bns"
)

// sdkFolder has the program that calls bns-v2-sdk 2.0.0, with its lockfile.
var sdkFolder = filepath.Join("testdata", "sdk")

// TestSDK makes all calls of bns-v2-sdk that use the public service with our base URL instead of the service's.
func TestSDK(t *testing.T) {
	t.Parallel()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm, with which bns-v2-sdk is installed: scripts/tools.sh node installs it where it can")
	}
	node := must.Get(exec.LookPath("node"))(t)
	installSDK(t, npm)
	blocks, accounts := synthnames.Story()
	server := httptest.NewServer(newSite(t, blocks))
	t.Cleanup(server.Close)

	type options map[string]any
	names := strings.NewReplacer("@A", accounts[0], "@B", accounts[1], "@C", accounts[2])
	fqn := func(name string) options { return options{"fullyQualifiedName": name, "network": "mainnet"} }
	cases := []struct {
		function string
		options  options
		want     string
	}{
		{"getLastTokenId", options{"network": "mainnet"}, `6`},
		{"getRenewalHeight", fqn("name.club"), `"404n"`},
		{"canResolveName", fqn("name.club"), `{"renewal":"404n","owner":"@C"}`},
		{"getOwner", fqn("shop.club"), `"@B"`},
		{"getOwnerById", options{"id": 4, "network": "mainnet"}, `"@C"`},
		{"getIdFromBns", fqn("name.club"), `"4n"`},
		{"getBnsFromId", options{"id": 4, "network": "mainnet"}, `{"name":"name","namespace":"club"}`},
		{"canRegisterName", fqn("fresh.club"), `true`},
		{"canRegisterName", fqn("name.club"), `false`},
		{"fetchUserOwnedNames", options{"senderAddress": names.Replace("@B"), "network": "mainnet"}, `[{"name":"pearl","namespace":"club"},{"name":"shop","namespace":"club"}]`},
		{"fetchUserOwnedNames", options{"senderAddress": "nobody", "network": "mainnet"}, `[]`},
		{"resolveNameZonefile", fqn("name.club"), `{"owner":"someone","general":"hello","twitter":"me","url":"","nostr":"","lightning":"","btc":"bc1qname","subdomains":{"pay":{"owner":"SP2"}}}`},
		{"resolveNameZonefile", fqn("shop.club"), `null`},
		{"getZonefileRaw", fqn("m.vip"), `"ipfs://x"`},
		{"getZonefileRaw", fqn("old.btc"), `null`},
		{"getZonefileProfile", fqn("name.club"), `{"owner":"someone","bio":"hello","btc":"bc1qname","social":[{"platform":"x","username":"me"}],"subdomains":{"pay":{"owner":"SP2"}}}`},
	}
	var calls [][2]any
	for _, c := range cases {
		calls = append(calls, [2]any{c.function, c.options})
	}
	// These have many fields: those that wallets need are compared.
	calls = append(calls, [2]any{"getNameInfo", fqn("shop.club")}, [2]any{"getNamespaceProperties", options{"namespace": "club", "network": "mainnet"}})
	encoded := must.Get(json.Marshal(calls))(t)
	command := exec.CommandContext(t.Context(), node, "sdk.mjs", server.URL+reads.Path, string(encoded))
	command.Dir = sdkFolder
	var failures bytes.Buffer
	command.Stderr = &failures
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, failures.String())
	}
	var results []json.RawMessage
	if err := json.Unmarshal(output, &results); err != nil || len(results) != len(calls) {
		t.Fatalf("%d results of %d calls (%v): %s", len(results), len(calls), err, output)
	}
	for i, c := range cases {
		check.Equal(t, fmt.Sprintf("%s(%v)", c.function, c.options), string(results[i]), names.Replace(c.want))
	}
	info, namespace := string(results[len(cases)]), string(results[len(cases)+1])
	for _, want := range []string{`"owner":"@B"`, `"stxBurn":"20000n"`, `"renewalHeight":"407n"`, `"preorderedBy":"@A"`} {
		if !strings.Contains(info, names.Replace(want)) {
			t.Errorf("getNameInfo: got %s, want %s", info, names.Replace(want))
		}
	}
	for _, want := range []string{`"lifetime":"300n"`, `"launched-at":"102n"`} {
		if !strings.Contains(namespace, want) {
			t.Errorf("getNamespaceProperties: got %s, want %s", namespace, want)
		}
	}
}

// installSDK installs the library as the lockfile says, unless it is there.
func installSDK(t testing.TB, npm string) {
	t.Helper()
	locked := must.Get(os.ReadFile(filepath.Join(sdkFolder, "package-lock.json")))(t)
	mark := filepath.Join(sdkFolder, "node_modules", ".installed")
	if there, err := os.ReadFile(mark); err == nil && bytes.Equal(there, locked) {
		return
	}
	short.Skip(t, "npm has not installed what this needs: make test lets it")
	command := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	command.Dir = sdkFolder
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, output)
	}
	must.Do(t, os.WriteFile(mark, locked, 0o600))
}
