package codex

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"warp/internal/engine/agent"
)

// Who is asked is read from the configuration, so that the key can stay outside.
func TestReadProvider(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want provider
		args []string
		keys int
	}{
		"none":          {"", provider{}, []string{"-c", `openai_base_url="{base}"`}, 2},
		"another place": {"openai_base_url = 'https://eu.test/v1' # near", provider{base: "https://eu.test/v1"}, []string{"-c", `openai_base_url="{base}"`}, 2},
		"its own": {"model_provider = \"x-1\"\n[other]\nmodel_provider=\"y\"\n[model_providers.x-1]\nname = \"X\"\nbase_url = \"http://127.0.0.1:1/v1\"\nenv_key = \"X_KEY\"\n",
			provider{"x-1", "http://127.0.0.1:1/v1", "X_KEY"}, []string{"-c", `model_providers.x-1.base_url="{base}"`}, 1},
		"without a key": {"model_provider = \"x\"\n[model_providers.\"x\"]\nbase_url = \"http://127.0.0.1:1\"\n", provider{"x", "http://127.0.0.1:1", ""}, []string{"-c", `model_providers.x.base_url="{base}"`}, 0},
		"built in":      {"model_provider = \"ollama\"", provider{name: "ollama"}, nil, 0},
		"an odd name":   {"model_provider = \"a b\"\n[model_providers.\"a b\"]\nbase_url = \"https://a.test\"\n", provider{"a b", "https://a.test", ""}, nil, 0},
		"broken":        {"model_provider = \"\n= \n[[[\n\"", provider{}, []string{"-c", `openai_base_url="{base}"`}, 2},
	} {
		p := readProvider(c.text)
		if p != c.want {
			t.Errorf("%s: %+v", name, p)
		}
		k := p.key()
		if k == nil != (c.args == nil) || k != nil && (!reflect.DeepEqual(k.BaseArgs, c.args) || len(k.Secrets) != c.keys || k.Chosen != (p.base != "")) {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

func TestNeeds(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte("model_provider = \"a b\"\n[model_providers.\"a b\"]\nbase_url = \"https://a.test/v1\"\nenv_key = \"A_KEY\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := New(Options{}).(agent.Confined).Needs(agent.Task{Level: 1}, []string{"HOME=/x", "CODEX_HOME=" + home})
	if n.Key != nil || !slices.Contains(n.Hosts, "a.test") || !slices.Contains(n.Env, "A_KEY") || !n.ReadOnly {
		t.Errorf("%+v", n)
	}
}
