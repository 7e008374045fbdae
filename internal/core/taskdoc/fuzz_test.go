package taskdoc

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the text, reading it ends, places lie inside it, defects are sorted, and a
// document without any can be run.
func FuzzParse(f *testing.F) {
	f.Add([]byte(Template()))
	f.Add([]byte(planned))
	f.Add([]byte("# T\n### Phase 1: p\n#### Task 1.1: a\n- Files:\n  - {a,[b\n- Depends on:\n  1.1\n\n1. [ ] x: ``a`\n\t- [ ]\n> - [ ] q\n"))
	f.Add([]byte("## Verification\n```sh\na && (b\n```\n    c\n- `d\n  e`\n## Supervisor\nchecks: `pre`\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, defects := Parse(text)
		if d == nil {
			t.Fatal("no document")
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, defect := range append(slices.Clone(defects), d.Warnings...) {
			if defect.Line < 1 || defect.Line > lines || defect.Column < 1 || !utf8.ValidString(defect.Message) {
				t.Errorf("%+v in %d lines", defect, lines)
			}
		}
		if !slices.IsSortedFunc(defects, func(a, b Defect) int { return a.Line - b.Line }) {
			t.Error("not sorted")
		}
		if len(defects) > 0 {
			return
		}
		if order := Order(d); len(order) != len(d.Tasks()) || len(order) == 0 {
			t.Errorf("%d of %d tasks can run", len(order), len(d.Tasks()))
		}
		if len(Ready(d, nil, nil)) == 0 {
			t.Error("nothing can start")
		}
		if _, defects := Rewrite(d, nil, nil); len(defects) > 0 {
			t.Errorf("no longer accepted: %v", defects)
		}
	})
}
