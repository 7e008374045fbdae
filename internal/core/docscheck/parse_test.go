package docscheck

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

const samplePage = "---\ntitle: x\n---\n# Title of `it`\n\n" +
	"There are **12** commands, see [*here*](a.md#x \"t\") and ![pic](b.png):\n\n- one\n- two\n\n" +
	"## Same\n\n## Same\n\n## Same-1\n\n## Own {#mine}\n\n" +
	"| Name | Count |\n| --- | --- |\n| `--flag` | 3 |\n\n" +
	"```sh title\nmake all\n```\n\n> ```json\n> {}\n> ```\n\n" +
	"[ref]: c.md\n[^1]: note.md\n\n<a name=\"hand\"></a> <img src='d.svg'> <a href=\"e.md\">e</a> <!-- note -->\n\n" +
	"Über `two\nlines` ü `x`\n\n    [code]: no.md\n\n[![in](f.png)](g.md)\n\n~~~\nopen\n"

func TestParsePage(t *testing.T) {
	p := parsePage("x.md", samplePage)
	var links []string
	for _, l := range p.links {
		if !strings.HasPrefix(samplePage[l.offset:], l.dest) {
			t.Errorf("%+v is not at its offset", l)
		}
		links = append(links, l.dest)
	}
	if got := strings.Join(links, " "); got != "a.md#x b.png f.png g.md d.svg e.md c.md" {
		t.Error(got)
	}
	var slugs []string
	for _, h := range p.headings {
		slugs = append(slugs, h.slug)
	}
	if got := strings.Join(slugs, " "); got != "title-of-it same same-1 same-1-1 mine" {
		t.Error(got)
	}
	for anchor, want := range map[string]bool{"same-1": true, "hand": true, "mine": true, "Same": false} {
		if p.anchors[anchor] != want {
			t.Errorf("#%s: %v", anchor, !want)
		}
	}
	if len(p.comments) != 1 || p.comments[0].text != " note " {
		t.Errorf("%+v", p.comments)
	}
	if f := p.fences; len(f) != 3 || f[0].lang != "sh" || f[0].text != "make all\n" || !f[0].isClosed || f[1].text != "{}\n" || !f[1].isClosed || f[2].isClosed || !strings.HasPrefix(samplePage[f[1].at(1):], "}") {
		t.Errorf("%+v", f)
	}
}

func TestParseBlocks(t *testing.T) {
	p := parsePage("x.md", samplePage)
	if b := p.blocks[1]; b.items != 2 || !strings.HasPrefix(samplePage[b.start:b.end], "There are **12**") || !strings.HasSuffix(samplePage[b.start:b.end], ":") {
		t.Errorf("%+v", b)
	}
	if i := slices.IndexFunc(p.blocks, func(b *block) bool { return strings.HasPrefix(samplePage[b.start:], "| Name") }); i < 0 || p.blocks[i-1].items != 0 || strings.TrimSpace(samplePage[p.blocks[i].start:p.blocks[i].end]) != "| Name | Count |\n| --- | --- |\n| `--flag` | 3 |" {
		t.Errorf("%d: %+v", i, p.blocks)
	}
	for _, s := range p.spans {
		_, after := p.around(s)
		switch s.text {
		case "--flag":
			if p.columnOf(s) != "name" {
				t.Errorf("%+v", s)
			}
		case "two lines":
			if strings.TrimSpace(after) != "ü ` `" {
				t.Errorf("%q", after)
			}
		}
	}
	if len(p.prose) != len(samplePage) || strings.Contains(p.prose, "make all") || strings.Contains(p.prose, "lines") {
		t.Errorf("%q", p.prose)
	}
}

func TestPosition(t *testing.T) {
	p := parsePage("x.md", "a\nüb\n")
	for at, want := range map[int][2]int{0: {1, 1}, 2: {2, 1}, 4: {2, 2}, 6: {3, 1}} {
		if line, column := p.position(at); line != want[0] || column != want[1] {
			t.Errorf("%d is at %d:%d", at, line, column)
		}
	}
}

// Anchors as GitHub makes them.
func TestSlugOf(t *testing.T) {
	for text, want := range map[string]string{
		"What is on disk": "what-is-on-disk", "`warp`: not found": "warp-not-found", "A & B": "a--b", "C++": "c", "Über uns": "über-uns", "snake_case-x": "snake_case-x", "1. One": "1-one", "it's": "its", "日本": "日本",
	} {
		if got := slugOf(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// spell writes commands as text, unknown words as {}.
func spell(commands [][]word) string {
	var lines []string
	for _, c := range commands {
		var words []string
		for _, w := range c {
			words = append(words, cmp.Or(w.text, "{}"))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

func TestParseShell(t *testing.T) {
	for text, want := range map[string]string{
		"make test # now":                        "make test",
		"a && b | c; d":                          "a\nb\nc\nd",
		"echo 'x y' \"z\"$HOME":                  "echo {} {}",
		"run <name> <a|b> <a b>":                 "run {} {} {}",
		"run [--flag] [path] [-v | -q]":          "run {} {} {}",
		"get on|off --all":                       "get {} --all",
		"x > out 2>> log < in":                   "x",
		"x \\\n  --y":                            "x --y",
		"[ -f x ] && [[ -n $a ]] || y":           "[ -f x ]\ny",
		"for f in *.md; do cat \"$f\"; done":     "cat {}",
		"cat <<EOF\nmake nothing\nEOF\nmake all": "cat\nmake all",
		"x a[0] ... … {a,b} ?":                   "x a[0] {} {} {} {}",
		"A=1 env B=2 make c":                     "env B=2 make c",
		"$(inner one) two":                       "{} two\ninner one",
		"<only>":                                 "{}",
		"a <b >c":                                "a",
		"a <$x>":                                 "",
	} {
		commands, err := parseShell(text)
		if got := spell(commands); got != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", text, err, got, want)
		}
	}
}

func TestPromptedCommands(t *testing.T) {
	text := "$ make \\\n  all\noutput $ x\n  % next\nmore"
	got, found := promptedCommands(text)
	if !found || len(got) != len(text) || strings.Join(strings.Fields(got), " ") != `make \ all next` {
		t.Errorf("%q", got)
	}
	if _, found := promptedCommands("make all\n"); found {
		t.Error("there is no prompt")
	}
}

func FuzzParseShell(f *testing.F) {
	f.Add("a <b> [c] d|e 'f' \"$g\" # h\n$ i \\\n j")
	f.Fuzz(func(t *testing.T, text string) {
		commands, _ := parseShell(text)
		for _, c := range commands {
			for _, w := range c {
				if w.offset < 0 || w.offset > len(text) {
					t.Errorf("%+v in %d bytes", w, len(text))
				}
			}
		}
		if got, _ := promptedCommands(text); len(got) != len(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func sampleTree() *Tree {
	files := map[string]string{
		".gitignore": "# built\n/bin/\n*.log\n!keep.log\ncache\n/gen/**\n", "README.md": "x", "a/b/c.go": "", "a/b/d.go": "", "a/e.md": "", "docs/guide.md": "", "other/README.md": "",
	}
	names := []string{"README.md", "mod/"}
	for n := range files {
		names = append(names, n)
	}
	t := NewTree(names, func(n string) (string, bool) { s, ok := files[n]; return s, ok })
	t.Gone = map[string]string{"gone.txt": "", "old/e.md": "mid/e.md", "mid/e.md": "a/e.md", "round": "robin", "robin": "round", "lost": "nowhere",
		"lib/c.go": "a/b/c.go", "lib/d.go": "tmp/d.go", "tmp/d.go": "a/b/d.go", "lib/gone.go": "", "lib/was.go": "docs/is.go", "split/c.go": "a/b/c.go", "split/e.md": "a/e.md"}
	return t
}

func TestTree(t *testing.T) {
	r := sampleTree()
	for name, want := range map[string][2]bool{"a": {false, true}, "a/b/": {false, true}, "./a/e.md": {true, false}, "/README.md": {true, false}, "": {false, true}, ".": {false, true}, "a/x": {false, false}} {
		if r.isFile(name) != want[0] || r.isDir(name) != want[1] || r.Has(name) != (want[0] || want[1]) {
			t.Errorf("%q: file %v, folder %v", name, r.isFile(name), r.isDir(name))
		}
	}
	if got := r.children["a"]; len(got) != 2 || !slices.Contains(got, "b/") || !slices.Contains(got, "e.md") {
		t.Errorf("%v", got)
	}
	if got := r.named["b"]; !slices.Equal(got, []string{"a/b"}) || len(r.named["README.md"]) != 2 || len(r.files) != 8 {
		t.Errorf("%v of %v", got, r.files)
	}
	for name, want := range map[string]string{"old/e.md": "a/e.md", "mid/e.md": "a/e.md", "x/guide.md": "docs/guide.md", "x/README.md": "", "round": "", "lost": "", "x/c": "", "lib": "a/b", "split": ""} {
		if got, ok := r.successor(name); got != want || ok != (want != "") {
			t.Errorf("%s moved to %q", name, got)
		}
	}
	for name, want := range map[string]bool{"gone.txt": true, "old/e.md": true, "old": true, "ol": false, "README.md": false} {
		if r.existed(name) != want {
			t.Errorf("%s existed: %v", name, !want)
		}
	}
	for name, want := range map[string]bool{
		"bin/x": true, "sub/bin/x": false, "x.log": true, "a/y.log": true, "a/cache/z": true, "gen/deep/x": true, "dist/x": true, "node_modules/x": true, "mod/inner": true, "a/b/x.go": false, "README.md": false,
	} {
		if r.mayBeBuilt(name) != want {
			t.Errorf("%s may be built: %v", name, !want)
		}
	}
}

func TestReadMakefile(t *testing.T) {
	files := map[string]string{
		"Makefile":         "VAR = a:b\ninclude rules.mk\n.PHONY: all\nall: $(X) ## everything\n\techo $(C): d\ndefine d\ninner:\nendef\n# no: comment\n.SUFFIXES: .c\nlong \\\n  names: all\nlower := x:y\nexport E := f\n",
		"rules.mk":         "include rules.mk\nclean:\n",
		"open/Makefile":    "include missing.mk\n",
		"pattern/makefile": "%.o: %.c\n",
		"eval/GNUmakefile": "$(eval x)\n",
		"named/Makefile":   "X := one two\n$(X):\n",
	}
	var names []string
	for n := range files {
		names = append(names, n)
	}
	r := NewTree(names, func(n string) (string, bool) { s, ok := files[n]; return s, ok })
	m, _ := r.readMakefile("")
	if strings.Join(m.targets, " ") != "all clean long names" || m.isOpen {
		t.Errorf("%+v", m)
	}
	for _, dir := range []string{"open", "pattern", "eval", "named"} {
		if m, _ := r.readMakefile(dir); !m.isOpen {
			t.Errorf("%s is open", dir)
		}
	}
	if _, ok := r.readMakefile("none"); ok {
		t.Error("there is none")
	}
}
