package gemini

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// needed is what the user's settings must say for a run without a network. With
// a base URL in the environment the CLI would guess a way to sign in that it
// then refuses. System settings would be a better place than the user's, but the
// CLI reads these only from folders that root alone may write to.
var needed = map[string]any{
	"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
	"privacy":  map[string]any{"usageStatisticsEnabled": false},
	"general":  map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
}

// complete adds what is needed to the user's settings, and changes nothing that
// the test has put there.
func complete(t testing.TB, path string) {
	t.Helper()
	settings := map[string]any{}
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		t.Fatal(err)
	default:
		if err := json.Unmarshal(old, &settings); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	merge(settings, needed)
	text, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// merge copies what to lacks.
func merge(to, from map[string]any) {
	for key, value := range from {
		old, has := to[key]
		deeper, isMap := value.(map[string]any)
		switch {
		case !has && isMap:
			into := map[string]any{}
			merge(into, deeper)
			to[key] = into
		case !has:
			to[key] = value
		case isMap:
			if into, ok := old.(map[string]any); ok {
				merge(into, deeper)
			}
		}
	}
}
