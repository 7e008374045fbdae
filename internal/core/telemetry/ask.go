package telemetry

// AskForFindings is what a subagent is told when it begins: in which form the session
// that started it wants to have what it found. Findings reads that form.
const AskForFindings = "if you are asked to review, audit, analyse or look for something, end your last message with what you found, as one JSON block of this form:\n" +
	"```json\n" +
	`{"findings":[{"severity":"S1","category":"security","title":"what is wrong, in one line","details":"where and why","recommendation":"what to do"}],"recommendations":["what to do beyond single findings"],"files_analyzed":["src/a.go"]}` + "\n" +
	"```\n" +
	"Severities: S0 critical, S1 high, S2 medium, S3 low. Leave findings empty when there are none. Any other task needs no such block."
