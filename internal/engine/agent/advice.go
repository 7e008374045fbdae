package agent

import (
	"fmt"
	"strings"

	"warp/internal/core/errorclass"
)

// Limited reports whether a run met a limit of the API, which passes with time.
func (r Result) Limited() bool {
	return r.End == Limited || r.End == APIError && r.Class == errorclass.RateLimit
}

// advices are what a person can do about a run that failed through no fault of the agent. An empty
// class matches all.
var advices = []struct {
	end   End
	class errorclass.Class
	do    string
}{
	{Limited, "", "wait until the limit resets, or set a fallback agent (_workflow.agents)"},
	{APIError, errorclass.RateLimit, "wait until the API has capacity again, or set a fallback agent (_workflow.agents)"},
	{APIError, errorclass.Timeout, "the API accepts requests but does not answer: check its status page, and try again later"},
	{APIError, errorclass.Network, "check that its API can be reached from here (warp agent check)"},
	{APIError, errorclass.Permission, "check the permissions of the agent's account (warp agent check)"},
	{APIError, "", "check the API's answer (warp agent check), and try again later"},
	{NoCredit, "", "add credit to the account that pays for the agent, or log in with another one"},
	{NoModel, "", "choose a model that exists and that the account may use (--model, or the agent's own settings)"},
	{Unpriced, "", "set a limit that can be enforced; a time limit always can"},
	{NoAgent, "", "install it (warp agent check says how)"},
	{NoLogin, "", "log in (warp agent check says how)"},
}

// Advice returns what a person can do about a run that failed through no fault of the agent, or "".
func (r Result) Advice() string {
	for _, a := range advices {
		if a.end == r.End && (a.class == "" || a.class == r.Class) {
			return a.do
		}
	}
	return ""
}

// refusals are what APIs say with or without a status. They appear in the error that ended a run,
// never in a model's text.
var refusals = []struct {
	end     End
	class   errorclass.Class
	phrases []string
}{
	{NoCredit, errorclass.Permission, []string{"billing_error", "credit balance is too low", "insufficient_quota", "insufficient credit", "billing_hard_limit", "requires billing", "billing is disabled", "billing account", "payment required", "quota exceeded. check your plan"}},
	{NoModel, errorclass.Permission, []string{"model_not_found", "unknown model", "model does not exist", "does not exist or you do not have access to it", "issue with the selected model", "model is not supported", "is not found for api version", "requested entity was not found"}},
	{APIError, errorclass.RateLimit, []string{"overloaded", "model is at capacity"}},
}

const (
	unauthorized    = 401
	paymentRequired = 402
)

// Refusal classifies the end of a run by its API's answer: a status, or 0 if unknown, and a text.
func Refusal(status int, said string) (End, errorclass.Class) {
	said = strings.ToLower(said)
	for _, r := range refusals {
		for _, p := range r.phrases {
			if strings.Contains(said, p) {
				return r.end, r.class
			}
		}
	}
	switch status {
	case 0:
		return APIError, errorclass.Network // no answer, or an incomplete one
	case unauthorized:
		return NoLogin, errorclass.Permission
	case paymentRequired:
		return NoCredit, errorclass.Permission
	}
	class, _ := errorclass.Classify("", fmt.Sprintf("HTTP %d", status), false)
	return APIError, class
}
