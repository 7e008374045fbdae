// Package suite knows what a test suite is made of: how its runner is asked to name the
// tests, the files that decide what is tested and how it is run, and what a second run
// lost against the first. It is pure: texts and files come in as values.
//
// It holds the rule "every test that ran and passed before must still run and pass"
// without reading any language: package testoutput turns what a runner printed into a
// Run, and Compare sets two of them side by side. What a runner does not name cannot be
// compared, and Reader.Run says so instead of answering "nothing is missing".
package suite
