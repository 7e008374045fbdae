// Package command says, before a shell command line runs, what it would do to a
// git repository and to files. It states facts; the caller decides what to deny.
// It is pure: aliases, scripts and folders come in through Env.
//
// The text is read by a parser of Bash, never by a search over it, so that a quoted
// mention of a command is no command and a disguised command is one. A small
// interpreter follows it through quoting, variables, functions, aliases,
// substitutions, pipes, here-documents, eval, sh -c, shell scripts, files that the
// same text writes and runs, and programs that run others (env, sudo, xargs, find).
// What a program does with its arguments is in tables: wraps, gitRules, touches.
//
// It guarantees:
//
//   - Read ends, whatever the text: nesting, unrolling and total work are bounded,
//     and what goes over a bound is one Unknown act if the text mentions git.
//   - The same text gives the same acts.
//   - Where it cannot tell what runs, and git may be what runs, there is an Unknown
//     act rather than none.
//   - Of a shell script that was there before, only what it plainly does counts.
//     Sources of other programs are not read: `node check.js` was once refused for a
//     comment. Code on the command line (python -c) is only searched for a few words.
//
// Every branch of a condition counts as taken, and every function as called. A
// variable or folder that depends on which branch ran counts as unknown. A cd is
// taken to succeed.
//
// Git's own hooks and the comparison of refs catch the rest: what make, npm, a test
// runner or a compiled program does once it runs; other hosts; what tar, patch or a
// formatter writes; and names that are put together without a trace of git.
package command
