package yamltree

import (
	"fmt"
	"strings"
	"testing"
)

// broken are files and all that is wrong with them.
var broken = []struct{ name, text, want string }{
	{"empty", "", "p.yaml:1:1: the file is empty"},
	{"comments only", "# nothing\n", "p.yaml:1:1: the file is empty"},
	{"tab", "stages:\n\t- id: a\n", "p.yaml:2:1: a line is indented with a tab; YAML wants spaces"},
	{"tab in a prompt", "stages:\n  - id: a\n    prompt: |\n      x\n\ty\n", "p.yaml:5:1: a line is indented with a tab; YAML wants spaces"},
	{"syntax", "name: x\nstages: [\n", "p.yaml:2:9: sequence end token ']' not found"},
	{"two documents", "stages: [{id: a, prompt: x}]\n---\nname: b\n", "p.yaml:3:1: a second document begins here; a file has one"},
	{"not UTF-8", "name: \xff\n", "p.yaml:1:7: this is not UTF-8 text"},
	{"zero", "name: a\x00\n", "p.yaml:1:8: this is not UTF-8 text"},
	{"deep", "name: " + strings.Repeat("[", 40), "p.yaml:1:39: this is nested too deeply"},
	{"deep blocks", strings.Repeat("- ", 150), "p.yaml:1:201: this is nested too deeply"},
	{"long", strings.Repeat("a: x\n", 4000), "p.yaml:1:1: the file has more than 10000 words of YAML; long prompts can go into separate files"},
	{"large", "name: " + strings.Repeat("x", 300<<10), "p.yaml:1:1: the file has 300 KiB; at most 256 are read"},
	{"tag", "name: !!str 5\nstages: [{id: a, prompt: x}]\n", `p.yaml:1:7: tags such as "!!str" are not supported`},
	{"strange key", "{a: b}: c\nstages: [{id: a, prompt: x}]\n", "p.yaml:1:7: found an invalid key for this map"},
	{"key twice", "name: x\nname: y\nstages: [{id: a, prompt: x, id: b}]\n", "p.yaml:2:1: \"name\" is given twice\np.yaml:3:29: \"id\" is given twice"},
	{"aliases", "name: *x\nstages: [{id: a, prompt: x, <<: [1]}]\nagent: &a [*a]\n",
		"p.yaml:1:7: there is no anchor &x above *x\np.yaml:2:34: << must be a mapping, not a number\np.yaml:3:12: there is no anchor &a above *a"},
}

func TestEverythingThatIsWrongIsNamed(t *testing.T) {
	for _, c := range broken {
		if got := read(c.text); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func read(text string) string {
	var p Problems
	p.Parse("p.yaml", []byte(text))
	var all []string
	for _, one := range p.Sorted() {
		all = append(all, one.Error())
	}
	return strings.Join(all, "\n")
}

// A bomb of aliases is refused where it would go off.
func TestAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: &a0 [" + strings.Repeat("x, ", 9) + "x]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "k%d: &a%d [%s]\n", i, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 10))
	}
	if got := read(b.String()); !strings.Contains(got, "p.yaml:6:25: with its aliases written out the file would have more than 1024 KiB") {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range broken {
		if len(c.text) < 2000 {
			f.Add(c.text)
		}
	}
	f.Add("a: &x {b: 1}\nc:\n  <<: *x\n")
	f.Fuzz(func(t *testing.T, text string) {
		var p Problems
		n := p.Parse("p.yaml", []byte(text))
		for _, q := range p.Sorted() {
			if q.Line < 1 || q.Column < 1 || q.Message == "" {
				t.Fatalf("%+v", q)
			}
		}
		if n == nil && len(p.Sorted()) == 0 {
			t.Fatal("no tree, and nothing is wrong")
		}
	})
}
