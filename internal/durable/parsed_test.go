package durable

import (
	"path/filepath"
	"testing"
)

// A text that was parsed is not parsed again, and one that another process wrote is.
func TestTextsAreParsedOnce(t *testing.T) {
	d := &document{path: filepath.Join(t.TempDir(), "state.json")}
	parse := func(text string) *parsed {
		t.Helper()
		p, err := d.parseText([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	one := parse(`{"a": 1, "journal": {"rev": 1}}`)
	if parse(`{"a": 1, "journal": {"rev": 1}}`) != one {
		t.Error("the same text was parsed again")
	}
	other := parse(`{"a": 2, "journal": {"rev": 2}}`)
	if n, _ := other.tree.Get("a").Int(); n != 2 || other.sum == one.sum || other.tree.Get("journal") != nil {
		t.Errorf("another text is %+v", other)
	}
	if _, err := d.parseText([]byte(`{"a": `)); err == nil {
		t.Error("a torn text was parsed")
	}
	for i := range 2 * mostTexts {
		d.path = filepath.Join(t.TempDir(), "state.json")
		parse(`{}`)
		if len(texts.last) > mostTexts {
			t.Fatalf("%d texts are remembered after %d", len(texts.last), i)
		}
	}
}
