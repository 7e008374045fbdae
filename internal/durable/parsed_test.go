package durable

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/lossless"
)

// A text that was parsed is not parsed again, and one that another process wrote is.
func TestTextsAreParsedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	parse := func(text string) *parsed {
		t.Helper()
		p, err := texts.parse(path, []byte(text))
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
	if _, err := texts.parse(path, []byte(`{"a": `)); err == nil {
		t.Error("a torn text was parsed")
	}
	for i := range 2 * mostTexts {
		path = filepath.Join(t.TempDir(), "state.json")
		parse(`{}`)
		if len(texts.of) > mostTexts {
			t.Fatalf("%d texts are remembered after %d", len(texts.of), i)
		}
	}
}

type note struct {
	Text string   `json:"text"`
	List []string `json:"list,omitempty"`
}

// guess signs with a key that everybody knows.
type guess string

func (g guess) Sign(purpose string, text []byte) string {
	h := fnv.New128a()
	fmt.Fprint(h, string(g), purpose, string(text))
	return fmt.Sprintf("%032x", h.Sum(nil))
}

// What is remembered of a text that was written is what it says to those who parse it; who
// has not signed it does not find that he has.
func TestAWrittenTextIsRememberedAsItIs(t *testing.T) {
	dir := t.TempDir()
	open := func(by Signer) *Doc[note] {
		store := New(Config{Dir: dir, Now: time.Now, PID: 1, Signer: by})
		return Open(store, "note.json", Kind[note]{Name: "note", Validate: func(*note) error { return nil }})
	}
	doc := open(guess("one"))
	for i, text := range []string{"a", "\u2028\x00 \\ é \xff", ""} {
		if _, err := doc.Update(func(tx *Tx[note]) error {
			tx.Doc = &note{Text: text, List: make([]string, i)}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		was := texts.find(doc.Path())
		texts.of = map[string]*parsed{}
		now, err := texts.parse(doc.path, was.text)
		if err != nil {
			t.Fatal(err)
		}
		if !lossless.Equal(was.tree, now.tree) || !lossless.Equal(was.position, now.position) || was.sum != now.sum {
			t.Errorf("remembered: %+v\nparsed: %+v", was, now)
		}
	}
	for _, c := range []struct {
		by     Signer
		sealed bool
	}{{guess("one"), true}, {guess("two"), false}, {guess("one"), true}, {nil, false}} {
		d := open(c.by).document
		p := texts.find(doc.Path())
		if d.isSealed(p) != c.sealed {
			t.Errorf("%v has signed it: %v, want %v", c.by, !c.sealed, c.sealed)
		}
	}
}
