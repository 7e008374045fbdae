package failure

import (
	"slices"
	"strings"
)

// Nameless lists what a run tells of failures that are no test's, sorted: a
// program that crashed, a target of make, an error of a compiler, an exception
// that no test has caught. Each is normalised, so that what two runs tell can be
// compared where the names of their tests are the same. At most 500 are listed.
func Nameless(output string) []string {
	lines := strings.Split(unified(output), "\n")
	list := []string{}
	add := func(text string) {
		if text = tidy(Normalise(text)); text != "" {
			list = append(list, text)
		}
	}
	for _, s := range spans(lines) {
		tells := blocks[s.kind].tells
		if tells == nil {
			continue
		}
		for _, text := range tells(lines[s.from:s.to], lines[s.to:]) {
			add(text)
		}
	}
	for _, l := range lines { // also behind a runner whose end cannot be told
		if makePart(l) {
			add(target(l))
		}
		add(crash(l))
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), maxNames)]
}

// goTells are the errors of a build or a look at a package, and a panic, where
// no package is said to have failed because of them.
func goTells(lines, rest []string) []string {
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

// compilerTells is an error; cargo sums up its tests in the same way.
func compilerTells(lines, _ []string) []string {
	if first := lines[0]; strings.HasPrefix(first, "error: ") && containsAny(first, "test failed, ", " targets failed:", " target failed:") {
		return nil
	}
	return lines[:1]
}

// exceptionTells is the message, which Python puts below its traces.
func exceptionTells(lines, _ []string) []string {
	if !strings.Contains(lines[0], "Traceback ") {
		return lines[:1]
	}
	for i := len(lines) - 1; i > 0; i-- {
		if l := lines[i]; l != "" {
			if l[0] == ' ' {
				return nil // the message begins a block of its own
			}
			return lines[i : i+1]
		}
	}
	return nil
}

// target is a line of make without the place of the rule.
func target(line string) string {
	before, rest, _ := strings.Cut(line, "[")
	place, rule, ok := strings.Cut(rest, ": ")
	if at := strings.LastIndexByte(place, ':'); ok && isNumber(place[at+1:]) {
		return before + "[" + rule
	}
	return line
}

// signals are the words that shells and make have for them.
var signals = [...]string{"Segmentation fault", "segmentation fault", "Bus error", "Illegal instruction", "Floating point exception", "Aborted", "Killed", "Trace/breakpoint trap"}

// crash is what a line tells of a program that a signal has ended, "" where it
// tells of none. A shell puts its script, the line and the process before it.
func crash(line string) string {
	for _, s := range signals {
		at := strings.Index(line, s)
		if at < 0 {
			continue
		}
		before, rest := strings.TrimRight(line[:at], " \t"), line[at+len(s):]
		before = strings.TrimRight(before, "0123456789 \t")
		if (before == "" || strings.HasSuffix(before, ":")) && (rest == "" || strings.HasPrefix(rest, " ")) && !sentence(rest) {
			return line[at:]
		}
	}
	return ""
}

// sentence tells whether words go on: Killed by …, Aborted the …
func sentence(rest string) bool {
	return strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "  ") && !strings.HasPrefix(rest, " (core dumped)")
}

func crashPart(l string) bool { return crash(l) != "" }
