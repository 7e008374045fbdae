// Package trial puts warp on trial: the real programs, run as a person runs them,
// with agents that lie, destroy, hang and overspend. Whatever the agent does, main
// has only work that is really done, what warp says of it is true, nothing of the
// user's is lost, and nothing goes on running. The matrix holds that for every way to
// run an agent: drives, loops, pipelines and workflows. It has only tests.
package trial
