package testintegrity

import (
	"regexp"
	"slices"
	"sync"
)

// language describes, as regular expressions, how to find the tests and skip markers of a language.
// Each must match to the end of the text if something is left open: one that fails there is retried
// from every position.
type language struct {
	family string // files of one family may take over each other's tests
	exts   []string
	inline bool   // tests are in product files
	hidden string // comments and strings

	// What declares a test, something else with a name, and what contains tests. The first group
	// that matches is the name. Without tests, only markers count.
	tests, others, groups string
	empty                 string // follows the declaration of a test that does nothing
	vacuous               string // assertions that compare constants alone

	skips string // markers that skip a test
	focus string // markers that skip all other tests
}

// Comments and strings of several languages.
const (
	slashes = `//[^\n]*|/\*(?s:.*?)(?:\*/|\z)`
	hash    = `#[^\n]*`
	double  = `"(?:\\.|[^"\\\n])*"?`
	single  = `'(?:\\.|[^'\\\n])*'?`
	ticks   = "`(?s:\\\\.|[^`\\\\])*(?:`|\\z)"
	rawTick = "`[^`]*(?:`|\\z)"
	triple  = `"""(?s:.*?)(?:"""|\z)|'''(?s:.*?)(?:'''|\z)`
	slashed = `[(,=:\[!&|?{};]\s*/(?:\\.|\[(?:\\.|[^\]\\\n])*\]?|[^/\\\n*\[])(?:\\.|\[(?:\\.|[^\]\\\n])*\]?|[^/\\\n\[])*/?` // a regular expression
)

const (
	emptyBlock = `^[^{;\n]*\{\s*(?:\}|return\s*?(?:;|\n|Ok\(\(\)\);))`
	jvmHidden  = slashes + "|" + triple + "|" + double + "|" + single
	jvmTests   = `@(?:[\w.]+\.)?(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b(?:\([^)\n]*\))?\s*(?:@[\w.]+(?:\([^)\n]*\))?\s*)*` +
		"(?:[\\w<>\\[\\],.?]+\\s+)*(`[^`\\n]+`|\\w+)\\s*\\(" + `|\bvoid\s+(test\w*)\s*\(`
	jvmSkips = `@(?:[\w.]+\.)?(?:Disabled|Ignore)|\benabled\s*=\s*false|\bassum(?:e(?:True|False|That)|ingThat)\b|\b(?:if|while)\s*\((?:false|!true)\)`
)

// constants are what is left of an assertion's arguments that name nothing. Strings are blank.
const constants = `(?:[\s,]|\b(?:True|False|None|true|false|null|undefined|nil|t|\d+(?:\.\d+)?)\b)*`

// languages is the table. It covers what keeps a test from running without a word from the runner,
// or with one that looks like success.
var languages = [...]language{
	{
		family: "Go", exts: []string{"go"}, hidden: slashes + "|" + double + "|" + single + "|" + rawTick,
		tests:  `(?m)^func (?:\([^)\n]*\) *)?((?:Test|Fuzz|Example)(?:[^a-z\s(\[][^\s(\[]*)?)[(\[]`,
		others: `(?m)^func (?:\([^)\n]*\) *)?(\w+)`, empty: emptyBlock,
		skips:   `\b(?:t|b|f|tb|T\(\))\.Skip(?:f|Now)?\b|\b(?:if|for) false\b|\bif\s+(?:\d+\s*)?[!=]=\s*(?:\d+\s*)?\{`,
		vacuous: `\b(?:assert|require)\.\w+\(` + constants + `\)`,
	},
	{
		family: "JavaScript", exts: []string{"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"}, hidden: slashes + "|" + double + "|" + single + "|" + ticks + "|" + slashed,
		tests:  `(?:^|[^\w.$]|\bDeno\.)(?:it|test|specify|fit|ftest|xit|xtest|xspecify)(?:\.\w+)*(?:\([^()\n]*\)|` + "`[^`]*`" + `)?\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|` + "`([^`\n]*)`)",
		others: `(?m)^(?:export )?(?:async )?function\s*(\w+)|^(?:export )?(?:const|let|var) (\w+) = .*(?:=>|function)`,
		groups: `(?:^|[^\w.$])((?:describe|context|suite|xdescribe|fdescribe|xcontext)(?:\.\w+)*)\(`,
		empty:  `^\s*(?:\)|,\s*(?:\{[^{}]*\},\s*)?(?:async\b\s*)?(?:function\b\s*\w*\s*)?(?:\([^()\n]*\)|\w+)\s*(?:=>\s*)?\{\s*(?:\}|return\s*?[;\n]))`,
		skips: `(?:^|[^\w.$])(?:(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|fails|failing|fixme)|xit|xtest|xdescribe|xcontext|xspecify)\b` +
			`|\b(?:this|t|ctx|context)\.skip\b|\b(?:skip|todo): *true\b|\b(?:if|while) ?\((?:false|!true|0)\)`,
		vacuous: `\bexpect\(` + constants + `\)(?:\.\w+)*\(` + constants + `\)|\bassert(?:\.\w+)*\(` + constants + `\)`,
		focus:   `(?:^|[^\w.$])(?:(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.only|fit|ftest|fdescribe)\b|\bonly: *true\b`,
	},
	{
		family: "Python", exts: []string{"py"}, hidden: triple + "|" + hash + "|" + double + "|" + single,
		tests: `(?m)^[ \t]*(?:async )?def (test\w*)`, others: `(?m)^[ \t]*(?:async )?def (\w+)`, groups: `(?m)^[ \t]*class (\w+)`,
		empty: `^\([^)]*\)[^:\n]*:\s*(?:pass\b|\.\.\.|return[ \t]*(?:None)?[ \t]*(?:\n|\z))`,
		skips: `\bmark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\b|\bunittest\.skip|@skip|\bexpectedFailure\b|\b[sS]kipTest\b` +
			`|\b__test__\s*=\s*False|\bcollect_ignore|\b(?:if|while) (?:False|0|not True)\b`,
		vacuous: `\bassert[ \t]+(?:True|[1-9]\d*)[ \t]*(?:[,;\n]|\z)|\bself\.assert\w+\(` + constants + `\)`,
	},
	{
		family: "Rust", exts: []string{"rs"}, inline: true,
		hidden: slashes + `|r##"(?s:.*?)(?:"##|\z)|r#"(?s:.*?)(?:"#|\z)|r"[^"]*(?:"|\z)|"(?s:\\.|[^"\\])*(?:"|\z)|'(?:\\[^'\n]{1,9}|\\'|[^'\\\n])'`,
		tests:  `#\[(?:\w+::)*\w*test\w*(?:\([^)\n]*\))?\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub )?(?:async )?fn (\w+)`,
		others: `\bfn (\w+)`, empty: emptyBlock,
		skips: `#\[ignore\b|\bcfg_attr\([^\n]*, *ignore|#\[cfg\((?:any\(\)|never|not\(test\)|all\(test, *never\))\)\]|\b(?:if|while) false\b`,
	},
	{
		family: "Java", exts: []string{"java"}, hidden: jvmHidden, tests: jvmTests, skips: jvmSkips, empty: emptyBlock,
		others: `(?m)^[ \t]*(?:[\w<>\[\]]+ +)+(\w+)\([^)\n]*\)[^;{\n]*\{`, groups: `\bclass (\w+)`,
	},
	{
		family: "Java", exts: []string{"kt", "kts"}, hidden: jvmHidden + "|" + rawTick, tests: jvmTests, others: `\bfun (\w+)`, groups: `\bclass (\w+)`,
		empty: `^[^{=;\n]*(?:\{\s*(?:\}|return\s*?\n)|=\s*(?:Unit\b|\n|\z))`, skips: jvmSkips,
	},
	{family: "Groovy", exts: []string{"groovy", "scala"}, hidden: jvmHidden, skips: jvmSkips},
	{
		family: "Ruby", exts: []string{"rb", "cr"}, hidden: hash + "|" + double + "|" + single,
		skips: `\bx(?:it|describe|context|specify)\b|(?m)^\s*(?:skip|pending)\b|\bskip: *true\b`, focus: `\bf(?:it|describe|context)\b|\bfocus: *true\b`,
	},
	{family: "Elixir", exts: []string{"ex", "exs"}, hidden: triple + "|" + hash + "|" + double, skips: `@(?:module|describe)?tag :skip\b`},
	{family: "shell", exts: []string{"bats", "sh", "bash"}, hidden: hash + "|" + double + "|" + single, skips: `(?m)^\s*skip\b`},
	{family: "C#", exts: []string{"cs", "fs", "vb"}, hidden: slashes + "|" + double, skips: `\[Ignore\b|\bSkip\s*=|\bAssert\.(?:Ignore|Inconclusive|Skip)\b`},
	{family: "PHP", exts: []string{"php"}, hidden: slashes + "|" + double + "|" + single, skips: `\bmarkTest(?:Skipped|Incomplete)\b`},
	{family: "Swift", exts: []string{"swift"}, hidden: slashes + "|" + triple + "|" + double, skips: `\bXCTSkip|\.disabled\b`},
	{family: "Dart", exts: []string{"dart"}, hidden: jvmHidden, skips: `\bskip: *true\b|@Skip\b|\bmarkTestSkipped\b`, focus: `\bsolo: *true\b`},
	{family: "C", exts: []string{"c", "cc", "cpp", "cxx", "m", "mm"}, hidden: slashes + "|" + double, skips: `\bGTEST_SKIP\b|\bDISABLED_|\bXCTSkip|(?m)^#if 0\b`},
}

// languageOf returns the language of a path; nil if it is not in the table.
func languageOf(path string) *language {
	ext := extension(path)
	for i := range languages {
		if slices.Contains(languages[i].exts, ext) {
			return &languages[i]
		}
	}
	return nil
}

var compiled sync.Map

// pattern compiles a regular expression on first use, so that no program pays for the table at
// startup.
func pattern(expr string) *regexp.Regexp {
	if known, ok := compiled.Load(expr); ok {
		return known.(*regexp.Regexp)
	}
	re := regexp.MustCompile(expr)
	compiled.Store(expr, re)
	return re
}
