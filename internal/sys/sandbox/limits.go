package sandbox

// Limits bound what a run uses of the machine; 0: no bound.
type Limits struct {
	Processes int `json:"processes,omitempty"` // at once
	MemoryMB  int `json:"memory_mb,omitempty"` // of all its processes together
	FileMB    int `json:"file_mb,omitempty"`   // of one file
	DiskMB    int `json:"disk_mb,omitempty"`   // written in all
	OutputMB  int `json:"output_mb,omitempty"` // on stdout and stderr
}

// DefaultLimits are far beyond what an agent and a test suite need, and well below
// what takes a machine down.
var DefaultLimits = Limits{Processes: 4096, MemoryMB: 16 << 10, FileMB: 4 << 10, DiskMB: 40 << 10, OutputMB: 256}
