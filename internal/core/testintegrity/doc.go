// Package testintegrity reads a diff, without running anything, for changes that remove tests. It
// does no I/O, and takes time linear in its input.
//
// Most ways to weaken tests show when the old tests run on the new code: see judge.Tests in the
// engine. This package finds what no runner reports:
//
//   - deleted: a test file is gone, or renamed to where no runner looks, and its
//     tests are in no other changed file
//   - emptied: a test file is left blank, a test has an empty body, or a test that
//     had assertions has none, or compares constants alone; nothing in a test script
//     can fail any more
//   - removed: tests of a file are gone, and there are fewer tests than before. A
//     rename passes here; the runner's own list of names decides about it, with
//     FindMoves
//   - skipped: a test has a new skip marker (see the table in languages.go), a
//     build constraint, or a file name that its runner does not collect
//
// New tests may skip themselves: that removes nothing. It reads tests in Go, JavaScript and
// TypeScript, Python, Rust, Java and Kotlin. In other languages only whole files and markers count.
//
// A criterion can allow all of this: see criteria.AllowedTestChanges.
package testintegrity
