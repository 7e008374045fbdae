// Package failure tells whether a failure is the one already seen, and what of a
// long output is worth showing. It is pure, and its time is linear in its input
// whatever the bytes are.
//
// Normalise replaces what differs between two runs of the same failure and
// leaves what tells failures apart; Signature digests the result. Order counts.
// A value that looks like a duration, an address or a hash is taken for one,
// even where it was the point of the assertion.
package failure
