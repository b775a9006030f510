package relay

import "math"

// Rows of a relay's table of epochs that WELCOME has at most.
const mostLives = 16

// A life of a stream: its epoch, and the sequence of the first message that it could give.
type life struct{ epoch, first int64 }

// The newest life but the first of mine that is among theirs, with the older ones of mine; none: the streams have none
// in common. What has a number below changed is the same in both. Both have the newest life first.
func inCommon(mine, theirs []life) (rest []life, changed int64) {
	changed = math.MaxInt64
	for i := 1; i < len(mine); i++ {
		changed = min(changed, mine[i-1].first)
		there := int64(math.MaxInt64)
		for _, one := range theirs {
			if one.epoch == mine[i].epoch {
				return mine[i:], min(changed, there)
			}
			there = min(there, one.first)
		}
	}
	return nil, 0
}

// The end of a connection to a relay with an older backup, which knows an earlier epoch of this client: the next HELLO
// has that epoch.
func older(endpoint string, epoch int64) *Error {
	return askAgain("the relay at %s knows no later epoch than %d", endpoint, epoch)
}

// The end of a connection of which its user does not hear: the next one is made at once, and asks for something else.
func askAgain(format string, args ...any) *Error {
	end := failed(again, format, args...)
	end.isAskedAgain = true
	return end
}
