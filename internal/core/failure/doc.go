// Package failure tells whether a failure is the one already seen, which tests
// failed, and what of a long output is worth showing. It is pure, and its time is
// linear in its input whatever the bytes are.
//
// Normalise replaces what differs between two runs of the same failure and
// leaves what tells failures apart; Signature digests the result. Order counts.
// A value that looks like a duration, an address or a hash is taken for one,
// even where it was the point of the assertion.
//
// Failing and New read the output of go test, node --test and others that print
// TAP, Jest, Vitest, Mocha, pytest, unittest, cargo test, Maven and Gradle, in
// one output or in several that follow each other. What a runner never came to,
// because something before it failed, neither of them can see. Nameless finds
// what failed beside their tests.
package failure
