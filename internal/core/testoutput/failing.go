package testoutput

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// maxNames bounds what is listed of a run.
const maxNames = 500

// FailingTests lists the tests that fail in the output of a run, sorted, each as Run
// names it, without the folder of the machine. A test is left out where its subtests are
// named.
//
// What failed before, or instead of, its tests is a name too: "shop/cart [build
// failed]", and "shop/cart [cut short]" where the run of a package ended before its
// tests did, so that some of them may be unseen. At most 500 are listed.
func FailingTests(output string) []string {
	output = plain(output)
	var r Reader
	for line := range strings.SplitSeq(output, "\n") {
		r.Line([]byte(line))
	}
	r.Run()
	if at := mochaSum.Get().FindStringIndex(output); at != nil {
		for _, m := range mochaFailure.Get().FindAllStringSubmatch(output[at[1]:], -1) {
			r.addFailing(joinTitles(m[1]), Failed)
		}
	}
	names := WithoutOuter(slices.AppendSeq([]string{}, maps.Keys(r.failing)))
	for place, result := range r.wholes {
		inside := func(name string) bool {
			return strings.HasPrefix(name, place+" ") || strings.HasPrefix(name, place+"::")
		}
		if result == Failed && !slices.ContainsFunc(names, inside) {
			names = append(names, place)
		}
	}
	for i, name := range names {
		names[i] = withoutFolder(strings.TrimSuffix(name, " - should panic")) // cargo adds it in one of two places
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxNames)]
}

// mocha lists each title of a failing test on its own line, further in than the one before.
var (
	mochaSum     = lazy.Pattern{Text: `(?m)^  \d+ failing$`}
	mochaFailure = lazy.Pattern{Text: `(?m)^  \d+\) (.+(?:\n {7,}\S.*)*)`}
)

func joinTitles(lines string) string {
	titles := strings.Split(lines, "\n")
	for i, title := range titles {
		titles[i] = strings.TrimSpace(title)
	}
	return strings.TrimSuffix(strings.Join(titles, " > "), ":")
}

var folder = lazy.Pattern{Text: `^(?:file://)?(?:[A-Za-z]:)?[/\\](?:.*[/\\])?`}

// withoutFolder is a name without the folder of the machine.
func withoutFolder(name string) string {
	path, rest, inner := strings.Cut(name, " > ")
	if base := folder.Get().ReplaceAllString(path, ""); base != "" {
		path = base
	}
	if inner {
		return path + " > " + rest
	}
	return path
}
