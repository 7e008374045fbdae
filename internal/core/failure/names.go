package failure

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Bounds on what is listed of a run.
const (
	maxNames = 500
	maxName  = 300 // bytes
)

// Failing lists the tests that fail in the output of a run, sorted, each as its
// runner names it: "shop/cart TestSum/empty" of go test, "cart > adds tax" of
// node --test, a path of pytest. What a runner adds to the name is dropped (how
// long it took, the folder of the machine), and a test is left out where its
// subtests are named.
//
// What failed before, or instead of, its tests is a name too: "shop/cart [build
// failed]", and "shop/cart [cut short]" where the run of a package ended before
// its tests did, so that some of them may be unseen. At most 500 are listed.
func Failing(output string) []string {
	names := []string{}
	for name := range tallyOf(output) {
		names = append(names, shown(name))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxNames)]
}

// New lists what fails in a run and did not in the one before, which both
// failed. They are comparable where each names a test; else the caller has no
// more to compare than their signatures.
//
// A name that is not found again is taken for one that is no more when both
// normalise alike, such as that of a documentation test, which holds its line.
func New(before, after string) (broke []string, comparable bool) {
	was, is := tallyOf(before), tallyOf(after)
	if len(was) == 0 || len(is) == 0 {
		return nil, false
	}
	gone := map[string]int{}
	for name, n := range was {
		if n > is[name] {
			gone[Normalise(name)] += n - is[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		for range is[name] - was[name] {
			if alike := Normalise(name); gone[alike] > 0 {
				gone[alike]--
				continue
			}
			broke = append(broke, shown(name))
			break
		}
	}
	slices.Sort(broke)
	broke = slices.Compact(broke)
	return broke[:min(len(broke), maxNames)], true
}

// tally counts names: the tests of two files may have one name.
type tally map[string]int

// reader finds the names that one runner prints. It gets every line of the
// output, also those of other runners.
type reader interface {
	line(text string)
	end()
}

func tallyOf(output string) tally {
	t := tally{}
	readers := [...]reader{
		&goNames{tally: t}, &tapNames{outline{tally: t, width: 4}}, &specNames{outline: outline{tally: t, width: 2}}, &scriptNames{tally: t},
		&mochaNames{tally: t}, &pythonNames{tally: t}, &rustNames{tally: t}, &mavenNames{tally: t}, &gradleNames{tally: t},
	}
	for line := range strings.SplitSeq(unified(output), "\n") {
		for _, r := range readers {
			r.line(line)
		}
	}
	for _, r := range readers {
		r.end()
	}
	return t
}

// unified is an output without terminal control sequences, its lines ended by a
// newline alone.
func unified(output string) string {
	return Plain(strings.ReplaceAll(output, "\r\n", "\n"))
}

// once counts a name that runners repeat.
func (t tally) once(name string) {
	if name = tidy(name); name != "" {
		t[name] = 1
	}
}

// again counts one more of a name.
func (t tally) again(name string) {
	if name = tidy(name); name != "" {
		t[name]++
	}
}

// tidy leaves printable text with single blanks, of bounded length.
func tidy(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f && r <= 0xa0 }), " ")
	return text.Clip(name, maxName)
}

// shown is a name without the folder of the machine.
func shown(name string) string {
	if s := (scrub{in: name}); name == "" || s.rootEnd() == 0 {
		return name
	}
	path, rest, found := strings.Cut(name, " > ")
	if base := path[strings.LastIndexAny(path, `/\`)+1:]; base != "" {
		path = base
	}
	if found {
		return path + " > " + rest
	}
	return path
}

// untimed is a name without the duration in parentheses that ends it, and
// whether there was one.
func untimed(name string) (string, bool) {
	name = strings.TrimRight(name, " ")
	open := strings.LastIndexByte(name, '(')
	if open < 0 || !strings.HasSuffix(name, ")") {
		return name, false
	}
	s := scrub{in: name}
	from := s.blanksEnd(open + 1)
	if end := s.durationEnd(from); end == from || end != len(name)-1 {
		return name, false
	}
	return strings.TrimRight(name[:open], " "), true
}
