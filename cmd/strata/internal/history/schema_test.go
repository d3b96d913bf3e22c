package history

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"strata/cmd/strata/internal/folding"
	"strata/eventstore/history"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
)

const manifestSchema = "../../../../docs/history-manifest.schema.json"

// What is published is what the JSON Schema says, and the schema has each member of a manifest.
func TestManifestSchema(t *testing.T) {
	t.Parallel()
	schema := must.Get(jsonschema.NewCompiler().Compile(manifestSchema))(t)
	s := newServer(t)
	s.publisher.Tables = folding.CopyTables(s.log.Pool(), s.chain.logger)
	_, all := made(synthchain.V40, 300)
	opened := s.take(all...)
	read := func() any {
		file := must.Get(os.Open(filepath.Join(s.dir, filepath.FromSlash(history.ManifestPath(opened.Digest)))))(t)
		defer func() { _ = file.Close() }()
		return must.Get(jsonschema.UnmarshalJSON(file))(t)
	}
	if err := schema.Validate(read()); err != nil {
		t.Error(err)
	}
	if len(opened.Tables) == 0 || len(opened.Log.Files) == 0 || len(opened.Chain.Files) == 0 {
		t.Fatal("the manifest lacks what is to be validated")
	}
	for name, damage := range map[string]func(manifest map[string]any){
		"a path out of the folder": func(m map[string]any) {
			m["log"].(map[string]any)["files"].([]any)[0].(map[string]any)["path"] = "log/../x"
		},
		"no checkpoint":  func(m map[string]any) { delete(m, "checkpoint") },
		"another format": func(m map[string]any) { m["format"] = 2 },
		"a short hash": func(m map[string]any) {
			m["chain"].(map[string]any)["files"].([]any)[0].(map[string]any)["sha256"] = "00"
		},
	} {
		m := read()
		if damage(m.(map[string]any)); schema.Validate(m) == nil {
			t.Errorf("%s passes", name)
		}
	}

	var document map[string]any
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(manifestSchema))(t), &document))
	at := func(keys ...string) (names []string) {
		node := document
		for _, key := range append(keys, "properties") {
			node = node[key].(map[string]any)
		}
		return slices.Sorted(maps.Keys(node))
	}
	for _, of := range []struct {
		value any
		names []string
	}{
		{history.Manifest{}, at()}, {history.Layer{}, at("$defs", "layer")}, {history.File{}, at("$defs", "file")},
		{history.TableSet{}, at("properties", "tables", "items")},
		{history.TableFile{}, at("properties", "tables", "items", "properties", "files", "items")},
	} {
		var want []string
		for i := range reflect.TypeOf(of.value).NumField() {
			if name, _, _ := strings.Cut(reflect.TypeOf(of.value).Field(i).Tag.Get("json"), ","); name != "" {
				want = append(want, name)
			}
		}
		if slices.Sort(want); !slices.Equal(of.names, want) {
			t.Errorf("the schema of %T has %q, want %q", of.value, of.names, want)
		}
	}
}
