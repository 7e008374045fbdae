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
	var r Reader
	for line := range strings.SplitSeq(plain(output), "\n") {
		r.Line([]byte(line))
	}
	r.Run()
	names := WithoutOuter(slices.Collect(maps.Keys(r.failing)))
	told := allOuter(names, []string{" ", "::"})
	for place, result := range r.wholes {
		if result == Failed && !told[place] {
			names = append(names, place)
		}
	}
	for i, name := range names {
		names[i] = machineFolder.Get().ReplaceAllString(strings.TrimSuffix(name, " - should panic"), "$1") // cargo adds it in one of two places
	}
	return listNames(names)
}

// machineFolder stands before a path that is, or begins, a name.
var machineFolder = lazy.Pattern{Text: `^(?:file://)?(?:[A-Za-z]:)?[/\\](?:[^>]*[/\\])?([^/\\> ])`}

// listNames sorts and bounds a list.
func listNames(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(append([]string{}, names...))
	return names[:min(len(names), maxNames)]
}
