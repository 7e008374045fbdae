package testoutput

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"

	"warp/internal/core/lazy"
)

// Signature is a short digest of a failure that is stable from run to run: sixteen hexadecimal
// digits of its normalised text.
func Signature(failure string) string { return digest(Normalise(failure)) }

func digest(text string) string {
	sum := fnv.New64a() // small: it is linked into the hook
	sum.Write([]byte(text))
	return fmt.Sprintf("%016x", sum.Sum64())
}

// Normalise replaces what differs between two runs of the same failure by placeholders such as <n>,
// <dur>, <time>, <dir> and <tmp>; a second pass changes nothing. It also drops colours, blank lines
// and extra spaces, the duration at the end of a line, which some runners print only if it is long,
// and the width of rulers. A value that looks like a duration, an address or a hash counts as one,
// even if it was the point of the assertion.
func Normalise(failure string) string {
	var lines []string
	for line := range strings.SplitSeq(plain(failure), "\n") {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
		// Each replacement removes digits or length, so this ends; three rounds are rare.
		for was := ""; line != was && strings.ContainsAny(line, "0123456789/\\<=-*#~^.+_"); line = strings.TrimSpace(line) {
			was = line
			for _, mask := range noiseRules.Get() {
				line = mask(line)
			}
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

const (
	// duration is a number with a unit of time, or several: 0.03s, 1m2.5s, 44 ms. Single letters
	// count only without a space: 3 m may be metres.
	duration = `(?:(?:\d+(?:[.,]\d+)?(?:[nuµμm]?s|m|h|secs?|seconds?|mins?|minutes?|hours?)){1,4}|` +
		`\d+(?:[.,]\d+)?(?::\d+)? (?:[nuµμm]?s|secs?|seconds?|mins?|minutes?|hours?))`
	month   = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)`
	weekday = `(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )`
	date    = `(?:\d{4}[-/]\d\d[-/]\d\d|` + weekday + `?` + month + ` \d{1,2}(?:,? \d{4})?|` + weekday + `?\d{1,2} ` + month + ` \d{4})`
	zone    = `(?:(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d(?: [A-Z]{3,5})?(?: m=[+-]\d+(?:\.\d+)?)?)?)`
	// inRun is a character of a path, or of a host with its port.
	inRun = "[^ ,;{}=\"'`]"
	// absolutePath has at least one folder, and does not follow a name or a separator.
	absolutePath = "(^|[^\\w./\\\\:>\\-~)*\\]}%@])(?:file://|[A-Za-z]:)?((?:[\\\\/]+" + inPath + ")+)[\\\\/]+(" + inPath + ")([\\\\/]*)"
	inPath       = "[^\\s\"'()<>|,;:*?\\[\\]{}=`\\\\/]+"
)

// noiseRules apply in order, and are compiled at their first use.
var noiseRules = lazy.Value[[]func(string) string]{Make: func() []func(string) string {
	re := regexp.MustCompile
	mask := func(pattern, with string) func(string) string {
		p := re(pattern)
		return func(line string) string { return p.ReplaceAllString(line, with) }
	}
	apply := func(pattern string, by func(groups []string) string) func(string) string {
		p := re(pattern)
		return func(line string) string {
			return p.ReplaceAllStringFunc(line, func(match string) string { return by(p.FindStringSubmatch(match)) })
		}
	}
	// A rule that masks one number of a long word per round would take quadratic time.
	maskInside := func(pattern string, mask func(string) string) func(string) string {
		return apply(pattern, func(groups []string) string { return mask(groups[0]) })
	}
	return []func(string) string{
		apply(absolutePath, shortenPath),
		mask(`\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b`, "<uuid>"),
		mask(`\b(Test\w*?)\d{3,}/\d{3}\b`, "$1<n>/<n>"), // the folder that go makes for a test
		mask(`\b`+date+`(?:[T ]\d{1,2}:\d\d(?::\d\d)?`+zone+`(?: \d{4})?)?\b`, "<time>"),
		mask(`\b\d{1,2}:\d\d:\d\d`+zone+`\b`, "<time>"), // without seconds it may be a line and a column
		mask(`\b0[xX][0-9a-fA-F]{5,}\b`, "<addr>"),
		mask(`([+({])0[xX][0-9a-fA-F]+\b`, "$1<addr>"),
		maskInside(`<addr>.*`, mask(`\b0[xX][0-9a-fA-F]+\b`, "<addr>")), // behind an address also short ones are some
		apply(`@?\b[0-9a-fA-F]{5,}\b`, maskHash),
		mask(`\b`+duration+`\b(?: `+duration+`\b)*`, "<dur>"),
		mask(`(?:^| )\(<dur>\)$`, ""),
		mask(`([A-Za-z]), <dur>\]`, "$1]"), // how long a goroutine waits is shown from a minute on
		mask(`([\[(]) ?\d+(?:%| ?/ ?\d+) ?([\])])`, "$1<pct>$2"),
		mask(`\b\d+(?:\.\d*)?%`, "<pct>"),
		mask(`([\[(]) <pct>`, "$1<pct>"),
		mask(`^(>? ?)\d+( ?\|)`, "$1<n>$2"),        // the line number beside quoted source
		mask(`^(>? ?)\d+:\d+( |$)`, "$1<n>:<n>$2"), // and that of a linter
		mask(`(?i)(^|[^a-z])(lines?|ln|column|col|port|pid|tid|goroutine|thread|process|seed|shuffle|lambda)([ :=#(\-$]{1,3})\d+\b`, "$1$2$3<n>"),
		mask(`\b\d{10,}\b`, "<n>"), // too long for a count: an identifier, a time
		mask(`\(\d+\) panicked`, "(<n>) panicked"),
		maskInside(`[./\\]`+inRun+`*`, mask(`(\w)\(\d+\):`, "$1(<n>):")),
		mask(`([./\\]`+inRun+`*\w)\(\d+,\d+\):`, "$1(<n>,<n>):"),
		mask(`(^| ):\d{2,5}\b`, "$1:<n>"), // a port of every host
		maskInside(`(?:[./\\]|<tmp>|<dir>|localhost|::)`+inRun+`*`, mask(`:\d+\b`, ":<n>")),
		apply(`={4,}|-{4,}|\*{4,}|#{4,}|~{4,}|\^{4,}|\.{4,}|\+{4,}|\b_{4,}\b`, func(groups []string) string { return groups[0][:3] }),
	}
}}

// maskHash masks a word of seven or more hexadecimal digits, and an object's code after @, which
// may be shorter. It must have a digit and a letter: "defaced" is a word, and a number may be the
// point of the failure.
func maskHash(groups []string) string {
	word := groups[0]
	switch digits := strings.ContainsAny(word, "0123456789"); {
	case digits && word[0] == '@':
		return "@<addr>"
	case digits && len(word) >= 7 && strings.ContainsAny(word, "abcdefABCDEF"):
		return "<hash>"
	}
	return word
}

// temporary matches the folders for temporary files.
var temporary = lazy.Pattern{Text: `^/(?:tmp|var/tmp|var/folders|private/tmp|private/var|dev/shm)/|(?i:/appdata/local/temp/)`}

// shortenPath reduces an absolute path to its last element: the folders before it belong to a
// machine or a checkout. Below a temporary folder the last element stays only if it looks like a
// file name that a person chose.
func shortenPath(parts []string) string {
	before, folders, name, slashes := parts[1], strings.ReplaceAll(parts[2], `\`, "/")+"/", parts[3], parts[4]
	if !temporary.Get().MatchString(folders) {
		return before + "<dir>/" + name + slashes
	}
	dot := strings.LastIndexByte(name, '.')
	if dot > 0 && dot < len(name)-1 && !strings.ContainsAny(name, "0123456789") && strings.Count(folders, "/") > 2 {
		return before + "<tmp>/" + name + slashes
	}
	return before + "<tmp>" + slashes
}

// sequence is a terminal control sequence: ESC [ up to a letter, ESC ] up to a bell or ESC \, any
// other ESC alone.
var sequence = lazy.Pattern{Text: `\x1b\[[\x20-\x3f]*[\x40-\x7e]?|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b`}

// plain drops terminal control sequences and normalises line endings. A lone carriage return
// redraws a line, so it ends one too.
func plain(text string) string {
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = sequence.Get().ReplaceAllString(text, "")
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
