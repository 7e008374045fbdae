package quality

import "warp/internal/core/lexicon"

var (
	jsTest  = lexicon.Set{List: "it test specify xit xtest xspecify fit ftest"}
	jsGroup = lexicon.Set{List: "describe context suite xdescribe fdescribe xcontext fcontext"}
	jsHost  = lexicon.Set{List: "Deno QUnit mocha t test"}
	jsHook  = lexicon.Set{List: "describe beforeEach afterEach beforeAll afterAll use extend step slow setTimeout info expect"}
)

// jsSpans finds the tests by their call and the helpers by their definition. A
// function that itself defines tests is no helper.
func jsSpans(s *source) []span {
	w := &jsWalk{source: s}
	for i := 0; i < len(s.toks); i++ {
		if s.toks[i].kind != word {
			continue
		}
		w.leave(i)
		switch name := s.at(i); {
		case jsTest.Has(name):
			i = w.test(i)
		case jsGroup.Has(name):
			w.group(i)
		default:
			w.helper(i, name)
		}
	}
	w.leave(len(s.toks))
	return w.spans
}

type jsWalk struct {
	*source
	spans  []span
	groups []span
	funcs  []span // helpers being walked through, outermost first
}

// leave closes what ended before token i; a helper is kept when it held no test.
func (w *jsWalk) leave(i int) {
	for n := len(w.groups); n > 0 && w.groups[n-1].end <= i; n-- {
		w.groups = w.groups[:n-1]
	}
	if len(w.funcs) > 0 && w.funcs[0].end <= i {
		w.spans = append(w.spans, w.funcs[0])
		w.funcs = w.funcs[:0]
	}
}

// called follows the modifiers of it.skip.each(table)( to the last bracket, or
// returns -1 where that is no call.
func (w *jsWalk) called(i int) int {
	if w.is(i-1, ".") && !jsHost.Has(w.qualifier(i)) || w.word(i-1) == "function" {
		return -1
	}
	j := i + 1
	for hops := 0; hops < 4 && w.is(j, "."); hops++ {
		if jsHook.Has(w.at(j + 1)) {
			return -1
		}
		j += 2
	}
	for w.of(j, stringToken) || w.is(j, "{") { // it.each`table ${value}`
		j = w.close(j) + 1
	}
	if !w.is(j, "(") {
		return -1
	}
	if end := w.close(j); w.is(end+1, "(") {
		return end + 1
	}
	return j
}

func (w *jsWalk) groupName() string {
	if n := len(w.groups); n > 0 {
		return w.groups[n-1].name
	}
	return ""
}

func (w *jsWalk) group(i int) {
	if j := w.called(i); j >= 0 {
		name := w.literal(j + 1)
		if outer := w.groupName(); outer != "" {
			name = outer[max(0, len(outer)-80):] + " " + name // nesting must not grow names without end
		}
		w.groups = append(w.groups, span{name: name, end: w.close(j)})
	}
}

// test notes the test at i and returns its last token.
func (w *jsWalk) test(i int) int {
	open := w.called(i)
	if open < 0 {
		return i
	}
	from := w.root(i)
	end := min(w.close(open)+1, len(w.toks))
	name := w.literal(open + 1)
	if name == "" {
		name = w.at(open + 1)
	}
	w.funcs = w.funcs[:0]
	sp := span{name: name, group: w.groupName(), test: true, from: from, end: end}
	sp.body, sp.stop = w.callback(open, end-1)
	w.spans = append(w.spans, sp)
	return end - 1
}

// callback is the body of the function that a call gets, empty without one.
func (w *jsWalk) callback(open, end int) (from, to int) {
	for i := open + 1; i < end; i++ {
		switch {
		case w.are(i, "=", ">") && w.is(i+2, "{"):
			return i + 3, w.close(i + 2)
		case w.are(i, "=", ">"):
			return i + 2, end
		case w.is(i, "function"):
			if body := w.blockAfter(w.close(w.params(i)) + 1); body > 0 {
				return body + 1, w.close(body)
			}
		}
	}
	if w.is(open+2, ",") {
		return open + 3, end // a function handed on by name
	}
	return end, end
}

// params is the bracket that opens the parameters of the function at i.
func (w *jsWalk) params(i int) int {
	for end := i + 4; i < end && !w.is(i, "("); i++ {
	}
	return i
}

// helper notes function name(…) {…} and const name = (…) => {…}.
func (w *jsWalk) helper(i int, keyword string) {
	name, at := w.word(i+1), i+1
	switch keyword {
	case "function":
	case "const", "let", "var":
		if at = i + 3; !w.is(i+2, "=") {
			return
		}
	default:
		return
	}
	if w.is(at, "async") {
		at++
	}
	open := w.params(at)
	body := w.blockAfter(w.close(open) + 1)
	declared := keyword == "function" || w.is(at, "function")
	if name == "" || body < 0 || !declared && (open != at || !w.are(body-2, "=", ">")) {
		return
	}
	end := min(w.close(body)+1, len(w.toks))
	w.funcs = append(w.funcs, span{name: name, group: w.groupName(), from: i, end: end, body: body + 1, stop: end - 1})
}
