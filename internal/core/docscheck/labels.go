package docscheck

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"warp/internal/core/lazy"
)

var (
	labelFiles = []string{".github/labels.yml", ".github/labels.yaml", ".github/labels.json", "labels.yml", "labels.yaml", "labels.json", ".github/settings.yml"}
	// defaultLabels are the labels that GitHub gives every repository.
	defaultLabels = []string{"bug", "documentation", "duplicate", "enhancement", "good first issue", "help wanted", "invalid", "question", "wontfix", "dependencies"}
)

// addLabels reads the issue labels that a file declares.
func (t *Tree) addLabels() {
	for _, file := range labelFiles {
		text, ok := t.readFile(file)
		var settings struct{ Labels []struct{ Name string } }
		if !ok || yaml.Unmarshal([]byte(text), &settings.Labels) != nil && yaml.Unmarshal([]byte(text), &settings) != nil {
			continue
		}
		for _, l := range settings.Labels {
			if l.Name != "" {
				t.declared, t.labels = file, append(t.labels, l.Name)
			}
		}
	}
}

var (
	// labelBefore matches «the label» and «the labels `a`, `b` and»; code is blank.
	labelBefore   = lazy.Pattern{Text: "(?i)\\b(label(l?ed)?s?|labels[\\s:]*(` *`(,| and| or|, and| )*)+)[:*_(]*( as| it| with| named| called)?$"}
	labelAfter    = lazy.Pattern{Text: `(?i)^\s*label(s|l?ed)?\b`}
	labelName     = lazy.Pattern{Text: `^[^-<>{}$*=(/"][^<>{}$*=(/"]*$`}
	labelFileName = lazy.Pattern{Text: `\.(ya?ml|json)$`}
	labelFlag     = lazy.Pattern{Text: `\bgh [^\n]*?\s(?:--(?:add-|remove-)?label|-l)[= ](?:"([^"\n]*)"|'([^'\n]*)'|([^\s"']+))`}
)

// checkLabels checks the labels on a page: inline code next to the word label or in a column of
// labels, and the arguments of gh --label.
func (c *pageCheck) checkLabels() {
	for _, s := range c.spans {
		before, after := c.around(s)
		isBeside := labelBefore.Get().MatchString(before) || labelAfter.Get().MatchString(after) || strings.Contains(c.columnOf(s), "label")
		if isBeside && !labelFileName.Get().MatchString(s.text) {
			c.checkLabel(s.text, s.offset)
		}
		c.checkLabelFlags(s.code)
	}
	for _, f := range c.fences {
		if slices.Contains(shellLangs, f.lang) || slices.Contains(sessionLangs, f.lang) {
			c.checkLabelFlags(f.code)
		}
	}
}

func (c *pageCheck) checkLabelFlags(shown code) {
	for _, m := range labelFlag.Get().FindAllStringSubmatchIndex(shown.text, -1) {
		offset, end := max(m[2], m[4], m[6]), max(m[3], m[5], m[7])
		for name := range strings.SplitSeq(shown.text[offset:end], ",") {
			c.checkLabel(name, shown.at(offset))
			offset += len(name) + 1
		}
	}
}

// plainLabel drops case and separators.
func plainLabel(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

func (c *pageCheck) checkLabel(name string, at int) {
	known := c.tree.labels
	if len(known) == 0 || !labelName.Get().MatchString(name) || slices.Contains(known, name) || slices.Contains(defaultLabels, name) {
		return
	}
	if i := slices.IndexFunc(known, func(k string) bool { return plainLabel(k) == plainLabel(name) }); i >= 0 {
		c.report(at, "label", Low, "the label is spelled %s, not %s", known[i], name)
		c.addFix(at, name, known[i])
	} else {
		c.report(at, "label", Medium, "%s has no label %s", c.tree.declared, name)
	}
}
