// Package ptrace runs a real program under the Linux tracing interface and
// hurts it at the N-th system call: it kills it there, lets the call fail, or
// lets it write less than it asked for. It is for tests that ask what a
// program leaves behind when it dies, or meets a full disk, at any point.
//
// What it guarantees:
//
//   - Every thread and every child process is followed from its first
//     instruction, and their calls share one counter.
//   - A call that is hurt "before" is never executed. No call of any other
//     thread begins once the kill is decided; calls that had begun already may
//     complete or not, as with any SIGKILL.
//   - A kill takes the whole tree, also children in other sessions. What still
//     lives when the first process ends is killed as well.
//   - Run returns only when every process of the tree is gone and reaped: no
//     zombie and no stopped process stays behind. If the test process itself
//     dies, the kernel kills the tree.
//   - Any number of Runs may go on at once, next to other uses of os/exec.
//
// What it does not: the order in which threads reach their calls is the
// scheduler's, so the N-th call of a program with several threads is not the
// same call each time; Result.Hit says which it was. A call that a signal
// interrupts is counted again when the kernel restarts it. A SIGKILL is not a
// power cut: what the program wrote is in the page cache and stays visible.
// Set-user-ID programs run without their privilege, a SIGSTOP does not hold the
// program up, and a child made with CLONE_UNTRACED escapes.
//
// While a Run is going on the test process is a child subreaper, because the
// orphans of a killed tree must come to someone who reaps them.
//
// The package does its work on Linux with amd64 or arm64, version 5.4 or
// newer, and is empty elsewhere.
package ptrace
