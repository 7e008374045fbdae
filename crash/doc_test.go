// Package crash shows that a drive survives the death of its engine: warp is
// killed as by kill -9 after every point of whole drives, resumed, and held
// against an undisturbed drive. Commits, branches, files, issues,
// comments, pull requests and evidence must be the same, nothing twice and
// nothing left behind. The tests run sampled; with WARP_SWEEP=1 (make crash)
// every point is tried, and each logs a row of the table.
package crash
