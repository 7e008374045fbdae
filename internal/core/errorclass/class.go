// Package errorclass decides what kind of error a failed tool call of an agent was, and what to do
// about it. It does no I/O, reads no clock, and takes time linear in its input whatever the bytes
// are.
//
// An error is something that went wrong around the agent's work: the network, a limit, a
// permission, the machine. Results of the work itself are not errors, however the command exited: a
// failing test, a linter's finding, a grep without a match. Neither is what a person or a guard
// stopped.
//
// Classify looks for signs: exit codes, names of errors, HTTP statuses in context, and phrases that
// programs print verbatim. It only looks at the edges of a message, where programs say why they
// gave up; in the middle of a long output, a sign is just content.
//
// Other packages decide whether two calls are the same, and count them.
package errorclass

type Class string

// None is no error.
const (
	None       Class = ""
	Network    Class = "network"
	RateLimit  Class = "rate_limit"
	Timeout    Class = "timeout"
	Syntax     Class = "syntax"
	Permission Class = "permission"
	Resource   Class = "resource"
	Validation Class = "validation" // a readable document that violates its schema
	Unknown    Class = "unknown"
)

// Policy is how a class of errors is handled.
type Policy struct {
	Class      Class
	Strategy   string
	MaxRetries int
}

var Policies = [...]Policy{
	{Network, "Exponential backoff", 3},
	{RateLimit, "Wait for reset", 3},
	{Timeout, "Immediate retry", 2},
	{Syntax, "Add to work queue", 0},
	{Permission, "Escalate to user", 0},
	{Resource, "Wait and retry", 2},
	{Validation, "Add to work queue", 0},
	{Unknown, "Log and continue", 1},
}

// Policy returns the policy of a class, that of Unknown for any other class.
func (c Class) Policy() Policy {
	for _, p := range Policies {
		if p.Class == c {
			return p
		}
	}
	return Policies[len(Policies)-1]
}
