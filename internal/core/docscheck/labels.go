package docscheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// labelSet holds the labels of the repository's issues.
type labelSet struct {
	file     string   // that declares them
	declared []string // all labels, if a file declares them
	created  []string // those that scripts create
}

var (
	labelFiles = []string{".github/labels.yml", ".github/labels.yaml", ".github/labels.json", "labels.yml", "labels.yaml", "labels.json", ".github/settings.yml"}
	// defaultLabels are those that GitHub gives every repository.
	defaultLabels = []string{"bug", "documentation", "duplicate", "enhancement", "good first issue", "help wanted", "invalid", "question", "wontfix", "dependencies"}

	scriptFile    = lazily(`\.sh$|^(scripts|bin|\.github/workflows)/`)
	labelCreation = lazily(`gh label create\s+["']?([^\s"'$]+)`)
)

// readLabels reads the labels that files declare and scripts create.
func (a *auditor) readLabels() labelSet {
	var set labelSet
	for _, file := range labelFiles {
		text, ok := a.tree.readFile(file)
		if !ok {
			continue
		}
		var settings struct{ Labels []struct{ Name string } }
		if yaml.Unmarshal([]byte(text), &settings.Labels) != nil && yaml.Unmarshal([]byte(text), &settings) != nil {
			continue
		}
		for _, l := range settings.Labels {
			if l.Name != "" {
				set.file, set.declared = file, append(set.declared, l.Name)
			}
		}
	}
	for _, file := range a.tree.files {
		if !scriptFile().MatchString(file) {
			continue
		}
		text, _ := a.tree.readFile(file)
		for _, m := range labelCreation().FindAllStringSubmatch(text, -1) {
			set.created = append(set.created, m[1])
		}
	}
	return set
}

var (
	// labelBefore matches «the label» and «the labels `a`, `b` and»; code is blank.
	labelBefore   = lazily("(?i)\\b(label(l?ed)?s?|labels[\\s:]*(` *`(,| and| or|, and| )*)+)[:*_(]*( as| it| with| named| called)?$")
	labelAfter    = lazily(`(?i)^\s*label(s|l?ed)?\b`)
	labelName     = lazily(`^[^-<>{}$*=(/"][^<>{}$*=(/"]*$`)
	labelFileName = lazily(`\.(ya?ml|json)$`)
	labelFlag     = lazily(`\bgh [^\n]*?\s(?:--(?:add-|remove-)?label|-l)[= ](?:"([^"\n]*)"|'([^'\n]*)'|([^\s"']+))`)
)

// checkLabels checks the labels that a page names: inline code beside the word
// label or in a column of labels, and the arguments of gh --label.
func (a *auditor) checkLabels(p *page) {
	if len(a.labels.declared)+len(a.labels.created) == 0 {
		return
	}
	for _, s := range p.spans {
		before, after := p.around(s)
		isBeside := labelBefore().MatchString(before) || labelAfter().MatchString(after) || strings.Contains(s.block.column, "label")
		if isBeside && labelName().MatchString(s.text) && !labelFileName().MatchString(s.text) {
			a.checkLabel(p, s.text, s.offset)
		}
		a.checkLabelFlags(p, s.text, func(i int) int { return s.offset + i })
	}
	for _, f := range p.fences {
		if slices.Contains(shellLangs, f.lang) || slices.Contains(sessionLangs, f.lang) {
			a.checkLabelFlags(p, f.text, f.at)
		}
	}
}

func (a *auditor) checkLabelFlags(p *page, text string, at func(int) int) {
	for _, m := range labelFlag().FindAllStringSubmatchIndex(text, -1) {
		offset, end := max(m[2], m[4], m[6]), max(m[3], m[5], m[7])
		for name := range strings.SplitSeq(text[offset:end], ",") {
			if labelName().MatchString(name) {
				a.checkLabel(p, name, at(offset))
			}
			offset += len(name) + 1
		}
	}
}

// normalize drops case and separators.
func normalize(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

func (a *auditor) checkLabel(p *page, name string, at int) {
	known := slices.Concat(a.labels.declared, a.labels.created)
	if slices.Contains(known, name) || slices.Contains(defaultLabels, name) {
		return
	}
	if i := slices.IndexFunc(known, func(k string) bool { return normalize(k) == normalize(name) }); i >= 0 {
		a.reportFix(p, at, name, known[i], "label", Low, fmt.Sprintf("the label is spelled %s, not %s", known[i], name))
	} else if len(a.labels.declared) > 0 {
		a.report(p, at, "label", Medium, fmt.Sprintf("%s has no label %s", a.labels.file, name))
	}
}
