package relay

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func superseded(from, to int64) []byte {
	return frame(typeGap, append(longs(from, to), 0, Superseded, 0, 0, 0, 0, 0, 0))
}

func pingAt(next, head int64) []byte { return frame(typePing, longs(1, next, head)) }

// As texts, with what is of interest of Connected.
func stateTexts(items []Item) (all []string) {
	for i, text := range texts(items) {
		if c, ok := items[i].Notice.(Connected); ok {
			text = map[bool]string{true: "anew", false: "goes on"}[c.Anew]
		}
		all = append(all, text)
	}
	return all
}

func TestStateInPieces(t *testing.T) {
	stream := join(welcomeFrame(1, 7, 0), pingAt(1, 9), superseded(1, 4), frame(3, []byte("c")), superseded(6, 6),
		frame(1, nil), superseded(8, 9), pingAt(10, 9), frame(2, []byte("b")), pingAt(11, 10))
	want := []string{"anew", "relay.Gap{1 4 4}", "5:3:c", "relay.Gap{6 6 4}", "7:1:", "relay.Gap{8 9 4}",
		"relay.StateComplete{10}", "10:2:b"}
	for size := 1; size <= len(stream); size++ {
		core := newCore(t, SubscriberOptions{Start: FromState()})
		l := connection(core)
		for piece := range slices.Chunk(stream, size) {
			if err := feed(l, core, piece); err != nil {
				t.Fatal(err)
			}
		}
		expect(t, stateTexts(core.items), want)
		expect(t, core.next, int64(11))
	}
}

func TestEmptyStreamIsComplete(t *testing.T) {
	core := newCore(t, SubscriberOptions{Start: FromState()})
	if err := feed(connection(core), core, join(welcomeFrame(1, 7, 0), pingAt(1, 0), pingAt(1, 0))); err != nil {
		t.Fatal(err)
	}
	expect(t, stateTexts(core.items), []string{"anew", "relay.StateComplete{1}"})
}

// What each connection asks for, and what becomes of what the user has.
func TestStateOverConnections(t *testing.T) {
	core := newCore(t, SubscriberOptions{Start: FromState(), Types: []Range{{1, 5}}})
	var l *link
	step := func(number, epoch int64, data []byte, want ...string) {
		t.Helper()
		core.items = nil
		l = &link{endpoint: "here", maxBody: 1 << 20, handler: core, chunks: &chunks{}}
		hello := core.begin(l)[headerSize:]
		expect(t, []any{hello[6], be.Uint64(hello[16:]), be.Uint64(hello[24:])}, []any{byte(4), uint64(epoch), uint64(number)})
		if err := feed(l, core, data); err != nil {
			t.Fatal(err)
		}
		expect(t, stateTexts(core.items), want)
	}
	subscribe := func(types ...Range) {
		t.Helper()
		done, err := core.change(types)
		if err != nil {
			t.Fatal(err)
		}
		request := core.output()[headerSize:][:4]
		if err := feed(l, core, frame(typeSubscribed, join(request, make([]byte, 4), longs(core.next)))); err != nil {
			t.Fatal(err)
		}
		expect(t, <-done, changed{core.next, nil})
	}
	lives := func(welcome []byte) []byte { return withLives(welcome, life{7, 5}, life{6, 1}) }
	step(0, 0, lives(welcomeFrame(1, 7, 0)), "anew")
	step(1, 7, join(lives(welcomeFrame(1, 7, 0)), superseded(1, 8), frame(1, nil)), "anew", "relay.Gap{1 8 4}", "9:1:")
	// Cut in the middle.
	step(10, 7, join(lives(welcomeFrame(10, 7, 0)), frame(2, nil), pingAt(11, 10)), "goes on", "10:2:",
		"relay.StateComplete{11}")
	subscribe(Range{2, 3})
	step(11, 7, join(lives(welcomeFrame(11, 7, 0)), pingAt(11, 10)), "goes on", "relay.StateComplete{11}")
	subscribe(Range{2, 4})
	subscribe(Range{3, 3})
	step(0, 7, join(lives(welcomeFrame(1, 7, 0)), superseded(1, 11), frame(3, nil)), "anew", "relay.Gap{1 11 4}", "12:3:")
	// A change that HELLO itself asks for.
	if _, err := core.change([]Range{{3, 4}}); err != nil {
		t.Fatal(err)
	}
	step(0, 7, lives(welcomeFrame(1, 7, 0)), "anew")
	step(1, 7, join(lives(welcomeFrame(1, 7, 0)), superseded(1, 11), frame(3, nil)), "anew", "relay.Gap{1 11 4}", "12:3:")
	// An older backup: the state comes over this connection.
	older := withLives(welcomeWith(1, 8, 0, featureSequences, 1, 0), life{8, 5}, life{6, 1})
	step(13, 7, join(older, superseded(1, 2), frame(3, nil)), "relay.StreamChanged{13}", "anew", "relay.Gap{1 2 4}", "3:3:")
	// The count does not go on at the fork.
	step(4, 8, join(welcomeWith(1, 9, 0, featureSequences, 3, 2), frame(3, nil), frame(4, nil)),
		"relay.RolledBack{2 3}", "anew", "1:3:", "2:4:")
	step(3, 9, join(welcomeFrame(3, 9, 0), pingAt(3, 2)), "goes on", "relay.StateComplete{3}")
}

// A state that was cut, and of which a part may be gone in the relay's next life.
func TestCutStateInAnotherLife(t *testing.T) {
	for _, end := range [][]byte{nil, pingAt(3, 4), pingAt(3, 2)} {
		core := newCore(t, SubscriberOptions{Start: FromState()})
		cut := join(welcomeFrame(1, 7, 0), superseded(1, 1), frame(2, nil), end)
		if err := feed(connection(core), core, cut); err != nil {
			t.Fatal(err)
		}
		isComplete := core.items[len(core.items)-1].Notice == StateComplete{3}
		// In the same life the number is enough.
		if err := feed(connection(core), core, welcomeFrame(3, 7, 0)); err != nil {
			t.Fatal(err)
		}
		core.items = nil
		l := connection(core)
		err := feed(l, core, join(welcomeFrame(3, 8, 0), pingAt(3, 2)))
		if isComplete {
			expect(t, stateTexts(core.items), []string{"goes on", "relay.StateComplete{3}"})
			continue
		}
		if err == nil || !err.isAskedAgain {
			t.Fatal(err)
		}
		expect(t, stateTexts(core.items), []string(nil))
		expect(t, len(l.events), 0)
		// The next connection is lost before WELCOME.
		for range 2 {
			hello := core.begin(&link{handler: core, chunks: &chunks{}})[headerSize:]
			expect(t, []any{be.Uint64(hello[16:]), be.Uint64(hello[24:])}, []any{uint64(7), uint64(0)})
		}
		if err := feed(connection(core), core, join(welcomeFrame(1, 8, 0), pingAt(1, 0))); err != nil {
			t.Fatal(err)
		}
		expect(t, stateTexts(core.items), []string{"anew", "relay.StateComplete{1}"})
		// What was passed over before is forgotten.
		expect(t, feed(connection(core), core, welcomeFrame(1, 9, 0)) == nil, true)
		expect(t, core.epoch, int64(9))
	}
}

func TestStateThatWasKept(t *testing.T) {
	for _, one := range []struct {
		start Start
		next  int64
		want  string
	}{
		{FromStateAt(50, 7), 50, "goes on"}, {FromStateAt(1, 7), 1, "anew"}, {FromStateAt(0, 7), 1, "anew"},
	} {
		core := newCore(t, SubscriberOptions{Start: one.start})
		if err := feed(connection(core), core, welcomeFrame(one.next, 7, 0)); err != nil {
			t.Fatal(err)
		}
		expect(t, stateTexts(core.items), []string{one.want})
		expect(t, core.next, one.next)
	}
	options := SubscriberOptions{Options: Options{Endpoints: []string{"h:1"}}, Start: FromStateAt(-1, 7)}
	if err := options.check(); err == nil || err.Kind != Yours {
		t.Errorf("%v", err)
	}
}

// The count goes on by the rules of every subscriber.
func TestStateThatJumps(t *testing.T) {
	core := newCore(t, SubscriberOptions{Start: FromStateAt(5, 7)})
	expectCode(t, feed(connection(core), core, welcomeFrame(6, 7, 0)), codeProtocolOrder)
	core.items = nil
	if err := feed(connection(core), core, welcomeFrame(6, 7, 0)); err != nil {
		t.Fatal(err)
	}
	expect(t, stateTexts(core.items), []string{"goes on", "relay.Gap{5 5 0}"})
	expectCode(t, feed(connection(core), core, welcomeFrame(5, 7, 0)), codeProtocolOrder)
}

func TestStateThatIsLate(t *testing.T) {
	core := newCore(t, SubscriberOptions{Start: FromState()})
	now := time.Unix(1e9, 0)
	core.state.now = func() time.Time { return now }
	for range 2 {
		core.items = nil
		l := connection(core)
		step := func(after time.Duration, data []byte, want ...string) {
			t.Helper()
			now = now.Add(after)
			if err := feed(l, core, data); err != nil {
				t.Fatal(err)
			}
			expect(t, texts(core.items[1:]), want)
		}
		at := core.next
		step(0, welcomeFrame(max(1, at), 7, 0))
		step(lateAfter-1, pingAt(max(1, at), 1<<40))
		step(1, pingAt(max(1, at), 1<<40), "relay.StateLate{}")
		step(2*lateAfter, pingAt(max(1, at), 1<<40), "relay.StateLate{}")
	}
	// A state that is complete, and no state.
	for _, start := range []Start{FromState(), {}} {
		core := newCore(t, SubscriberOptions{Start: start})
		core.state.now = func() time.Time { return now }
		l := connection(core)
		if err := feed(l, core, join(welcomeFrame(1, 7, 0), pingAt(1, 0))); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * lateAfter)
		core.items = nil
		if err := feed(l, core, pingAt(1, 5)); err != nil {
			t.Fatal(err)
		}
		expect(t, texts(core.items), []string(nil))
	}
}

func TestRelayThatIsOlder(t *testing.T) {
	refusal := encodeError(codeMalformedControl, "HELLO: start 4 is not within 0..3")
	for words, options := range map[string]SubscriberOptions{
		"this relay is older than start = state: ":                     {Start: FromState()},
		"this relay is older than policy = latest: ":                   {Policy: PolicyLatest},
		"this relay is older than start = state and policy = latest: ": {Start: FromState(), Policy: PolicyLatest},
		"": {Start: FromEarliest(), Policy: PolicyReplay},
	} {
		core := newCore(t, options)
		err := feed(connection(core), core, refusal)
		expectCode(t, err, codeMalformedControl)
		expect(t, err.Kind, Fatal)
		expect(t, err.Text, words+"the relay: MALFORMED_CONTROL (12): HELLO: start 4 is not within 0..3")
		// Behind WELCOME it is about another frame.
		core = newCore(t, options)
		err = feed(connection(core), core, join(welcomeFrame(1, 7, 0), refusal))
		expect(t, strings.Contains(err.Text, "older"), false)
	}
}

// An interval is asked for over each connection. What is granted may differ. Each tick ends with a PING at the head.
func TestInterval(t *testing.T) {
	welcomed := func(next int64, interval uint32) []byte {
		w := welcomeWith(next, 7, 0, featureSequences|featureInterval, 0, 0)
		return frame(typeWelcome, be.AppendUint32(w[headerSize:], interval))
	}
	ticks := join(superseded(1, 2), frame(1, []byte("a")), pingAt(4, 3), pingAt(4, 9), superseded(4, 8),
		frame(1, []byte("b")), pingAt(10, 9))
	for _, policy := range []Policy{PolicyDefault, PolicyLatest} {
		core := newCore(t, SubscriberOptions{Policy: policy, Interval: 500 * time.Millisecond})
		expect(t, core.options.newer(), "policy = latest")
		step := func(granted time.Duration, data []byte, want ...string) {
			t.Helper()
			core.items = nil
			l := &link{endpoint: "here", maxBody: 1 << 20, handler: core, chunks: &chunks{}}
			hello := core.begin(l)[headerSize:]
			expect(t, []any{hello[5], be.Uint32(hello[8:]) & featureInterval}, []any{byte(5), uint32(featureInterval)})
			expect(t, be.Uint32(hello[len(hello)-4:]), uint32(500))
			for i := range data {
				if err := feed(l, core, data[i:i+1]); err != nil {
					t.Fatal(err)
				}
			}
			expect(t, texts(core.items), want)
			expect(t, l.events[0].(Connected).Interval, granted)
		}
		step(500*time.Millisecond, join(welcomed(1, 500), ticks),
			"relay.Gap{1 2 4}", "3:1:a", "relay.Gap{4 8 4}", "9:1:b")
		step(time.Hour, join(welcomed(10, 3_600_000), pingAt(10, 9)))
		step(0, join(welcomeFrame(10, 7, 0), frame(1, []byte("c"))), "10:1:c")
	}
	core := newCore(t, SubscriberOptions{Policy: PolicyLatest})
	hello := core.begin(&link{handler: core, chunks: &chunks{}})[headerSize:]
	expect(t, be.Uint32(hello[8:])&featureInterval, uint32(0))
}

func TestIntervalThatIsRefused(t *testing.T) {
	const least, half, most = 10 * time.Millisecond, 500 * time.Millisecond, time.Hour
	for _, one := range []struct {
		options SubscriberOptions
		words   string
	}{
		{SubscriberOptions{Interval: least}, ""},
		{SubscriberOptions{Interval: most, Policy: PolicyLatest, Start: FromEarliest()}, ""},
		{SubscriberOptions{Interval: least - 1}, "interval of 9.999999ms is not within 10ms..1h0m0s"},
		{SubscriberOptions{Interval: most + 1}, "interval of 1h0m0.000000001s is not within 10ms..1h0m0s"},
		{SubscriberOptions{Interval: -half}, "interval of -500ms is not within 10ms..1h0m0s"},
		{SubscriberOptions{Interval: half, Policy: PolicySkip}, "interval of 500ms needs the policy latest, not skip"},
		{SubscriberOptions{Interval: half, Policy: PolicyLatest + 1}, "policy 6 is not within 0..5"},
		{SubscriberOptions{Interval: half, Options: Options{Plain: true}},
			"the plain mode knows no types, start, policy, level or interval"},
	} {
		one.options.Endpoints = []string{"h:1"}
		err := one.options.check()
		if one.words == "" {
			expect(t, err, (*Error)(nil))
			expect(t, one.options.Policy, PolicyLatest)
		} else if err == nil || err.Kind != Yours || err.Text != one.words {
			t.Errorf("%v, expected %q", err, one.words)
		}
	}
}

func TestCovers(t *testing.T) {
	lowest := lastReserved + 1
	for _, one := range []struct {
		ranges, others []Range
		want           bool
	}{
		{nil, nil, true},
		{nil, []Range{{1, 2}}, true},
		{[]Range{{1, 2}}, nil, false},
		{[]Range{{0, math.MaxInt32}, {lowest, -1}}, nil, true},
		{[]Range{{1, math.MaxInt32}, {lowest, -1}}, nil, false},
		{[]Range{{1, 9}}, []Range{{2, 3}, {1, 9}, {9, 9}}, true},
		{[]Range{{1, 9}}, []Range{{2, 10}}, false},
		{[]Range{{1, 9}}, []Range{{0, 3}}, false},
		{[]Range{{5, 9}, {1, 4}}, []Range{{2, 8}}, true},
		{[]Range{{5, 9}, {1, 3}}, []Range{{2, 8}}, false},
		{[]Range{{1, 9}, {2, 3}}, []Range{{1, 9}}, true},
	} {
		expect(t, []any{one.ranges, one.others, covers(one.ranges, one.others)}, []any{one.ranges, one.others, one.want})
	}
}

// A relay with --state, without sockets: its stream, and the frames of one subscriber.
type stateRelay struct {
	random *rand.Rand
	epoch  int64
	stream []Item
	// Of the earlier lives: the first number that is no more as it was.
	forks map[int64]int64
	// Of the subscriber: the number before its next one, and whether the state is behind it.
	at     int
	isLive bool
	types  []Range
}

const stateTypes = 6

func (r *stateRelay) publish() {
	item := Item{Type: int32(r.random.IntN(stateTypes))}
	if r.random.IntN(4) > 0 {
		item.Body = fmt.Appendf(nil, "%d of %d", len(r.stream)+1, r.epoch)
	}
	r.stream = append(r.stream, item)
}

// Begins anew with a part of the stream, or with none of it.
func (r *stateRelay) restart() {
	// Often only the newest are gone.
	kept := len(r.stream) - r.random.IntN(min(len(r.stream), 4+96*r.random.IntN(2))+1)
	for epoch, fork := range r.forks {
		r.forks[epoch] = min(fork, int64(kept+1))
	}
	r.forks[r.epoch] = int64(kept + 1)
	if r.random.IntN(2) == 0 {
		kept, r.forks = 0, map[int64]int64{}
	}
	r.stream, r.epoch = r.stream[:kept:kept], r.epoch+1
}

func (r *stateRelay) isChosen(typ int32) bool {
	return covers(r.types, []Range{{typ, typ}})
}

func (r *stateRelay) welcome(hello []byte) []byte {
	epoch, number := int64(be.Uint64(hello[16:])), int64(be.Uint64(hello[24:]))
	r.types = nil
	for i := range int(be.Uint16(hello[32:])) {
		at := 40 + 8*i
		r.types = append(r.types, Range{int32(be.Uint32(hello[at:])), int32(be.Uint32(hello[at+4:]))})
	}
	var flags byte
	fork, isKnown := r.forks[epoch]
	switch {
	case epoch == 0 || epoch == r.epoch || isKnown && number <= fork:
		fork = 0
	case isKnown:
		flags, number = 3, 0
	default:
		flags, fork, number = 1, 0, 0
	}
	r.at, r.isLive = int(max(0, number-1)), false
	return welcomeWith(int64(r.at+1), r.epoch, 0, featureSequences|featureNarrowed, flags, fork)
}

// The next frames of the state or the stream.
func (r *stateRelay) next() (out []byte) {
	head := len(r.stream)
	for n := r.at; n < head; n++ {
		one := r.stream[n]
		isNewest := !slices.ContainsFunc(r.stream[n+1:], func(later Item) bool { return later.Type == one.Type })
		if !r.isChosen(one.Type) || !r.isLive && !isNewest {
			continue
		}
		if n > r.at {
			out = r.leftOut(n)
		}
		r.at = n + 1
		return append(out, frame(one.Type, one.Body)...)
	}
	if head > r.at {
		out = r.leftOut(head)
	}
	r.at, r.isLive = head, true
	return append(out, pingAt(int64(head+1), int64(head))...)
}

func (r *stateRelay) leftOut(to int) []byte {
	if r.isLive {
		return frame(typeSequence, longs(int64(to+1)))
	}
	return superseded(int64(r.at+1), int64(to))
}

// Whatever happens to connections, types and lives of the stream: where the state is complete it is that of the stream.
func TestStateIsThatOfTheStream(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		relay := &stateRelay{random: random, epoch: 1, forks: map[int64]int64{}}
		core := newCore(t, SubscriberOptions{Start: FromState()})
		building := map[int32]string{}
		// Types of which the whole state came.
		known := map[int32]bool{}
		take := func() {
			maps.DeleteFunc(known, func(typ int32, _ bool) bool { return !covers(core.holding, []Range{{typ, typ}}) })
			for _, item := range core.items {
				switch n := item.Notice.(type) {
				case nil:
					if building[item.Type] = string(item.Body); len(item.Body) == 0 {
						delete(building, item.Type)
					}
				case Connected:
					if n.Anew {
						clear(building)
						for typ := range int32(stateTypes) {
							known[typ] = covers(core.greeted, []Range{{typ, typ}})
						}
						counts["anew"]++
					}
				case StateComplete:
					counts["complete"]++
					want := map[int32]string{}
					for _, one := range relay.stream[:n.Next-1] {
						if want[one.Type] = string(one.Body); len(one.Body) == 0 {
							delete(want, one.Type)
						}
					}
					isOther := func(typ int32, _ string) bool { return !known[typ] }
					maps.DeleteFunc(want, isOther)
					got := maps.Clone(building)
					maps.DeleteFunc(got, isOther)
					if !maps.Equal(got, want) {
						t.Fatalf("seed %d: at %d %v, expected %v", seed, n.Next, got, want)
					}
				case Gap:
					if n.Reason != Superseded {
						t.Fatalf("seed %d: %v", seed, n)
					}
					counts["superseded"]++
				default:
					counts[fmt.Sprintf("%T", n)]++
				}
			}
			core.items = nil
		}
		for range 12 {
			l := &link{endpoint: "here", maxBody: 1 << 20, handler: core, chunks: &chunks{}}
			hello := core.begin(l)[headerSize:]
			out := relay.welcome(hello)
			for range random.IntN(60) {
				for range random.IntN(3) {
					relay.publish()
				}
				out = append(out, relay.next()...)
				if random.IntN(20) == 0 && l.isOpen && core.sent == nil {
					types := []Range{{0, int32(random.IntN(stateTypes))}}
					if random.IntN(3) == 0 {
						types = nil
					}
					if _, err := core.change(types); err != nil {
						t.Fatal(err)
					}
					request := core.output()[headerSize:][:4]
					// Within the state, or behind it: the new types hold from the next number on.
					out = append(out, frame(typeSubscribed, join(request, make([]byte, 4), longs(int64(relay.at+1))))...)
					relay.types = types
					counts["changes"]++
				}
				// What is left is lost with the connection.
				size := random.IntN(len(out) + 1)
				if err := feed(l, core, out[:size]); err != nil && err.isAskedAgain {
					counts["asked again"]++
					break
				} else if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				out = out[size:]
				take()
			}
			if random.IntN(4) == 0 {
				relay.restart()
			}
		}
	}
	for _, what := range []string{"anew", "complete", "superseded", "changes", "relay.RolledBack", "relay.StreamChanged"} {
		if counts[what] < 100 {
			t.Errorf("%s: %d times", what, counts[what])
		}
	}
	if counts["asked again"] < 10 {
		t.Errorf("asked again: %d times", counts["asked again"])
	}
}
