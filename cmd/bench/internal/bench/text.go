package bench

import (
	"fmt"
	"strconv"
	"time"
)

// Milliseconds returns the text of a duration.
func Milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

// MBPerSecond returns the text of a throughput.
func MBPerSecond(bytes int64, took time.Duration) string {
	return fmt.Sprintf("%.0f MB/s", float64(bytes)/1e6/took.Seconds())
}

// Times returns the text of the ratio of a to b.
func Times(a, b float64) string { return fmt.Sprintf("%.2f×", a/b) }

// MiB converts bytes.
func MiB(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// Connections returns the text of a number of connections.
func Connections(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return strconv.Itoa(n) + " connections"
}
