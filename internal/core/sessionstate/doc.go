// Package sessionstate is a named run of stages, each a loop of iterations: its
// document, what may happen to it, and when a loop is done. A loop is a session
// of one stage, which stands in the document's own members instead of in an entry
// of stages; everything here takes a stage's index and treats both alike, so that
// one stage and many cannot come to differ. It is pure: no I/O, no clock.
//
// # What ends a loop
//
// Decide is asked before each iteration. It looks at what is true of one stage,
// in this order:
//
//  1. Success, by the strategy: plateau (K iterations in a row, 2 unless told,
//     said so and changed nothing), judge (it said stop with a confidence of at
//     least 0.5), queue (it is empty), gates (all passed, 2 times in a row, and the
//     queue, if there is one, is empty). Plateau and judge wait for the least
//     number of iterations, 2 unless told.
//  2. agent-error: the agent's runs failed 3 times in a row; or, when the iterations
//     are used up, each of them did, or, of a fixed loop, one: it was told how many.
//  3. max_iterations: what a fixed loop was told, or its bound; it has done what
//     it was told to, so it is complete. No loop is without such a bound.
//  4. budget: money, tokens, time, or lack of progress (so many iterations in a
//     row that changed nothing and completed nothing). Lack of progress is a
//     budget here as it is in a drive; the reason's text says which one tripped.
//
// What an agent says never outweighs what was seen: an iteration that changed
// something is no plateau. A run that failed is none either. A judge that fails
// counts for nothing, and is not asked again after three failures in a row.
//
// # What the document promises
//
// A stage without an iteration that came to something is never a success. Those that
// came to nothing count for bounds, never for completion, and a resume gives as many
// again: a session that failed for want of an agent was once complete when it was
// resumed, and nothing had been run. An iteration is recorded once, and only if it
// was started; one that turns out to have nothing to do is withdrawn. What strategies need is counted beside the history,
// stage by stage, so that neither the bound on the history nor another stage
// changes a decision.
//
// Left to others: storing the document, running agents, asking judges and queues,
// which stage may begin when (package pipeline), and the phases of the quality
// loop (package workqueue).
package sessionstate
