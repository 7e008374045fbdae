package suite

import "strings"

// cargoReader reads cargo test, of which one program after the other says how many tests
// it runs, and how it ended.
type cargoReader struct {
	tally   *tally
	target  string // "shop:src/lib.rs", "doc:shop"
	running bool
	pending string // a test that printed something between its name and its result
}

func (c *cargoReader) line(text string) bool {
	inner := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(inner, "Running ") && strings.HasSuffix(inner, ")"):
		c.target = target(inner)
	case strings.HasPrefix(inner, "Doc-tests "):
		c.target = "doc:" + strings.TrimPrefix(inner, "Doc-tests ")
	case begins(text):
		c.running, c.pending = true, ""
	case strings.HasPrefix(text, "test result: "):
		c.fail()
		switch passed := strings.HasPrefix(text, "test result: ok"); {
		case c.target == "" || passed && strings.Contains(text, " 0 passed; 0 failed; 0 ignored;"): // without tests it is as good as none
		case passed:
			c.tally.whole(c.target, Passed)
		default:
			c.tally.whole(c.target, Failed)
		}
		was := c.running
		c.running = false
		return was
	case c.running:
		c.test(text)
	}
	return false
}

// begins tells "running 4 tests".
func begins(text string) bool {
	rest, ok := strings.CutPrefix(text, "running ")
	count, what, _ := strings.Cut(rest, " ")
	return ok && number(count) && (what == "test" || what == "tests")
}

// target is the program of a line such as
//
//	Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)
func target(line string) string {
	head, binary, _ := cutLast(strings.TrimSuffix(line, ")"), " (")
	source := strings.ReplaceAll(head[strings.LastIndexByte(head, ' ')+1:], `\`, "/")
	binary = strings.TrimSuffix(binary[strings.LastIndexAny(binary, `/\`)+1:], ".exe")
	if name, hash, ok := cutLast(binary, "-"); ok && len(hash) == 16 {
		binary = name
	}
	return binary + ":" + source
}

// test reads "test tests::adds ... ok", and the result alone below a test that printed.
func (c *cargoReader) test(text string) {
	if result, ok := cargoResult(text); ok && c.pending != "" {
		c.name(c.pending, result)
		c.pending = ""
		return
	}
	rest, ok := strings.CutPrefix(text, "test ")
	name, outcome, found := cutLast(rest, " ... ")
	if !ok || !found || name == "" {
		return
	}
	if result, ok := cargoResult(outcome); ok {
		c.name(name, result)
		return
	}
	c.fail()
	c.pending, _, _ = strings.Cut(rest, " ... ")
}

func cargoResult(text string) (Result, bool) {
	word, _, _ := strings.Cut(text, ",")
	r, ok := map[string]Result{"ok": Passed, "FAILED": Failed, "ignored": Skipped}[strings.TrimSpace(word)]
	return r, ok
}

// name counts a test. A documentation test is named after its line, which moves.
func (c *cargoReader) name(name string, r Result) {
	if before, rest, ok := strings.Cut(name, " (line "); ok {
		if line, more, ok := strings.Cut(rest, ")"); ok && number(line) {
			name = before + more
		}
	}
	if c.target != "" {
		name = c.target + " " + name
	}
	c.tally.test(name, r)
}

// fail counts a test of which no result came.
func (c *cargoReader) fail() {
	if c.pending != "" {
		c.name(c.pending, Failed)
	}
	c.pending = ""
}

func (c *cargoReader) confirmed() {}
func (c *cargoReader) end()       { c.fail() }
