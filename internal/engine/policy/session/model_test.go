package session

import "testing"

func TestSplitModel(t *testing.T) {
	for written, want := range map[string]string{"opus": "opus ", "gpt-5.2-codex:xhigh": "gpt-5.2-codex xhigh", "qwen:7b": "qwen:7b ", "x:": "x: ", ":high": ":high ", "": " "} {
		if model, effort := splitModel(written); model+" "+effort != want {
			t.Errorf("%q: %q %q", written, model, effort)
		}
	}
}
