package relay

import (
	"math/rand/v2"
	"time"
)

const (
	// Closes before WELCOME in a row after which the relay may be one without HELLO; fewer may be a start or stop.
	mostUnanswered = 3
	// Failures in a row of a kind for which another try is only a hope.
	mostHopes = 5
	// Doublings after which every wait is the longest.
	mostDoublings = 30
	steadyAfter   = 10 * time.Second
)

// The next endpoint to connect to, and the wait before it. After a connection that worked the same endpoint comes
// first, since its relay holds the next messages. The next one's turn comes after GOAWAY, after a failed try, and if a
// relay cuts one connection after the other. Owned by one goroutine.
type reconnector struct {
	endpoints []endpoint
	policy    Reconnect
	uniform   func() float64

	index int
	tries int
	hopes int
	// Until the first connection; the first round comes without a wait, and does not count as one of the policy's.
	beginning     bool
	everWelcomed  bool
	welcomedAt    time.Time
	hasProgressed bool
	steady        bool
	shortLived    int
	isLeaving     bool
	// RETRY_AFTER of the present connection; negative: none came.
	told time.Duration
	// Earliest times of endpoints, by their indices.
	notBefore  map[int]time.Time
	unanswered int
}

func newReconnector(endpoints []endpoint, policy Reconnect) *reconnector {
	// The first try has its place in the first round.
	return &reconnector{endpoints: endpoints, policy: policy, uniform: rand.Float64, beginning: true, tries: 1,
		told: -1, notBefore: map[int]time.Time{}}
}

// The endpoint that is connected, or next.
func (r *reconnector) current() endpoint { return r.endpoints[r.index] }

// Takes note of WELCOME, or of a plain connection.
func (r *reconnector) welcomed(now time.Time) {
	r.everWelcomed = true
	r.welcomedAt = now
	if r.beginning {
		r.beginning = false
		r.tries = 0
	}
}

// Takes note of input behind WELCOME. The count starts anew only if the connection has lived for a while by then: a
// relay that welcomes, sends a message and closes would be tried for ever otherwise.
func (r *reconnector) progressed(now time.Time) {
	r.hasProgressed = true
	if !r.steady && now.Sub(r.welcomedAt) >= min(r.policy.Longest, steadyAfter) {
		r.steady = true
		r.shortLived, r.tries, r.hopes = 0, 0, 0
	}
}

// Takes note of GOAWAY. If only the connection's TLS key is used up, the same endpoint comes next.
func (r *reconnector) leaving(code int) { r.isLeaving = code != codeTLSKeyUsedUp }

// Takes note of RETRY_AFTER: the time counts from the end of the connection.
func (r *reconnector) retryAfter(wait time.Duration) { r.told = wait }

// Takes note of a failed try or a lost connection: what to tell of it, and the wait before the next try; false: there
// is none.
func (r *reconnector) failed(end *Error, now time.Time) (*Error, time.Duration, bool) {
	wasTold := r.told >= 0
	if wasTold {
		r.notBefore[r.index] = now.Add(r.toldWait(r.told))
		r.told = -1
	}
	end = r.verdict(end)
	if r.hasProgressed && !r.steady {
		r.shortLived++
	} else {
		r.shortLived = 0
	}
	if !r.hasProgressed || r.shortLived > 1 || r.isLeaving || end.advice != again || end.Code == codeShutdown {
		r.index = (r.index + 1) % len(r.endpoints)
	}
	r.hasProgressed, r.steady, r.isLeaving = false, false, false
	wait, more := r.wait(end.advice, wasTold)
	if earliest, ok := r.notBefore[r.index]; ok {
		wait = max(wait, earliest.Sub(now))
	}
	return end, wait, more
}

// The wait before the next try of an endpoint whose relay has told a time.
func (r *reconnector) toldWait(told time.Duration) time.Duration {
	share, longest := r.policy.Jitter*r.uniform(), r.policy.Longest
	if told > longest {
		return time.Duration(float64(longest) * (1 - share))
	}
	return min(longest, time.Duration(float64(told)*(1+share)))
}

func (r *reconnector) verdict(end *Error) *Error {
	if !end.unanswered {
		r.unanswered = 0
		return end
	}
	r.unanswered++
	if r.everWelcomed || r.unanswered < mostUnanswered {
		return end
	}
	return failed(again, "%w; %d tries in a row ended so: it may be a relay that knows no HELLO. Options.Plain is for it",
		end, r.unanswered)
}

// A time that the relay has told takes the place of the longest wait.
func (r *reconnector) wait(how advice, wasTold bool) (time.Duration, bool) {
	if how == stop {
		return 0, false
	}
	if how.isFew() {
		if r.hopes++; r.hopes > mostHopes {
			return 0, false
		}
	}
	round, place := r.tries/len(r.endpoints), r.tries%len(r.endpoints)
	if r.beginning {
		round--
	}
	if r.policy.Rounds != Endless && round >= r.policy.Rounds {
		return 0, false
	}
	r.tries++
	if place != 0 || round < 0 {
		return 0, true
	}
	delay := r.policy.Longest
	if (!how.isSlow() || wasTold) && round < mostDoublings {
		if doubled := r.policy.First << round; doubled > 0 && doubled < delay && doubled>>round == r.policy.First {
			delay = doubled
		}
	}
	return time.Duration(float64(delay) * (1 - r.policy.Jitter*r.uniform())), true
}
