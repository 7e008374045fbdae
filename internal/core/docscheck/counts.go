package docscheck

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/lazy"
)

var (
	// countPattern matches words that make a number a total, the number, adjectives that do not
	// narrow it, and a noun: «there are 12 slash commands», but not «at most 5 commands». A number
	// that continues a total is one too: «and 3 hooks».
	countPattern = lazy.Pattern{Text: `(?i)(?:^|[.!?;:] |(,? and |,? plus |, )|\b(?:all|are|contains?|holds?|includ(?:es?|ing)|(?:ships|comes) with|ships?|has|have|provides?|offers?|defines?|registers|bundles|installs|following|we use|(?:consists|made|one|total) of) )[ *_(]*` +
		`(\d{1,3})[*_]{0,2} +((?:(?:slash|custom|available|built-in|bundled|different|make|npm|yarn|go|shell|sql|claude|code|cli|github|python|bash|top-level|separate|core|markdown|issue) +){0,2})([a-z][a-z-]{2,}s)\b`}
	aboveList = lazy.Pattern{Text: `^[^.!?;:\d]*:$`}
	// partAfter and someAfter match words that make a number a part of the total.
	partAfter = lazy.Pattern{Text: `(?i)^ +(that|which|of|to|at|later|each|per|for|ago|in a row|where|are needed|are enough|from|before|after|away|or)\b`}
	someAfter = lazy.Pattern{Text: `,.*,| of |including|such as|e\.g\.`}
)

// checkCounts compares the numbers on a page with its lists and the repository: «there are 12
// commands», and «the following 5 hooks:» above a list.
func (c *pageCheck) checkCounts() {
	for _, b := range c.blocks {
		prose := strings.ReplaceAll(strings.TrimRight(c.prose[b.start:b.end], " \n"), "\n", " ")
		lastTotal := -1 // where the previous total ends
		for _, m := range countPattern.Get().FindAllStringSubmatchIndex(prose, -1) {
			isNext, at, number := m[2] >= 0, b.start+m[4], prose[m[4]:m[5]]
			kind, noun, after := prose[m[6]:m[7]], strings.ToLower(prose[m[8]:m[9]]), prose[m[1]:]
			n := parseInt(number)
			switch {
			case b.items > 0 && n > 1 && aboveList.Get().MatchString(after) && !someAfter.Get().MatchString(after):
				if n != b.items {
					c.report(at, "count", Low, "announces %s %s, but %d follow", number, noun, b.items)
					c.addFix(at, number, strconv.Itoa(b.items))
				}
			case n > 0 && (!isNext || m[0] == lastTotal) && !partAfter.Get().MatchString(after):
				lastTotal = m[1]
				from := b.start + strings.LastIndex(prose[:m[4]], ". ") + 1
				sentence, _, _ := strings.Cut(strings.ReplaceAll(c.source[from:b.end], "\n", " "), ". ")
				real, ok := c.tree.tally(kind, noun, sentence)
				if !ok || slices.Contains(real.right, n) {
					continue
				}
				c.report(at, "count", Low, "states %s %s, but %s has %d", number, noun, real.where, real.right[0])
				if real.isExact {
					c.addFix(at, number, strconv.Itoa(real.right[0]))
				}
			}
		}
	}
}

// tally is how many of something the repository has.
type tally struct {
	where   string
	isExact bool  // there is only one way to count
	right   []int // the number, then others that are right if counted differently
}

var (
	codePattern = lazy.Pattern{Text: "`(?:\\./)?([^`\\s*]+?)/?`"}
	// contents are nouns for the content of any folder.
	contents  = lazy.Pattern{Text: `^(files|entries|documents|pages|modules|folders|directories|items)$`}
	synonyms  = map[string]string{"guides": "docs", "pages": "docs", "documents": "docs", "subcommands": "commands", "subagents": "agents", "actions": "workflows", "pipelines": "workflows"}
	otherDirs = lazy.Pattern{Text: `(^|/)(vendor|node_modules|testdata|examples|fixtures|test|templates)/`}
)

// tally counts what a stated number refers to: the content of the folder that the sentence names or
// that has its name, or targets, labels and package scripts.
func (t *Tree) tally(kind, noun, sentence string) (tally, bool) {
	folder := cmp.Or(synonyms[noun], noun)
	for _, m := range codePattern.Get().FindAllStringSubmatch(sentence, -1) {
		base := path.Base(m[1])
		if t.isDir(m[1]) && (base == folder || base+"s" == noun || contents.Get().MatchString(noun)) {
			return t.countEntries(m[1]), true
		}
	}
	dirs := slices.DeleteFunc(slices.Clone(t.named[folder]), func(dir string) bool {
		return !t.isDir(dir) || strings.Count(dir, "/") > 2 || otherDirs.Get().MatchString(dir)
	})
	makefile, hasMakefile := t.readMakefile("")
	scripts, hasScripts := t.readScripts("")
	switch {
	case noun == "targets" && hasMakefile:
		return tally{"the Makefile", !makefile.isOpen, []int{len(makefile.targets)}}, true
	case noun == "labels" && len(t.labels) > 0:
		return tally{t.declared, true, []int{len(t.labels)}}, true
	case noun == "scripts" && hasScripts && (len(dirs) == 0 || kind != ""):
		return tally{"package.json", true, []int{len(scripts)}}, true
	case len(dirs) == 1 && (noun != "scripts" || !hasScripts):
		return t.countEntries(dirs[0]), true
	}
	return tally{}, false // nothing, or ambiguous
}

// countEntries counts what a folder holds, with and without files that only describe it.
func (t *Tree) countEntries(dir string) tally {
	kinds := map[string]int{}
	all, indexes := 0, 0
	for _, name := range t.children[dir] {
		switch name = strings.ToLower(name); {
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
			continue
		case strings.HasPrefix(name, "readme") || strings.HasPrefix(name, "index."):
			indexes++
		case strings.HasSuffix(name, "/"):
			kinds["/"]++
		default:
			kinds[path.Ext(name)]++
		}
		all++
	}
	inside := slices.DeleteFunc(slices.Clone(t.files), func(f string) bool { return !strings.HasPrefix(f, dir+"/") })
	right := []int{all - indexes, all, all - kinds["/"], all - indexes - kinds["/"], len(inside)}
	return tally{dir + "/", len(kinds) == 1, slices.AppendSeq(right, maps.Values(kinds))}
}
