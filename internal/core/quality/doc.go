// Package quality judges, without running anything, whether the diff that an
// unattended agent hands in weakens the tests. It is pure: no I/O, no clock, no
// goroutine, and its time is linear in its input whatever the bytes are.
//
// In every language: a test file (see IsTest) that is deleted, or renamed to
// where no runner looks, is "deleted"; one left blank is "emptied". It is let
// pass when its bytes, or every one of its tests, are found again in a test file
// of the same diff.
//
// In Go, JavaScript and TypeScript, Python, Rust, Java and Kotlin the tests are
// read token by token, so that neither a comment nor a string counts as code:
//
//   - Tests are paired by name: within their file, then over all changed files
//     of the language. What is left over was renamed or merged when another
//     test gained at least as many assertions and holds half of its words (its
//     names, numbers and strings; the vocabulary of test frameworks is no word);
//     the heir is then held to what it replaced. It was split when several new
//     tests do so together. Else it is "removed".
//   - A pair is "emptied" when nothing is left to run: no statement, or nothing
//     but pass, return and strings. Code after a bare return is not run.
//   - A pair is "weakened" when it lost assertions. Each test and helper is held
//     to its own count, so that new assertions elsewhere hide nothing: they only
//     make up for a loss when two thirds of the words that were lost came with
//     them, and for one loss alone. A call of a helper that the diff shows counts
//     for what the helper asserts. A rewrite as a table passes: a new loop or
//     parameter list, one assertion left, nine tenths of the literals kept.
//   - It is also weakened when a table lost rows and values with them, when
//     comparisons became mere presence checks, when a new handler swallows
//     failures, and when an assertion that always holds is added, to an old test
//     or a new one. Such an assertion never counts as one.
//   - It is "skipped" when it gained a skip, an only, an expected failure, a
//     condition that is constant, an exit(0), a build constraint or a file name
//     its runner does not collect; a new TestMain that does not run the tests and
//     a new skip in conftest.py count too. A new test may skip under a condition.
//
// Go's cmp.Diff counts through the t.Error that reports it, so that swapping it
// for another comparison is no loss.
//
// Known false alarms, kept because the agent can put the assertions back at
// little cost: several assertions merged into one over a whole value, a value
// compared with itself to test its equality, and the tests of a feature that was
// rightly dropped. Where a criterion names such tests as what is to go, Unasked
// leaves the finding out.
//
// Left out is what a rule on the text cannot see: a wrong expected value, a
// fixture or snapshot edited to fit, the Output comment of a Go example, the
// runner's own settings, doctests; and, in languages other than those named,
// everything but deleting and blanking.
package quality
