package relay

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// Time after which a state that is not complete is told.
const lateAfter = 10 * time.Second

// What start = state adds to a subscriber. Each connection begins with the state from a number on: the newest messages
// of the types, in their order, up to a PING that has reached the head. Numbers 0 and 1 are for all of it.
type stateStart struct {
	isOn bool
	now  func() time.Time
	// Number of the last HELLO.
	asked int64
	// Types were added while live: of these the stream came, and not what was before.
	isWidened bool
	// Messages were passed over for newer ones, and not all of these may have come.
	passedOver bool
	// Of what was passed over the newer ones may be gone: the next HELLO asks for all of the state.
	needsWhole bool
	// Time of WELCOME, while the state is not complete; zero: it is, or there is none.
	began  time.Time
	isLate bool
}

// The number for HELLO with these types, where next is the count, and the state of the known types came.
func (s *stateStart) begin(next int64, known, types []Range) int64 {
	s.began = time.Time{}
	if s.isOn && (s.isWidened || s.needsWhole || !covers(known, types)) {
		next = 0
	}
	s.asked = next
	return next
}

// Takes note of a change while live.
func (s *stateStart) changed(known, types []Range) {
	s.isWidened = s.isWidened || !covers(known, types)
}

// Takes note of WELCOME. Whether what the user has is void, since all of the state follows.
func (s *stateStart) welcomed(isOther bool) bool {
	s.began, s.isWidened, s.isLate = s.now(), false, false
	isAnew := isOther || s.asked <= 1
	s.passedOver = s.passedOver && !isAnew
	s.needsWhole = s.needsWhole && !isAnew
	return isAnew
}

// Takes note of a gap.
func (s *stateStart) missed(gap Gap) {
	s.passedOver = s.passedOver || s.isOn && gap.Reason == Superseded
}

// Whether all of the state is to be asked for over another connection: it was cut, and WELCOME is of a later life of the
// relay. A newer message for which one was passed over may be gone, and the number does not tell.
func (s *stateStart) asksAgain(epoch int64, w welcome) bool {
	if !s.passedOver || s.needsWhole || w.epochChanged || w.epoch == epoch {
		return false
	}
	s.needsWhole = true
	return true
}

// Takes note of a PING that has reached the head. Whether it is the first one.
func (s *stateStart) completed() bool {
	isFirst := !s.began.IsZero()
	s.passedOver = false
	s.began = time.Time{}
	return isFirst
}

// Whether it is time to tell that the state is not complete.
func (s *stateStart) isLateNow() bool {
	if s.began.IsZero() || s.isLate || s.now().Sub(s.began) < lateAfter {
		return false
	}
	s.isLate = true
	return true
}

// What these options ask that a relay of an earlier version does not know; empty: nothing.
func (o *SubscriberOptions) newer() string {
	var asked []string
	if o.Start.kind == startState {
		asked = append(asked, "start = state")
	}
	if o.Policy == PolicyLatest {
		asked = append(asked, "policy = latest")
	}
	return strings.Join(asked, " and ")
}

// Whether the ranges have all types of the others. None stands for every type.
func covers(ranges, others []Range) bool {
	if len(ranges) == 0 {
		return true
	}
	if len(others) == 0 {
		others = []Range{{lastReserved + 1, math.MaxInt32}}
	}
	ranges = slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	for _, other := range others {
		// The first type of it that is not found yet.
		first := int64(other.From)
		for _, r := range ranges {
			if int64(r.From) <= first {
				first = max(first, int64(r.To)+1)
			}
		}
		if first <= int64(other.To) {
			return false
		}
	}
	return true
}
