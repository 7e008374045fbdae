// Package messages is a scripted stand-in for the Anthropic Messages API, on
// loopback, for tests that run a real agent without a network.
//
// It guarantees:
//
//   - The answer follows from the conversation alone. A marker such as
//     [[scenario:name]] in the text of a user message picks the scenario, the
//     last marker counts, and the step is the number of assistant messages
//     after it. So retries, resumed sessions and clients that were killed get
//     the answer that they would have got. Only Fail.Times counts.
//   - A conversation that is compacted goes on at the step it had reached: the
//     summary carries a marker with a step, [[scenario:name@3]].
//   - Every request is kept, also one that is answered by an error or not at
//     all, before its answer begins.
//   - The end of the test ends the server, whatever is being held back.
//
// It leaves out prices, limits and the checks that the real API makes of a
// conversation.
package messages

// A Script holds the answers of each scenario in order. The scenario "" is for
// conversations without a marker; where it is missing they are answered "ok".
// After its last step a scenario answers with a text that says so.
type Script map[string][]Step

// A Step is one answer of the model: its text, then the tools that it calls.
type Step struct {
	Text  string
	Tools []Tool
	Usage Usage
	Fail  *Fail // instead of the answer
	// Pause holds the answer back until it is closed, the client has gone or
	// the test ends. Server.Await tells when the request is there.
	Pause <-chan struct{}
	// Func, when set, makes the step from the request. It is called from
	// another goroutine than the test's, and may block.
	Func func(Request) Step
}

// A Tool is one call of a tool.
type Tool struct {
	Name  string
	Input map[string]any
}

// Usage is what the answer says it cost in tokens; the zero value stands for
// 100 in and 20 out. A client compacts the conversation when all of them
// together come near the model's window.
type Usage struct {
	Input, Output, CacheRead, CacheCreation int
}

// Fail is an error in place of an answer.
type Fail struct {
	Status  int    // of HTTP: 429, 500, 529
	Type    string // "rate_limit_error", "overloaded_error"
	Message string
	Times   int // how many requests fail before the step is answered; 0: all
	Header  map[string]string
}
