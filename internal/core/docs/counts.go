package docs

import (
	"fmt"
	"regexp"
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
	countPattern = regexp.MustCompile(`(?i)(?:^|[\s(*_])(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[*_]{0,2}\s+` +
		`((?:(?:slash|custom|available|built-in|bundled|different|make|npm|yarn|go|shell|sql|claude|code|cli|github|python|bash|top-level|separate|core|markdown|issue)\s+){0,2})` +
		`([a-z][a-z-]{2,}s)\b`)
	sentenceEnd = regexp.MustCompile(`[.!?;:]\s`)
	// totalBefore matches what makes a number that of all: «there are 5», but not
	// «at most 5». listBefore matches what does so above a list.
	totalBefore = regexp.MustCompile(`(?i)(^|\s)(all|are|contains?|holds?|includ(es?|ing)|ships?|(ships|comes) with|has|have|provides?|offers?|defines?|registers|bundles|installs|following|we use|(consists|made|one|total) of)$`)
	listBefore  = regexp.MustCompile(`(?i)(^|\s)(the|these|our|its|exactly|supports|accepts|knows|into)$`)
	nextBefore  = regexp.MustCompile(`^(,|,? and|,? plus|&)$`)
	// partAfter and someAfter match what makes it the number of some.
	partAfter = regexp.MustCompile(`(?i)^\s+(that|which|of|to|at|later|each|per|for|ago|in a row|where|are needed|are enough|from|before|after|away|or)\b`)
	someAfter = regexp.MustCompile(`,.*,| of which|including|such as|e\.g\.`)
	unit      = regexp.MustCompile(`^(seconds|minutes|hours|days|weeks|months|years|times|bytes|characters|lines|tokens|users|versions|requests)$`)
)

// findCounts returns the counts that a text states.
func findCounts(text string) []statedCount {
	var counts []statedCount
	for _, m := range countPattern.FindAllStringSubmatchIndex(text, -1) {
		c := statedCount{number: text[m[2]:m[3]], kind: strings.ToLower(text[m[4]:m[5]]), noun: strings.ToLower(text[m[6]:m[7]]), at: m[2], end: m[7], to: len(text)}
		if c.n = parseCount(c.number); c.n == 0 || unit.MatchString(c.noun) {
			continue
		}
		for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
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
// what the repository has.
func (a *auditor) checkCounts(p *page) {
	for _, b := range p.blocks {
		if b.inTable {
			a.checkCountCell(p, b)
		} else {
			a.checkSentences(p, b)
		}
	}
	for _, f := range p.fences {
		if slices.Contains([]string{"", "text", "txt", "plaintext", "tree"}, f.lang) {
			a.checkDrawnTree(p, f)
		}
	}
	for _, l := range p.links {
		if m := badgePattern.FindStringSubmatchIndex(l.dest); m != nil {
			number := l.dest[m[4]:m[5]]
			c := statedCount{number: number, n: parseInt(number), noun: strings.ToLower(l.dest[m[2]:m[3]])}
			a.compareCount(p, l.offset+m[4], c, "")
		}
	}
}

var (
	badgePattern = regexp.MustCompile(`img\.shields\.io/badge/(\w+)-(\d{1,3})-`)
	columnTitle  = regexp.MustCompile(`^(count|number|total|#|how many|amount|quantity|files|no)[.:]?$`)
	treeLine     = regexp.MustCompile(`^[\s│├└─|+\x60\x{a0}-]*([\w.][\w./-]*)/\s*(?:#|//|←|—|-|\()\s*(.*)`)
)

// checkSentences checks «there are 12 commands», and «five hooks:» above a list.
func (a *auditor) checkSentences(p *page, b *block) {
	text := strings.TrimRight(p.prose[b.start:b.end], " \n")
	counts := findCounts(text)
	lastTotal := 0 // where the total before ends: «12 commands, 3 hooks»
	for i, c := range counts {
		before := strings.TrimRight(text[c.from:c.at], " \n*_(")
		isTotal := totalBefore.MatchString(before) || before == "" && parseInt(c.number) > 0 ||
			lastTotal > c.from && nextBefore.MatchString(strings.TrimSpace(text[lastTotal:c.at]))
		isAlone := i == len(counts)-1 && (i == 0 || counts[i-1].from != c.from)
		isAbove := b.items > 0 && c.to == len(text) && strings.HasSuffix(text, ":") && !someAfter.MatchString(text[c.end:])
		switch {
		case isAbove && isAlone && c.n > 1 && (isTotal || before == "" || listBefore.MatchString(before)):
			if c.n != b.items {
				a.reportFix(p, b.start+c.at, c.number, spellLike(b.items, c.number), "count", Low, fmt.Sprintf("announces %s %s, but %d follow", c.number, c.noun, b.items))
			}
		case isTotal && !partAfter.MatchString(text[c.end:]):
			lastTotal = c.end
			a.compareCount(p, b.start+c.at, c, p.source[b.start+c.from:b.start+c.to])
		}
	}
}

// checkCountCell checks a row such as | Commands | 12 | or | `scripts/` | 3 |,
// where the column says that it counts.
func (a *auditor) checkCountCell(p *page, b *block) {
	text := p.source[b.start:b.end]
	number := strings.TrimSpace(text)
	if parseInt(number) == 0 || !columnTitle.MatchString(b.column) {
		return
	}
	c := statedCount{number: number, n: parseInt(number), noun: "files"}
	row := number + " " + b.firstCell
	if counts := findCounts(row); len(counts) == 1 && counts[0].end == len(row) {
		c = counts[0]
	}
	a.compareCount(p, b.start+strings.Index(text, number), c, b.firstCell)
}

// checkDrawnTree checks the comments of a drawn tree: commands/  # 12 commands.
func (a *auditor) checkDrawnTree(p *page, f fence) {
	at := 0
	for line := range strings.Lines(f.text) {
		if m := treeLine.FindStringSubmatchIndex(line); m != nil {
			counts := findCounts(line[m[4]:m[5]])
			if len(counts) == 1 && counts[0].at == 0 {
				a.compareCount(p, f.at(at+m[4]), counts[0], "`"+a.fullDir(line[m[2]:m[3]])+"/`")
			}
		}
		at += len(line)
	}
}

// compareCount compares a count with everything in the repository that it can
// mean. The sentence may name the folder.
func (a *auditor) compareCount(p *page, at int, c statedCount, sentence string) {
	tallies := a.tally(c, sentence)
	var has []string
	for _, t := range tallies {
		if t.n == c.n || slices.Contains(t.otherWays, c.n) {
			return
		}
		has = append(has, fmt.Sprintf("%s has %d", t.where, t.n))
	}
	message := fmt.Sprintf("states %s %s, but %s", c.number, c.noun, strings.Join(has, " and "))
	switch {
	case len(tallies) == 1 && tallies[0].isExact:
		a.reportFix(p, at, c.number, spellLike(tallies[0].n, c.number), "count", Low, message)
	case len(tallies) > 0:
		a.report(p, at, "count", Low, message)
	}
}
