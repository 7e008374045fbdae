package notify

import (
	"fmt"
	"testing"
	"time"
)

func TestAFullOutboxKeepsQuestions(t *testing.T) {
	var o Outbox
	o.add([]string{"x"}, Message{Kind: Decision, Text: "which?", Ask: "q1"}, time.Now())
	for n := range maxQueue + 5 {
		o.add([]string{"x"}, Message{Kind: Remark, Text: fmt.Sprint(n)}, time.Now())
	}
	if len(o.Queue) != maxQueue || o.Dropped != 6 || o.Queue[0].Message.Ask != "q1" || o.Queue[1].Message.Text != "6" {
		t.Error(len(o.Queue), o.Dropped, o.Queue[0].Message)
	}
}

func TestAReplyIsForOneChannel(t *testing.T) {
	var o Outbox
	both := []string{"x", "y"}
	o.add(both, Message{Text: "reply", Only: "x"}, time.Now())
	o.add(both, Message{Text: "all"}, time.Now())
	if e, _, more := o.head("y"); !more || e.Message.Text != "all" {
		t.Error(e, more)
	}
	o.cursor("x").Done = 1
	if o.trim(both); len(o.Queue) != 1 {
		t.Error("what nobody waits for any more is kept")
	}
	o.cursor("x").Done = 2
	if o.trim(both); len(o.Queue) != 1 {
		t.Error("y still waits for it")
	}
}
