package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"warp/internal/core/docs/page"
	"warp/internal/core/docs/shell"
)

// labels are the labels that the repository knows.
type labels struct {
	file     string   // where they are declared
	declared []string // all that there are, if a file declares them
	created  []string // those that the code creates
}

// labelFiles declare the labels of a repository.
var labelFiles = []string{".github/labels.yml", ".github/labels.yaml", ".github/labels.json", "labels.yml", "labels.yaml", "labels.json", ".github/settings.yml"}

// usual are the labels that GitHub gives every repository.
var usual = []string{"bug", "documentation", "duplicate", "enhancement", "good first issue", "help wanted", "invalid", "question", "wontfix", "dependencies"}

// knownLabels reads the labels that files declare and scripts create.
func (a *auditor) knownLabels() labels {
	var l labels
	for _, f := range labelFiles {
		text, ok := a.tree.Read(f)
		if !ok {
			continue
		}
		var list []struct{ Name string }
		if yaml.Unmarshal([]byte(text), &list) != nil {
			var settings struct{ Labels []struct{ Name string } }
			if yaml.Unmarshal([]byte(text), &settings) != nil {
				continue
			}
			list = settings.Labels
		}
		for _, one := range list {
			if one.Name != "" {
				l.declared = append(l.declared, one.Name)
				l.file = f
			}
		}
	}
	for _, f := range a.tree.Files() {
		if !strings.HasSuffix(f, ".sh") && !strings.HasPrefix(f, "scripts/") && !strings.HasPrefix(f, "bin/") && !strings.HasPrefix(f, ".github/workflows/") {
			continue
		}
		if text, ok := a.tree.Read(f); ok && strings.Contains(text, "gh label create") {
			l.created = append(l.created, createdLabels(text)...)
		}
	}
	return l
}

func createdLabels(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		_, rest, ok := strings.Cut(line, "gh label create ")
		if !ok {
			continue
		}
		if calls, _ := shell.Read("x " + strings.TrimSpace(rest)); len(calls) > 0 && len(calls[0].Words) > 1 && calls[0].Words[1].Known {
			all = append(all, calls[0].Words[1].Text)
		}
	}
	return all
}

// labelNames checks the labels that a page names: code spans beside the word
// label, and the arguments of --label.
func (a *auditor) labelNames(p *page.Page) {
	known := slices.Concat(a.labels.declared, a.labels.created)
	if len(known) == 0 {
		return
	}
	for _, s := range p.Spans {
		if beside(s) && s.Plain && !strings.ContainsAny(s.Text, "<>{}$*=(/\"") && !strings.HasPrefix(s.Text, "-") && !pathFile(s.Text) {
			a.label(p, known, s.Text, s.Offset)
		}
	}
	for _, f := range p.Fences {
		if slices.Contains(shellLangs, f.Lang) || slices.Contains(sessionLangs, f.Lang) {
			a.labelFlags(p, known, f.Text, f.At)
		}
	}
	for _, s := range p.Spans {
		if s.Plain && strings.Contains(s.Text, "label") {
			a.labelFlags(p, known, s.Text, func(i int) int { return s.Offset + i })
		}
	}
}

func pathFile(s string) bool { return strings.HasSuffix(s, ".yml") || strings.HasSuffix(s, ".json") }

// beside tells whether the word label stands right beside a span.
func beside(s page.Span) bool {
	before := strings.Fields(strings.ToLower(s.Before))
	after := strings.Fields(strings.ToLower(s.After))
	isLabel := func(w string) bool {
		switch strings.Trim(w, ".,;:()*_\"`") {
		case "label", "labels", "labelled", "labeled":
			return true
		}
		return false
	}
	if n := len(before); n > 0 && isLabel(before[n-1]) || n > 1 && isLabel(before[n-2]) && slices.Contains([]string{"as", "it", "with", "named", "called"}, before[n-1]) {
		return true
	}
	if len(after) > 0 && isLabel(after[0]) {
		return true
	}
	// labels `a`, `b` and `c`
	text := strings.ToLower(s.Before)
	if i := strings.LastIndex(text, "labels "); i >= 0 {
		rest := text[i+len("labels "):]
		for j, part := range strings.Split(rest, "`") {
			if j%2 == 0 && strings.Trim(part, " ,") != "" && strings.Trim(part, " ,") != "and" && strings.Trim(part, " ,") != "or" {
				return false
			}
		}
		return strings.Contains(rest, "`")
	}
	return strings.Contains(strings.ToLower(s.Column), "label")
}

// labelFlags checks --label X, --add-label X and --remove-label X.
func (a *auditor) labelFlags(p *page.Page, known []string, text string, at func(int) int) {
	calls, _ := shell.Read(text)
	for _, c := range calls {
		if len(c.Words) == 0 || c.Words[0].Text != "gh" {
			continue
		}
		for i, w := range c.Words {
			flag, value, has := strings.Cut(w.Text, "=")
			if flag != "--label" && flag != "--add-label" && flag != "--remove-label" && flag != "-l" {
				continue
			}
			offset := w.Offset + len(flag) + 1
			if !has && i+1 < len(c.Words) && c.Words[i+1].Known {
				value, offset = c.Words[i+1].Text, c.Words[i+1].Offset
			}
			for one := range strings.SplitSeq(value, ",") {
				if k := strings.Index(text[min(offset, len(text)):], one); one != "" && k >= 0 {
					a.label(p, known, one, at(offset+k))
				}
			}
		}
	}
}

func (a *auditor) label(p *page.Page, known []string, name string, at int) {
	if slices.Contains(known, name) || slices.Contains(usual, name) {
		return
	}
	for _, k := range known {
		if sameLabel(k, name) {
			a.mend(p, at, name, k, "label", Low, fmt.Sprintf("the label is written %s, not %s", k, name))
			return
		}
	}
	if len(a.labels.declared) > 0 {
		a.report(p, at, "label", Medium, fmt.Sprintf("there is no label %s in %s", name, a.labels.file))
	}
}

// sameLabel tells whether two labels differ in case and separators alone.
func sameLabel(x, y string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || r == ' ' {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	return bare(x) == bare(y)
}
