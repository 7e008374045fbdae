package testoutput

import (
	"maps"
	"regexp"
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
	for _, list := range failureLists.Get() {
		text := output
		if list.after != nil {
			at := list.after.FindStringIndex(output)
			if at == nil {
				continue
			}
			text = output[at[1]:]
		}
		for _, m := range list.item.FindAllStringSubmatchIndex(text, -1) {
			name := string(list.item.ExpandString(nil, list.name, text, m))
			if list.clean != nil {
				name = list.clean(name)
			}
			r.addFailing(name, Failed)
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

// failureList is how a runner lists the tests that failed.
type failureList struct {
	after *regexp.Regexp // the list stands behind it; nil: anywhere
	item  *regexp.Regexp
	name  string // as a template of item's groups
	clean func(string) string
}

// failureLists are compiled at their first use.
var failureLists = lazy.Value[[]failureList]{Make: func() []failureList {
	re := func(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?m)` + pattern) }
	return []failureList{
		// mocha: each title of a test on its own line, further in than the one before.
		{after: re(`^  \d+ failing$`), item: re(`^  \d+\) (.+(?:\n {7,}\S.*)*)`), name: "$1", clean: joinTitles},
		{item: re(`^={60,}\n(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$`), name: "$1", clean: unittestName},
		{item: re(`^ *FAIL  (.*` + script + ` > .+)$`), name: "$1"},                  // vitest
		{item: re(`^ *FAIL  (.*` + script + `) \[ .*$`), name: "$1"},                 // a file of vitest's
		{item: re("^error: could not compile `([^`]+)`"), name: "$1 [build failed]"}, // cargo
		{item: re(`^(?:\[ERROR\] )?(\S.*?) +(?:--? +)?Time elapsed:.*<<< (?:FAILURE|ERROR)!`), name: "$1", clean: surefireName},
		{item: re(`Failed to execute goal .* on project ([^:\n]+): (?:[^T]|T[^h])`), name: "$1 [build failed]"}, // There are test failures
		{item: re(`^([^ >\n].* > .+) FAILED$`), name: "$1"},                                                     // Gradle
		{item: re(`^> Task (\S*:(?:compile|kapt)[^:\s]*) FAILED$`), name: "$1 [build failed]"},
		{item: re(`^rspec (\S+:\d+|'[^']+') # (.+)$`), name: "$2"},
		{item: re(`^\d+\) (\w[\w\\]*::\w+(?: with data set .+)?)$`), name: "$1"}, // PHPUnit
		{item: re(`^  Failed (\S.*?) \[` + duration + `\]$`), name: "$1"},        // dotnet test
	}
}}

var oldSurefire = lazy.Pattern{Text: `^([^\s.(]+)\(([^\s(),]+)\)$`}

// surefireName writes a method before its class, as old releases have it, behind it.
func surefireName(name string) string {
	if strings.HasPrefix(name, "Tests run:") {
		return ""
	}
	return oldSurefire.Get().ReplaceAllString(name, "$2.$1")
}

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
