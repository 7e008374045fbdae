package library

import (
	"slices"
	"testing"
)

func TestDescribe(t *testing.T) {
	for text, want := range map[string]string{
		"description: One line.\nstages: []\n":    "One line.",
		"description: |\n  Two\n  lines.\nx: 1\n": "Two\nlines.",
		"name: x\n":          "",
		"description: [a]\n": "",
		"- description: x\n": "",
		"{":                  "",
	} {
		if have := Describe([]byte(text)); have != want {
			t.Errorf("%q: %q", text, have)
		}
	}
}

func TestEveryBuiltInFileIsThere(t *testing.T) {
	for kind, list := range map[string]struct {
		names []string
		read  func(string) ([]byte, bool)
	}{"loop": {Loops(), Loop}, "pipeline": {Pipelines(), Pipeline}} {
		if len(list.names) == 0 || !slices.IsSorted(list.names) {
			t.Errorf("%ss: %q", kind, list.names)
		}
		for _, name := range list.names {
			if text, ok := list.read(name); !ok || Describe(text) == "" {
				t.Errorf("%s %s: %v, described as %q", kind, name, ok, Describe(text))
			}
		}
		if _, ok := list.read("no such"); ok {
			t.Errorf("there is a %s of any name", kind)
		}
	}
}

// What is written out names no loop any more, and has the prompts of all of them.
func TestLoopsAreWrittenOut(t *testing.T) {
	for _, name := range Pipelines() {
		text, ok := WriteOut(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		file, _ := Pipeline(name)
		_, short := splitFile(file)
		_, long := splitFile(text)
		if a, b := len(short.Get("stages").Items), len(long.Get("stages").Items); a != b {
			t.Errorf("%s: %d stages, written out %d", name, a, b)
		}
		for _, stage := range long.Get("stages").Items {
			if stage.Has("loop") || !stage.Has("prompt") && !stage.Has("provider") && !stage.Has("command") && !stage.Has("parallel") {
				t.Errorf("%s:\n%s", name, text)
			}
		}
	}
	if _, ok := WriteOut("no such"); ok {
		t.Error("any name is written out")
	}
}
