// Conducted replaces warp when bench measures the coordination of a fleet: it sends the requests of
// a conducted drive, in the same order, and does nothing else. All other CPU time is the fleet's.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
)

// asked lists the requests of a drive of one chunk, from its first phase to its last.
var asked = []conduct.Say{
	{Kind: conduct.Phase, Phase: "prerequisites"},
	{Kind: conduct.File, What: "labels"},
	{Kind: conduct.Phase, Phase: "discovering"},
	{Kind: conduct.File, What: "a comment"},
	{Kind: conduct.Phase, Phase: "planning", Agent: true},
	{Kind: conduct.Phase, Phase: "chunking"},
	{Kind: conduct.Phase, Phase: "coding", Agent: true},
	{Kind: conduct.Phase, Phase: "updating_docs"},
	{Kind: conduct.File, What: "the text"},
	{Kind: conduct.Phase, Phase: "testing", Agent: true},
	{Kind: conduct.Phase, Phase: "committing"},
	{Kind: conduct.Push, What: "the branch"},
	{Kind: conduct.Phase, Phase: "reporting"},
	{Kind: conduct.File, What: "the report"},
	{Kind: conduct.Phase, Phase: "chunk_complete"},
	{Kind: conduct.Phase, Phase: "requirement_complete"},
	{Kind: conduct.Phase, Phase: "merging", Agent: true},
	{Kind: conduct.Push, What: "main"},
	{Kind: conduct.File, What: "a comment"},
	{Kind: conduct.File, What: "it is closed"},
	{Kind: conduct.Phase, Phase: "awaiting_continue"},
	{Kind: conduct.Phase, Phase: "session_ending"},
	{Kind: conduct.File, What: "the summary"},
}

// cost is the cost that the agent reports.
const cost = 10_000

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "conducted:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) < 3 {
		return fmt.Errorf("%q is not a command of a fleet's worker", os.Args)
	}
	switch os.Args[1] {
	case "issue":
		return listIssues()
	case "evidence":
		return json.NewEncoder(os.Stdout).Encode(evidence.Account{})
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	id := filepath.Base(filepath.Dir(dir)) + "#" + os.Args[2]
	if err := note("begin", id); err != nil {
		return err
	}
	if err := converse(id); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(conduct.Say{Kind: conduct.End, Spent: conduct.Spent{MicroUSD: cost}, Outcome: &conduct.Outcome{Result: "merged"}})
}

// converse sends the requests, and sleeps for the agent's time in phases with an agent.
func converse(id string) error {
	agent, err := agentTime(id)
	if err != nil {
		return err
	}
	replies := bufio.NewScanner(os.Stdin)
	var spent conduct.Spent
	phase := ""
	for n, say := range asked {
		if say.Kind == conduct.Phase {
			phase = say.Phase
		}
		say.Serial, say.Phase, say.Spent = int64(n+1), phase, spent
		if err := json.NewEncoder(os.Stdout).Encode(say); err != nil {
			return err
		}
		if err := awaitReply(replies, say.Serial); err != nil {
			return err
		}
		switch {
		case say.Kind == conduct.Phase && phase == "coding":
			time.Sleep(agent)
			spent.MicroUSD = cost
		case say.Kind == conduct.Push && phase == "merging":
			if err := note("merge", id); err != nil {
				return err
			}
		}
	}
	return nil
}

func awaitReply(replies *bufio.Scanner, serial int64) error {
	for replies.Scan() {
		var r conduct.Reply
		if err := json.Unmarshal(replies.Bytes(), &r); err != nil {
			return err
		}
		if r.Serial == serial && !r.Go {
			return fmt.Errorf("the worker refused the next step: %s", r.Why)
		}
		if r.Serial == serial {
			return nil
		}
	}
	return errors.Join(errors.New("the worker is gone"), replies.Err())
}

// agentTime is spread evenly between CONDUCTED_LEAST and CONDUCTED_MOST; it is the same for a
// requirement in every run.
func agentTime(id string) (time.Duration, error) {
	least, err := time.ParseDuration(os.Getenv("CONDUCTED_LEAST"))
	if err != nil {
		return 0, err
	}
	most, err := time.ParseDuration(os.Getenv("CONDUCTED_MOST"))
	if err != nil || most <= least {
		return least, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	x := h.Sum64() // similar names have similar sums: mix the bits
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return least + time.Duration(float64(x>>11)/(1<<53)*float64(most-least)), nil
}

// note appends a line to the log that all processes share.
func note(what, id string) error {
	f, err := os.OpenFile(os.Getenv("CONDUCTED_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "%s %s %d\n", what, id, time.Now().UnixNano()); err != nil {
		return err
	}
	return f.Close()
}

func listIssues() error {
	count, err := strconv.Atoi(os.Getenv("CONDUCTED_ISSUES"))
	if err != nil {
		return err
	}
	type row struct {
		Number     int    `json:"number"`
		Title      string `json:"title"`
		Priority   int    `json:"priority"`
		ApprovedBy string `json:"approved_by"`
	}
	list := make([]row, count)
	for n := range list {
		list[n] = row{n + 1, fmt.Sprintf("Task %d", n+1), 2, "ada"}
	}
	return json.NewEncoder(os.Stdout).Encode(list)
}
