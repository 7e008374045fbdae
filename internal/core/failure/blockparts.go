package failure

import "strings"

func pytestPart(l string) bool {
	return strings.HasPrefix(l, "==") && containsAny(l, " FAILURES ", " ERRORS ", " short test summary info ")
}

func pytestEnd(l string) ending {
	if strings.HasPrefix(l, "==") && strings.Contains(l, " warnings summary ") {
		return endsBefore
	}
	// === 1 failed, 2 passed in 0.12s ===, bare when it is to be quiet
	l = strings.Trim(l, "= ")
	count, _, _ := strings.Cut(l, " ")
	return here(isNumber(count) && containsAny(l, " failed", " error") && strings.Contains(l, " in ") && strings.ContainsAny(l[strings.LastIndex(l, " in "):], "0123456789"))
}

func mochaPart(l string) bool {
	number, ok := strings.CutSuffix(l, " failing")
	return ok && isNumber(strings.TrimSpace(number))
}

func nodePart(l string) bool { return l == "✖ failing tests:" || l == "Failed tests:" }

func unittestPart(l string) bool {
	return beginsAny(l, "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ") && strings.Contains(l, " (")
}

func unittestEnd(l string) ending {
	return before(strings.HasPrefix(l, "Ran "))
}

func rustPart(l string) bool  { return l == "failures:" }
func rustEnd(l string) ending { return here(strings.HasPrefix(l, "test result:")) }

// scriptPart begins in Jest and Vitest.
func scriptPart(l string) bool {
	if strings.HasPrefix(l, "  ● ") {
		return l != "  ● Console"
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(l), "FAIL ")
	file, _, _ := strings.Cut(strings.TrimSpace(rest), " > ")
	file, _, _ = strings.Cut(file, " [ ")
	file, _ = untimed(file)
	return ok && isScript(file)
}

func scriptEnd(l string) ending {
	if beginsAny(strings.TrimSpace(l), "PASS ", "Test Suites:", "● Console") {
		return endsBefore
	}
	return here(strings.HasPrefix(l, "⎯⎯"))
}

func tapPart(l string) bool {
	_, directive, _ := strings.Cut(l, " # ")
	return strings.HasPrefix(strings.TrimLeft(l, " "), "not ok ") && !excused(directive)
}

func tapEnd(l string) ending {
	l = strings.TrimLeft(l, " ")
	if beginsAny(l, "ok ", "not ok ", "1..", "# Subtest: ", "# tests ") && !tapPart(l) {
		return endsBefore
	}
	return here(l == "...")
}

func specPart(l string) bool {
	title, ok := strings.CutPrefix(strings.TrimLeft(l, " "), "✖ ")
	title, directive, _ := strings.Cut(title, " # ")
	_, timed := untimed(title)
	return ok && timed && !excused(directive)
}

func specEnd(l string) ending {
	return before(beginsAny(strings.TrimLeft(l, " "), "✔ ", "▶ ", "ℹ ", "﹣ "))
}

func goPart(l string) bool {
	if _, name, ok := strings.Cut(l, "--- FAIL: "); ok && goTest(firstWord(name)) {
		return true
	}
	if pkg, ok := strings.CutPrefix(l, "# "); ok {
		pkg, rest, _ := strings.Cut(pkg, " ")
		return pkg != "" && plainWord(pkg[0]) && !strings.HasSuffix(pkg, ":") && (rest == "" || strings.HasPrefix(rest, "["))
	}
	return beginsAny(l, "FAIL\t", "fatal error: ", "WARNING: DATA RACE") || !strings.HasPrefix(l, " ") && strings.Contains(l, "panic: ")
}

func goEnd(l string) ending {
	inner := strings.TrimLeft(l, " ")
	if l == "FAIL" || l == "PASS" || beginsAny(inner, "ok  \t", "?   \t", "--- PASS: ", "--- SKIP: ", "=== ") {
		return endsBefore
	}
	return here(strings.HasPrefix(l, "FAIL\t"))
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

func mavenPart(l string) bool { return strings.HasPrefix(l, "[ERROR]") }

func mavenEnd(l string) ending { return before(beginsAny(l, "[INFO]", "[WARNING]")) }

func gradlePart(l string) bool {
	return l == "* What went wrong:" || strings.HasSuffix(l, " FAILED") && strings.Contains(l, "> ") && !strings.HasPrefix(l, " ")
}

func gradleEnd(l string) ending {
	if beginsAny(l, "* Try:", "> Task ", "BUILD FAILED") || strings.HasSuffix(l, " PASSED") {
		return endsBefore
	}
	return here(strings.HasSuffix(l, " failed") && strings.Contains(l, " tests completed, "))
}

func compilerPart(l string) bool {
	return beginsAny(l, "error: ", "error[", "ERROR in ") || containsAny(l, ": error: ", ": error TS", "): error ", ": fatal error: ")
}

// exceptionPart begins where a program ended by itself.
func exceptionPart(l string) bool {
	l = strings.TrimPrefix(l, "# ")
	if beginsAny(l, "Traceback (most recent call last)", "Uncaught ", "Exception in thread ", " Exception during run: ") {
		return true
	}
	word, rest, _ := strings.Cut(l, " ")
	return strings.HasSuffix(word, "Error:") || strings.HasSuffix(word, "Exception:") || strings.HasSuffix(word, "Error") && strings.HasPrefix(rest, "[") ||
		word == "thread" && strings.Contains(rest, " panicked at ")
}

func makePart(l string) bool {
	return strings.HasPrefix(l, "make") && strings.Contains(l, ": *** ")
}
