package quality

import "strings"

// language is what has to be known of one to count its tests.
type language struct {
	lexis  lexis
	inline bool // tests stand inside the files of the product
	spans  func(*source) []span
	probe  func(c *counter, i int, w string) bool // counts at the name w; true when it was an assertion or a skip
	after  func(*counter)                         // has the last word on a unit
	gate   func(*source) string                   // what keeps a whole file from running
}

var golang = language{
	lexis: lexis{rawTick: true},
	spans: goSpans, probe: goProbe, after: goAfter, gate: goGate,
}

var javascript = language{
	lexis: lexis{template: true, regex: true},
	spans: jsSpans, probe: jsProbe, gate: namedGate,
}

var python = language{
	lexis: lexis{hash: true, triple: true},
	spans: pySpans, probe: pyProbe, gate: namedGate,
}

var rust = language{
	lexis: lexis{nested: true, multiline: true, lifetime: true}, inline: true,
	spans: rustSpans, probe: rustProbe,
}

var java = language{
	lexis: lexis{triple: true},
	spans: jvmSpans, probe: jvmProbe, gate: namedGate,
}

var kotlin = language{
	lexis: lexis{nested: true, nameTick: true, dollar: true, triple: true},
	spans: jvmSpans, probe: jvmProbe, gate: namedGate,
}

// dialects says which language a file is in. Languages of one family may be
// ported into each other, so a Kotlin test may replace a Java one.
var dialects = [...]struct {
	ext    string
	family string
	lang   *language
}{
	{"go", "Go", &golang},
	{"js", "JavaScript", &javascript}, {"jsx", "JavaScript", &javascript},
	{"mjs", "JavaScript", &javascript}, {"cjs", "JavaScript", &javascript},
	{"ts", "JavaScript", &javascript}, {"tsx", "JavaScript", &javascript},
	{"mts", "JavaScript", &javascript}, {"cts", "JavaScript", &javascript},
	{"py", "Python", &python},
	{"rs", "Rust", &rust},
	{"java", "Java", &java}, {"kt", "Java", &kotlin}, {"kts", "Java", &kotlin},
}

// dialect is the family and the language of a path, nil where tests are not read.
func dialect(path string) (string, *language) {
	ext := extension(path)
	for _, d := range dialects {
		if d.ext == ext {
			return d.family, d.lang
		}
	}
	return "", nil
}

// extension is the part of a file name after its last dot.
func extension(path string) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	return base[strings.LastIndexByte(base, '.')+1:]
}

// namedGate tells a file that the usual runners collect by its name from one
// that merely lies in a test folder.
func namedGate(s *source) string {
	if collected(s.path) {
		return ""
	}
	return "a file name that the test runner does not collect"
}
