package docscheck

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/lazy"
)

var (
	// countPattern matches what makes a number that of all, the number, words that do not
	// make it fewer, and a noun: «there are 12 slash commands», but not «at most 5 commands».
	// A number that goes on with the one before is one as well: «and 3 hooks». At the
	// beginning of a sentence a word is one only above a list, and so is any number behind
	// the words of the group list: «these 5 hooks run:».
	countPattern = lazy.Pattern{Text: `(?i)(?:(?P<start>^|[.!?;:] )|(?P<next>,? and |,? plus |, )|\b(?:all|are|contains?|holds?|includ(?:es?|ing)|(?:ships|comes) with|ships?|has|have|provides?|offers?|defines?|registers|bundles|installs|following|we use|(?:consists|made|one|total) of|(?P<list>the|these|our|its|exactly|supports|accepts|knows|into)) )[ *_(]*` +
		`(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[*_]{0,2} +((?:(?:slash|custom|available|built-in|bundled|different|make|npm|yarn|go|shell|sql|claude|code|cli|github|python|bash|top-level|separate|core|markdown|issue) +){0,2})([a-z][a-z-]{2,}s)\b`}
	aboveList = lazy.Pattern{Text: `^[^.!?;:\d]*:$`}
	// partAfter and someAfter match what makes it the number of some.
	partAfter = lazy.Pattern{Text: `(?i)^ +(that|which|of|to|at|later|each|per|for|ago|in a row|where|are needed|are enough|from|before|after|away|or)\b`}
	someAfter = lazy.Pattern{Text: `,.*,| of |including|such as|e\.g\.`}
	unit      = lazy.Pattern{Text: `^(seconds|minutes|hours|days|weeks|months|years|times|bytes|characters|lines|tokens|users|versions|requests)$`}
)

// numberWords are the numbers that prose spells.
var numberWords = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// parseCount returns the number that digits or a word stand for.
func parseCount(number string) int {
	if i := slices.Index(numberWords, strings.ToLower(number)); i > 0 {
		return i
	}
	return parseInt(number)
}

// spellLike writes a number as another is written.
func spellLike(n int, like string) string {
	isWord := parseInt(like) == 0 && n > 0 && n < len(numberWords)
	switch {
	case !isWord:
		return strconv.Itoa(n)
	case like == strings.ToUpper(like):
		return strings.ToUpper(numberWords[n])
	case like == strings.ToLower(like):
		return numberWords[n]
	}
	return strings.ToUpper(numberWords[n][:1]) + numberWords[n][1:]
}

// checkCounts compares the numbers that a page states with what the page lists and
// what the repository has: «there are 12 commands», and «five hooks:» above a list.
func (a *auditor) checkCounts(p *page) {
	for _, b := range p.blocks {
		prose := strings.ReplaceAll(strings.TrimRight(p.prose[b.start:b.end], " \n"), "\n", " ")
		lastTotal := -1 // where the one before ends
		for _, m := range countPattern.Get().FindAllStringSubmatchIndex(prose, -1) {
			atStart, isNext, isListed := m[2] >= 0, m[4] >= 0, m[6] >= 0
			at, number, kind, noun := b.start+m[8], prose[m[8]:m[9]], prose[m[10]:m[11]], strings.ToLower(prose[m[12]:m[13]])
			n, after := parseCount(number), prose[m[13]:]
			isTotal := !isListed && (!atStart || parseInt(number) > 0) && (!isNext || m[0] == lastTotal)
			switch {
			case n == 0 || unit.Get().MatchString(noun):
			case b.items > 0 && n > 1 && aboveList.Get().MatchString(after) && !someAfter.Get().MatchString(after):
				if n != b.items {
					a.reportFix(p, at, number, spellLike(b.items, number), "count", Low, fmt.Sprintf("announces %s %s, but %d follow", number, noun, b.items))
				}
			case isTotal && !b.isTable && !partAfter.Get().MatchString(after):
				lastTotal = m[1]
				from := b.start + strings.LastIndex(prose[:m[8]], ". ") + 1
				sentence, _, _ := strings.Cut(strings.ReplaceAll(p.source[from:b.end], "\n", " "), ". ")
				if t, ok := a.tally(kind, noun, sentence); ok {
					a.compareCount(p, at, number, noun, t)
				}
			}
		}
	}
}

// compareCount compares a count with what the repository has.
func (a *auditor) compareCount(p *page, at int, number, noun string, t tally) {
	message := fmt.Sprintf("states %s %s, but %s has %d", number, noun, t.where, t.n)
	switch n := parseCount(number); {
	case n == t.n || slices.Contains(t.otherWays, n):
	case t.isExact:
		a.reportFix(p, at, number, spellLike(t.n, number), "count", Low, message)
	default:
		a.report(p, at, "count", Low, message)
	}
}

// tally is how many of something the repository has.
type tally struct {
	where     string
	n         int
	otherWays []int // other numbers that are right, counted differently
	isExact   bool  // there is only one way to count
}

var (
	codePattern = lazy.Pattern{Text: "`(?:\\./)?([^`\\s*]+?)/?`"}
	// contents are nouns for what any folder holds.
	contents  = lazy.Pattern{Text: `^(files|entries|documents|pages|modules|folders|directories|items)$`}
	synonyms  = map[string]string{"guides": "docs", "pages": "docs", "documents": "docs", "subcommands": "commands", "subagents": "agents", "actions": "workflows", "pipelines": "workflows"}
	otherDirs = lazy.Pattern{Text: `(^|/)(vendor|node_modules|testdata|examples|fixtures|test|templates)/`}
)

// tally counts what a stated count means: the content of the folder that the sentence
// names or that has its name, or targets, labels and package scripts.
func (a *auditor) tally(kind, noun, sentence string) (tally, bool) {
	folder := cmp.Or(synonyms[noun], noun)
	for _, m := range codePattern.Get().FindAllStringSubmatch(sentence, -1) {
		base := path.Base(m[1])
		if a.tree.isDir(m[1]) && (base == folder || base+"s" == noun || contents.Get().MatchString(noun)) {
			return a.countEntries(m[1]), true
		}
	}
	dirs := slices.DeleteFunc(a.tree.dirsNamed(folder), func(dir string) bool { return strings.Count(dir, "/") > 2 || otherDirs.Get().MatchString(dir) })
	makefile, manifest := a.readMakefile(""), a.readManifest("")
	switch {
	case noun == "targets" && makefile != nil:
		n, noted := len(makefile.targets), len(makefile.notes)
		return tally{"the Makefile", n, []int{noted}, noted == 0 || noted == n}, true
	case noun == "labels" && len(a.labels.declared) > 0:
		return tally{a.labels.file, len(a.labels.declared), nil, true}, true
	case noun == "scripts" && manifest != nil && (len(dirs) == 0 || kind != ""):
		return tally{"package.json", len(manifest.Scripts), nil, true}, true
	case len(dirs) == 1 && (noun != "scripts" || manifest == nil):
		return a.countEntries(dirs[0]), true
	}
	return tally{}, false // nothing, or more than one thing
}

// countEntries counts what a folder holds.
func (a *auditor) countEntries(dir string) tally {
	files, dirs, indexes, deep := 0, 0, 0, 0
	kinds := map[string]int{}
	for _, e := range a.tree.children[dir] {
		name := strings.ToLower(e.name)
		switch {
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
		case e.isDir:
			dirs++
		case strings.HasPrefix(name, "readme") || strings.HasPrefix(name, "index."):
			indexes++
		default:
			files++
			kinds[path.Ext(name)]++
		}
	}
	for _, f := range a.tree.files {
		if strings.HasPrefix(f, dir+"/") {
			deep++
		}
	}
	ways := []int{files, dirs, files + indexes, files + indexes + dirs, deep}
	return tally{dir + "/", files + dirs, slices.AppendSeq(ways, maps.Values(kinds)), dirs == 0 && len(kinds) == 1 || files == 0 && dirs > 0}
}
