// Package suite knows what a test suite is made of: the names of the tests that a run
// told of, the files that decide what is tested and how it is run, and what a second
// run lost against the first. It is pure: texts and files come in as values.
//
// It holds the rule "every test that ran and passed before must still run and pass"
// without reading any language: a Reader (or ReadJUnit) turns what a runner printed
// into a Run, and Compare sets two of them side by side. What a runner does not name
// cannot be compared, and Reader.Run says so instead of answering "nothing is missing".
//
// The names are as honest as the process that printed them. Product code runs in the
// same process as its tests and can print what a runner prints: go test -json tells an
// ordinary print from its own lines, the plain formats hardly do. A forged name can only
// add a test, or stand in for one that was deleted; the caller has the deleted file in
// its diff for that.
package suite
