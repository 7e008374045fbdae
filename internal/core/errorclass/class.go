// Package errorclass says what kind of error a failed call of an agent's tool was, and
// what is to be done about it. It is pure: no I/O, no clock, and its time is linear in
// its input whatever the bytes are.
//
// An error is something that went wrong around the agent's work: the network, a limit, a
// right, the machine. What the work itself says is none, however the command exited: a
// test that fails, a linter that finds something, a grep that finds nothing. Neither is
// what a person or a guard stopped.
//
// Classify goes by signs: exit codes, names of errors, HTTP statuses in their context,
// and phrases that programs print word by word. Only the edges of a message are looked
// at, since that is where programs say why they gave up; a sign in the middle of a long
// output is something the output is about.
//
// Left to others: telling that two calls are the same, and counting them.
package errorclass

// Class is a kind of error.
type Class string

// The classes. None is what is no error.
const (
	None       Class = ""
	Network    Class = "network"
	RateLimit  Class = "rate_limit"
	Timeout    Class = "timeout"
	Syntax     Class = "syntax"
	Permission Class = "permission"
	Resource   Class = "resource"
	Validation Class = "validation" // a document that can be read and breaks its schema
	Unknown    Class = "unknown"
)

// Policy is what is done about a class of errors.
type Policy struct {
	Class      Class
	Strategy   string
	MaxRetries int
}

// Policies has one policy for each class.
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

// Policy is what is done about a class; a class that is none of these is treated as
// unknown.
func (c Class) Policy() Policy {
	for _, p := range Policies {
		if p.Class == c {
			return p
		}
	}
	return Policies[len(Policies)-1]
}
