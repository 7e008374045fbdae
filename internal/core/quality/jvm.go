package quality

import (
	"strings"

	"warp/internal/core/lexicon"
)

var (
	jvmTests   = lexicon.Set{List: "Test ParameterizedTest RepeatedTest TestFactory TestTemplate Property Theory"}
	jvmNotName = lexicon.Set{List: "if for while switch catch synchronized return new throw when else do super this"}
)

// jvmSpans finds the methods of Java and the functions of Kotlin. A method is a
// test by its annotation, or by its name in a class that extends TestCase.
func jvmSpans(s *source) []span {
	var spans []span
	var groups []span
	start, test, junit3 := -1, false, false
	for i := 0; i < len(s.toks); i++ {
		for n := len(groups); n > 0 && groups[n-1].end <= i; n-- {
			groups = groups[:n-1]
		}
		switch w := s.at(i); {
		case w == "@" && s.of(i+1, word):
			if start < 0 {
				start = i
			}
			last := s.annotation(i + 1)
			test = test || jvmTests.Has(s.at(last))
			if i = last; s.is(i+1, "(") {
				i = s.close(i + 1)
			}
		case w == "class" || w == "object" || w == "interface":
			if body := s.blockAfter(i); body > 0 && s.of(i+1, word) {
				groups = append(groups, span{name: s.at(i + 1), end: s.close(body)})
			}
		case w == "extends" && s.is(i+1, "TestCase"):
			junit3 = true
		case w == "{" || w == "}" || w == ";":
			start, test = -1, false
		case s.of(i, word) && s.is(i+1, "("):
			sp, ok := s.method(i)
			if !ok {
				continue
			}
			if sp.from = i; start >= 0 {
				sp.from = start
			}
			sp.test = test || junit3 && strings.HasPrefix(sp.name, "test")
			if n := len(groups); n > 0 {
				sp.group = groups[n-1].name
			}
			spans = append(spans, sp)
			i = sp.end - 1
			start, test = -1, false
		}
	}
	return spans
}

// annotation is the last name of the dotted annotation that starts at i.
func (s *source) annotation(i int) int {
	for s.is(i+1, ".") && s.of(i+2, word) {
		i += 2
	}
	return i
}

// method reads the declaration whose name is at i: a type before the name in
// Java, fun in Kotlin, a body after the parameters in both.
func (s *source) method(i int) (span, bool) {
	prev := s.at(i - 1)
	declared := s.of(i-1, word) && !jvmNotName.Has(prev) || prev == ">" || prev == "]"
	if !declared || jvmNotName.Has(s.at(i)) {
		return span{}, false
	}
	sp := span{name: strings.Trim(s.at(i), "`")}
	after := s.close(i+1) + 1
	if prev == "fun" {
		for end := after + 16; after < end && !s.is(after, "{") && !s.is(after, "=") && !s.startsLine(after); {
			after++ // a result type
		}
		if s.is(after, "=") {
			sp.body, sp.stop = after+1, s.expressionEnd(after+1)
			sp.end = sp.stop
			return sp, true
		}
	} else if s.is(after, "throws") {
		after = s.blockAfter(after)
	}
	if !s.is(after, "{") {
		return span{}, false
	}
	sp.end = min(s.close(after)+1, len(s.toks))
	sp.body, sp.stop = after+1, sp.end-1
	return sp, true
}

// expressionEnd is the end of the expression that is a Kotlin function's body:
// the next declaration, or the end of the class.
func (s *source) expressionEnd(i int) int {
	for first := i; i < len(s.toks); i++ {
		if s.is(i, "}") || i > first && s.startsLine(i) && (s.is(i, "@") || kotlinDeclares.Has(s.at(i))) {
			return i
		}
		i = s.close(i)
	}
	return len(s.toks)
}

var kotlinDeclares = lexicon.Set{List: "fun class val var private internal public protected override companion object suspend data"}

var (
	jvmFails  = lexicon.Set{List: "fail verify verifyNoMoreInteractions verifyNoInteractions andExpect expectThrows expectNext"}
	jvmStarts = [...]string{"Disabled", "EnabledIf", "EnabledOn", "Ignore"}
)

// jvmProbe counts the assertions of JUnit, TestNG, AssertJ, Hamcrest, Mockito,
// Truth and Kotest.
func jvmProbe(c *counter, i int, w string) bool {
	called := c.is(i+1, "(")
	annotated := c.is(c.root(i)-1, "@")
	switch {
	case w == "assertThat" && called:
		c.assertThat(i)
		return true
	case w == "assert" && !called:
		c.holds(i, w, [][2]int{{i + 1, c.conditionEnd(i + 1)}})
		return true
	case called && strings.HasPrefix(w, "assert"):
		c.holds(i, w, c.args(i+1))
		return true
	case called && jvmFails.Has(w), strings.HasPrefix(w, "should") && i >= c.u.body && c.lang.lexis.nameTick,
		w == "AssertionError" && c.is(i-1, "new") && c.is(i-2, "throw"):
		if i >= c.u.body {
			c.u.asserts++
		}
		return true
	case w == "expected" && i < c.u.body && c.is(i+1, "="):
		c.u.asserts++
		return true
	case annotated && jvmSkip(w), w == "enabled" && c.are(i+1, "=", "false"):
		c.skip(true)
		return true
	case called && strings.HasPrefix(w, "assum"):
		c.skip(false)
		return true
	}
	c.swallow(i, w)
	return false
}

// conditionEnd is where the condition of an assert statement ends: at the
// semicolon, or at the colon before its message.
func (c *counter) conditionEnd(i int) int {
	choice := false
	for end := min(i+maxArgs, c.limit); i < end && !c.is(i, ";") && (choice || !c.is(i, ":")); i++ {
		choice = choice || c.is(i, "?")
	}
	return i
}

func jvmSkip(name string) bool {
	for _, pre := range jvmStarts {
		if strings.HasPrefix(name, pre) {
			return true
		}
	}
	return false
}

// assertThat states something by a matcher as its second argument or by the
// calls that follow; alone it states nothing.
func (c *counter) assertThat(i int) {
	name, parts, _ := c.chain(i + 1)
	switch {
	case name != "":
		c.holds(i, name, parts)
	case len(c.args(i+1)) > 1 || c.close(i+1)-i > maxArgs:
		c.holds(i, "assertThat", nil)
	}
}
