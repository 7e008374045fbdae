package testoutput

import (
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

var (
	signalLine = lazy.Pattern{Text: bySignal}
	makeLine   = lazy.Pattern{Text: ofMake}
	makePlace  = lazy.Pattern{Text: `\[[^\]]*?:\d+: `}
)

// FailuresOutsideTests lists what a run tells of failures that are no test's, sorted: a
// program that crashed, a target of make, an error of a compiler, an exception that no
// test has caught. Each is normalised, so that what two runs tell can be compared where
// the names of their tests are the same. At most 500 are listed.
func FailuresOutsideTests(output string) []string {
	lines := strings.Split(plain(output), "\n")
	list := []string{}
	add := func(text string) {
		if text = tidy(Normalise(text)); text != "" {
			list = append(list, text)
		}
	}
	for _, f := range findFailures(lines) {
		if f.block.outside == nil || f.from == f.to {
			continue
		}
		for _, text := range f.block.outside(lines[f.from:f.to], lines[f.to:]) {
			add(text)
		}
	}
	for _, l := range lines { // also behind a runner whose end cannot be told
		if makeLine.Get().MatchString(l) {
			add(makePlace.Get().ReplaceAllString(l, "[")) // without the place of the rule
		}
		if m := signalLine.Get().FindStringSubmatch(l); m != nil {
			add(m[1])
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), maxNames)]
}

// outsideGo is the errors of a build or a vet of a package, and a panic, where no package
// is said to have failed because of them.
func outsideGo(lines, rest []string) []string {
	if len(rest) > 0 && strings.HasPrefix(rest[0], "FAIL\t") {
		return nil
	}
	switch first := lines[0]; {
	case strings.HasPrefix(first, "# "):
		return lines[1:]
	case strings.HasPrefix(first, "fatal error: "), strings.Contains(first, "panic: ") && !strings.Contains(first, "--- FAIL: "):
		return lines[:1]
	}
	return nil
}

var cargoSum = lazy.Pattern{Text: `^error: .*(?:test failed, | targets? failed:)`}

// outsideCompiler is an error; cargo sums up its tests in the same way.
func outsideCompiler(lines, _ []string) []string {
	if cargoSum.Get().MatchString(lines[0]) {
		return nil
	}
	return lines[:1]
}

// outsideException is the message, which Python puts below its traces.
func outsideException(lines, _ []string) []string {
	if !strings.Contains(lines[0], "Traceback ") {
		return lines[:1]
	}
	for i := len(lines) - 1; i > 0; i-- {
		if l := lines[i]; l != "" {
			if l[0] == ' ' {
				return nil // the message begins a block itself
			}
			return lines[i : i+1]
		}
	}
	return nil
}
