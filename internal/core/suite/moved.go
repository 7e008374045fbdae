package suite

import (
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/testintegrity"
	"warp/internal/core/testoutput"
)

// WithoutMoved drops tests that are gone under their old name, but pass under the name or in the
// place that the work gave them: their bodies are the same. Each new name stands for one old one.
func WithoutMoved(gone []string, before, now testoutput.Run, moves []testintegrity.Move) []string {
	if len(gone) == 0 || len(moves) == 0 {
		return gone
	}
	var added []string
	for name, result := range now {
		if _, had := before[name]; !had && result == testoutput.Passed {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	var titles [][2]title
	for _, m := range moves {
		titles = append(titles, [2]title{titleOf(m.OldPath, m.OldName), titleOf(m.Path, m.Name)})
		if m.OldPath != m.Path && m.OldName != "" { // some runners name files alone
			titles = append(titles, [2]title{titleOf(m.OldPath, ""), titleOf(m.Path, "")})
		}
	}
	return slices.DeleteFunc(slices.Clone(gone), func(name string) bool {
		for _, t := range titles {
			rest, ok := t[0].cut(name)
			if !ok {
				continue
			}
			at := slices.IndexFunc(added, func(one string) bool { tail, ok := t[1].cut(one); return ok && tail == rest })
			if at >= 0 {
				added = slices.Delete(added, at, at+1)
				return true
			}
		}
		return false
	})
}

// title finds the name that a test has in the source in the name that its runner prints.
type title struct {
	part string // part of the name
	form *regexp.Regexp
}

// places are what a test's title is filled in with: printf's verbs, and the variables of a template.
var places = lazy.Pattern{Text: `%[a-z#%]|\$\{[^}]*\}|\$\w+`}

// titleOf returns the title of a test, or of a file that is a test as a whole.
func titleOf(path, name string) title {
	if name == "" {
		name = path
	}
	name = strings.NewReplacer(`\'`, "'", `\"`, `"`, `\\`, `\`).Replace(name)
	var form strings.Builder
	t, from := title{}, 0
	for _, at := range append(places.Get().FindAllStringIndex(name, -1), []int{len(name), len(name)}) {
		if fixed := name[from:at[0]]; len(fixed) > len(t.part) {
			t.part = fixed
		}
		form.WriteString(regexp.QuoteMeta(name[from:at[0]]))
		if at[0] < at[1] {
			form.WriteString("(.*)")
		}
		from = at[1]
	}
	t.form = regexp.MustCompile(`(?:^|[ >/.:])` + form.String() + `((?:/|\[| #\d| > |::| \[as a whole).*)?$`)
	return t
}

// cut returns what a runner's name adds to the title: the parameters, and the tests inside.
func (t title) cut(name string) (rest string, ok bool) {
	if !strings.Contains(name, t.part) {
		return "", false
	}
	parts := t.form.FindStringSubmatch(name)
	if parts == nil {
		return "", false
	}
	return strings.Join(parts[1:], "\x00"), true
}
