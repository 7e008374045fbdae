package docscheck

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// statedCount is a number with what it counts: «12 slash commands».
type statedCount struct {
	number     string // as it is written
	n          int
	kind, noun string // in lower case: slash, commands
	at, end    int    // of the number, and behind the noun
	from, to   int    // of its sentence
}

var (
	// countPattern matches a number, words that do not make it fewer, and a noun.
	countPattern = lazily(`(?i)(?:^|[\s(*_])(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[*_]{0,2}\s+` +
		`((?:(?:slash|custom|available|built-in|bundled|different|make|npm|yarn|go|shell|sql|claude|code|cli|github|python|bash|top-level|separate|core|markdown|issue)\s+){0,2})` +
		`([a-z][a-z-]{2,}s)\b`)
	sentenceEnd = lazily(`[.!?;:]\s`)
	// totalBefore matches what makes a number that of all: «there are 5», but not
	// «at most 5». listBefore matches what does so above a list.
	totalBefore = lazily(`(?i)(^|\s)(all|are|contains?|holds?|includ(es?|ing)|ships?|(ships|comes) with|has|have|provides?|offers?|defines?|registers|bundles|installs|following|we use|(consists|made|one|total) of)$`)
	listBefore  = lazily(`(?i)(^|\s)(the|these|our|its|exactly|supports|accepts|knows|into)$`)
	nextBefore  = lazily(`^(,|,? and|,? plus|&)$`)
	// partAfter and someAfter match what makes it the number of some.
	partAfter = lazily(`(?i)^\s+(that|which|of|to|at|later|each|per|for|ago|in a row|where|are needed|are enough|from|before|after|away|or)\b`)
	someAfter = lazily(`,.*,| of |including|such as|e\.g\.`)
	unit      = lazily(`^(seconds|minutes|hours|days|weeks|months|years|times|bytes|characters|lines|tokens|users|versions|requests)$`)
)

// findCounts returns the counts that a text states.
func findCounts(text string) []statedCount {
	var counts []statedCount
	for _, m := range countPattern().FindAllStringSubmatchIndex(text, -1) {
		c := statedCount{number: text[m[2]:m[3]], kind: strings.ToLower(text[m[4]:m[5]]), noun: strings.ToLower(text[m[6]:m[7]]), at: m[2], end: m[7], to: len(text)}
		if c.n = parseCount(c.number); c.n == 0 || unit().MatchString(c.noun) {
			continue
		}
		for _, end := range sentenceEnd().FindAllStringIndex(text, -1) {
			if end[1] <= c.at {
				c.from = end[1]
			} else if end[0] >= c.end {
				c.to = min(c.to, end[0])
			}
		}
		counts = append(counts, c)
	}
	return counts
}

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
	if n == 0 || n >= len(numberWords) || parseInt(like) > 0 {
		return strconv.Itoa(n)
	}
	word := numberWords[n]
	switch like {
	case strings.ToUpper(like):
		return strings.ToUpper(word)
	case strings.ToLower(like):
		return word
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// checkCounts compares the numbers that a page states with what the page lists and
// what the repository has: «there are 12 commands», and «five hooks:» above a list.
func (a *auditor) checkCounts(p *page) {
	for _, b := range p.blocks {
		text := strings.TrimRight(p.prose[b.start:b.end], " \n")
		counts := findCounts(text)
		lastTotal := 0 // where the total before ends: «12 commands, 3 hooks»
		for i, c := range counts {
			before := strings.TrimRight(text[c.from:c.at], " \n*_(")
			isTotal := totalBefore().MatchString(before) || before == "" && parseInt(c.number) > 0 ||
				lastTotal > c.from && nextBefore().MatchString(strings.TrimSpace(text[lastTotal:c.at]))
			isAlone := i == len(counts)-1 && (i == 0 || counts[i-1].from != c.from)
			isAbove := b.items > 0 && c.to == len(text) && strings.HasSuffix(text, ":") && !someAfter().MatchString(text[c.end:])
			switch {
			case isAbove && isAlone && c.n > 1 && (isTotal || before == "" || listBefore().MatchString(before)):
				if c.n != b.items {
					a.reportFix(p, b.start+c.at, c.number, spellLike(b.items, c.number), "count", Low, fmt.Sprintf("announces %s %s, but %d follow", c.number, c.noun, b.items))
				}
			case isTotal && !b.inTable && !partAfter().MatchString(text[c.end:]):
				lastTotal = c.end
				a.compareCount(p, b.start+c.at, c, p.source[b.start+c.from:b.start+c.to])
			}
		}
	}
}

// compareCount compares a count with what the repository has.
func (a *auditor) compareCount(p *page, at int, c statedCount, sentence string) {
	t, ok := a.tally(c, sentence)
	if !ok || t.n == c.n || slices.Contains(t.otherWays, c.n) {
		return
	}
	message := fmt.Sprintf("states %s %s, but %s has %d", c.number, c.noun, t.where, t.n)
	if t.isExact {
		a.reportFix(p, at, c.number, spellLike(t.n, c.number), "count", Low, message)
	} else {
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
	codePattern = lazily("`(?:\\./)?([^`\\s*]+?)/?`")
	// contents are nouns for what any folder holds.
	contents  = lazily(`^(files|entries|documents|pages|modules|folders|directories|items)$`)
	synonyms  = map[string]string{"guides": "docs", "pages": "docs", "documents": "docs", "subcommands": "commands", "subagents": "agents", "actions": "workflows", "pipelines": "workflows"}
	otherDirs = lazily(`(^|/)(vendor|node_modules|testdata|examples|fixtures|test|templates)/`)
)

// tally counts what a stated count means: the content of the folder that the sentence
// names or that has its name, or targets, labels and package scripts.
func (a *auditor) tally(c statedCount, sentence string) (tally, bool) {
	folder := cmp.Or(synonyms[c.noun], c.noun)
	for _, m := range codePattern().FindAllStringSubmatch(sentence, -1) {
		base := path.Base(m[1])
		if a.tree.isDir(m[1]) && (base == folder || base+"s" == c.noun || contents().MatchString(c.noun)) {
			return a.countEntries(m[1]), true
		}
	}
	dirs := slices.DeleteFunc(a.tree.dirsNamed(folder), func(dir string) bool { return strings.Count(dir, "/") > 2 || otherDirs().MatchString(dir) })
	makefile, manifest := a.readMakefile(""), a.readManifest("")
	switch {
	case c.noun == "targets" && makefile != nil:
		n, noted := len(makefile.targets), len(makefile.notes)
		return tally{"the Makefile", n, []int{noted}, noted == 0 || noted == n}, true
	case c.noun == "labels" && len(a.labels.declared) > 0:
		return tally{a.labels.file, len(a.labels.declared), nil, true}, true
	case c.noun == "scripts" && manifest != nil && (len(dirs) == 0 || c.kind != ""):
		return tally{"package.json", len(manifest.Scripts), nil, true}, true
	case len(dirs) == 1 && (c.noun != "scripts" || manifest == nil):
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
