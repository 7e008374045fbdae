// Package suite knows the parts of a test suite: how to make its runner name the tests, which files
// decide what is tested and how, and what a second run lost compared with the first. It does no
// I/O: texts and files come in as values.
//
// It enforces the rule "every test that ran and passed before must still run and pass" without
// reading any language: package testoutput turns a runner's output into a Run, and Compare compares
// two of them. What a runner does not name cannot be compared, and Reader.Run says so instead of
// reporting that nothing is missing.
package suite
