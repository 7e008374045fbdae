// Package sessionstate is a named run of stages, each a loop of iterations: its document, its
// events, and when a loop is done. A loop is a session of one stage, stored in the document's own
// members instead of an entry of stages; everything here takes a stage's index and treats both
// alike, so that they cannot drift apart. It does no I/O and reads no clock.
//
// # What ends a loop
//
// Decide is called before each iteration. It checks one stage, in this order:
//
//  1. Success, by the strategy: plateau (K iterations in a row, 2 by default, reported one
//     and changed nothing), judge (it said stop with a confidence of at least 0.5), queue
//     (it is empty), gates (all passed, 2 times in a row, and the queue, if any, is empty).
//     Plateau and judge wait for the minimum of iterations, 2 by default.
//  2. agent-error: the agent's runs failed 3 times in a row; or, when the iterations are
//     used up, all of them failed, or in a fixed loop any: it was told how many to run.
//  3. max_iterations: the number of a fixed loop, or the limit; the loop has done what it
//     was told to, so it is complete. Every loop has such a limit.
//  4. budget: money, tokens, time, or lack of progress (a number of iterations in a row
//     that changed and completed nothing). Lack of progress is a budget here as in a
//     drive; the reason's text says which one tripped.
//
// What an agent says never outweighs what was observed: an iteration that changed something is no
// plateau, nor is a failed run. A failing judge is ignored, and not asked again after three
// failures in a row.
//
// # What the document promises
//
// A stage without an iteration that had a result is never a success. Iterations without a result
// count towards limits, never towards completion, and a resume grants as many again: a session that
// failed for lack of an agent was once complete when it was resumed, and nothing had run. An
// iteration is recorded once, and only if it was started; one with nothing to do is withdrawn. What
// strategies need is counted separately from the history, stage by stage, so that neither the limit
// on the history nor another stage changes a decision.
//
// Handled elsewhere: storing the document, running agents, asking judges and queues, the order of
// stages (package pipeline), and the phases of the quality loop (package workqueue).
package sessionstate
