// Package testoutput reads what test runners print and write: which tests ran and how
// each ended, which failed, what failed beside them, and what of a long output is worth
// showing. It is pure, and its time is linear in its input whatever the bytes are.
//
// Formats made for programs come first: go test -json, JUnit's XML and TAP, which
// package suite has runners write where they can. What runners print for people is read
// by one scanner from a table with a row for each (runners); where failures begin and end
// is in another (blocks). What a runner never came to cannot be seen.
//
// The names are as honest as the process that printed them. Product code runs in the
// same process as its tests and can print what a runner prints: go test -json tells an
// ordinary print from its own lines, the plain formats hardly do. A forged name can only
// add a test, or stand in for one that was deleted; the caller has the deleted file in
// its diff for that.
//
// Normalise replaces what differs between two runs of the same failure and leaves what
// tells failures apart; Signature digests the result. A value that looks like a
// duration, an address or a hash is taken for one, even where it was the point of the
// assertion.
package testoutput
