// Package sweep shows the claims of durability on the real binary and the real
// kernel: killed at every system call, every file operation failing once, a
// full disk, power cuts on real file systems, many processes at once. The tests
// run sampled; with WARP_SWEEP=1 (make sweep) every point is tried. Each logs a
// row of the table in docs/explanation/durability.md.
package sweep
