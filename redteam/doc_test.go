// Package redteam attacks warp: each file below tricks/ is one trick of a hostile
// agent, against the real programs, in a project whose person has something to lose.
// Each is tried contained by bubblewrap, partly contained by Landlock, and not
// contained. docs/explanation/security.md has what came of it. It has only tests.
package redteam
