package relay

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
)

func welcomeFrame(next, epoch, accepted int64) []byte {
	return welcomeWith(next, epoch, accepted, featureAcks|featureSequences, 0, 0)
}

func welcomeWith(next, epoch, accepted int64, features uint32, flags byte, fork int64) []byte {
	b := []byte{0, 1, 1, flags}
	b = be.AppendUint32(b, features)
	for _, value := range []int64{epoch, next, accepted} {
		b = be.AppendUint64(b, uint64(value))
	}
	for _, value := range []uint32{1 << 20, 1000, 3000} {
		b = be.AppendUint32(b, value)
	}
	b = append(b, 0, 9, 0, 0, 0, 0)
	return frame(typeWelcome, be.AppendUint64(b, uint64(fork)))
}

func longs(values ...int64) (b []byte) {
	for _, value := range values {
		b = be.AppendUint64(b, uint64(value))
	}
	return b
}

func gapFrame(from, to int64) []byte {
	return frame(typeGap, append(longs(from, to), 0, 1, 0, 0, 0, 0, 0, 0))
}

func ackFrame(number, sequence int64) []byte { return frame(typeAck, longs(number, sequence)) }

func join(frames ...[]byte) []byte { return bytes.Join(frames, nil) }

func newCore(t testing.TB, options SubscriberOptions) *subscriberCore {
	t.Helper()
	options.Endpoints = []string{"h:1"}
	if err := options.check(); err != nil {
		t.Fatal(err)
	}
	return newSubscriberCore(&options)
}

// Feeds bytes, and returns what came of them.
func feed(l *link, c core, data []byte) *Error {
	for {
		n := copy(l.space(), data)
		data = data[n:]
		err := l.received(n)
		c.received()
		if err != nil || len(data) == 0 {
			return err
		}
	}
}

func connection(c core) *link {
	l := &link{endpoint: "here", maxBody: 1 << 20, handler: c, chunks: &chunks{}}
	c.begin(l)
	return l
}

func texts(items []Item) (all []string) {
	for _, item := range items {
		if item.Notice != nil {
			all = append(all, fmt.Sprintf("%T%v", item.Notice, item.Notice))
		} else {
			all = append(all, fmt.Sprintf("%d:%d:%s", item.Sequence, item.Type, item.Body))
		}
	}
	return all
}

func expect(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

func expectCode(t *testing.T, err *Error, code int) {
	t.Helper()
	if err == nil || err.Code != code {
		t.Fatalf("%v, expected code %d", err, code)
	}
}

func TestFramesInPieces(t *testing.T) {
	stream := join(frame(1, []byte("before")), welcomeFrame(5, 7, 0), frame(1, []byte("five")), gapFrame(6, 8),
		frame(2147483647, nil), frame(typePing, longs(3, 10, 9)), frame(lastReserved+1, []byte("ten")))
	want := []string{"5:1:five", "relay.Gap{6 8 1}", "9:2147483647:", "10:-2147483392:ten"}
	for cut := range len(stream) + 1 {
		core := newCore(t, SubscriberOptions{})
		l := connection(core)
		for _, piece := range [][]byte{stream[:cut], stream[cut:]} {
			if err := feed(l, core, piece); err != nil {
				t.Fatal(err)
			}
		}
		expect(t, texts(core.items), want)
		expect(t, core.next, int64(11))
	}
	core := newCore(t, SubscriberOptions{})
	l := connection(core)
	for at := range stream {
		if err := feed(l, core, stream[at:at+1]); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, texts(core.items), want)
	expect(t, []any{l.hasPong, l.pong, l.isWithinFrame()}, []any{true, int64(3), false})
}

// Bodies point into the read buffer: what comes later must not write over them.
func TestBodiesStay(t *testing.T) {
	core := newCore(t, SubscriberOptions{})
	l := connection(core)
	stream := welcomeFrame(1, 7, 0)
	var want []string
	for i := range 300 {
		body := bytes.Repeat([]byte{byte('a' + i%26)}, i*i%5000)
		if i%50 == 49 {
			body = bytes.Repeat(body, 40)
		}
		stream = append(stream, frame(1, body)...)
		want = append(want, fmt.Sprintf("%d:1:%s", i+1, body))
	}
	for at := 0; at < len(stream); at += 7001 {
		if err := feed(l, core, stream[at:min(at+7001, len(stream))]); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, texts(core.items), want)
}

func TestLengthIsCheckedBeforeTheBodyIsStored(t *testing.T) {
	for length, code := range map[int]int{-1: 4, 1<<20 + 1: 5, 1<<31 - 1: 5} {
		core := newCore(t, SubscriberOptions{})
		l := connection(core)
		err := feed(l, core, join(welcomeFrame(1, 7, 0), frame(1, []byte("kept")), appendHeader(nil, 1, length)))
		expectCode(t, err, code)
		expect(t, texts(core.items), []string{"1:1:kept"})
		expect(t, len(l.chunk.bytes), chunkSize)
	}
}

func TestRolledBackAndChanged(t *testing.T) {
	core := newCore(t, SubscriberOptions{})
	steps := []struct {
		stream []byte
		want   []string
	}{
		{join(welcomeFrame(5, 7, 0), frame(1, nil), frame(1, nil), frame(1, nil)), []string{"5:1:", "6:1:", "7:1:"}},
		{join(welcomeWith(6, 8, 0, featureSequences, 3, 6), frame(1, nil)), []string{"relay.RolledBack{6 7}", "6:1:"}},
		{join(welcomeWith(1, 9, 0, featureSequences, 1, 0), frame(1, nil)), []string{"relay.StreamChanged{7}", "1:1:"}},
	}
	for _, step := range steps {
		core.items = nil
		if err := feed(connection(core), core, step.stream); err != nil {
			t.Fatal(err)
		}
		expect(t, texts(core.items), step.want)
	}
	expect(t, []int64{core.epoch, core.next}, []int64{9, 2})
}

func TestJumpIsDoubtedOnce(t *testing.T) {
	core := newCore(t, SubscriberOptions{})
	ping := frame(typePing, longs(1, 9, 8))
	expectCode(t, feed(connection(core), core, join(welcomeFrame(1, 7, 0), frame(1, nil), ping)), codeProtocolOrder)
	core.items = nil
	if err := feed(connection(core), core, join(welcomeFrame(2, 7, 0), ping)); err != nil {
		t.Fatal(err)
	}
	expect(t, texts(core.items), []string{"relay.Gap{2 8 0}"})
}

func TestTypesWithoutNumbers(t *testing.T) {
	core := newCore(t, SubscriberOptions{Types: []Range{{1, 1}}})
	l := connection(core)
	stream := join(welcomeWith(5, 7, 0, 0, 0, 0), frame(1, []byte("a")), frame(typePing, longs(1, 30, 40)))
	if err := feed(l, core, stream); err != nil {
		t.Fatal(err)
	}
	expect(t, texts(core.items), []string{"0:1:a"})
	expect(t, []int64{core.next, core.head}, []int64{30, 40})
}

func TestTooManyChangesOfTypes(t *testing.T) {
	core := newCore(t, SubscriberOptions{})
	var done []chan changed
	for range mostChanges {
		one, err := core.change(nil)
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, one)
	}
	if _, err := core.change(nil); err == nil || err.Kind != Yours {
		t.Errorf("%v", err)
	}
	core.end(failed(again, "over"))
	for _, one := range done {
		if answer := <-one; answer.err == nil {
			t.Error("answered although it is over")
		}
	}
}

func newPublishing(t testing.TB, options PublisherOptions) *publisherCore {
	t.Helper()
	options.Endpoints, options.Acks, options.Name = []string{"h:1"}, true, "orders"
	if err := options.check(); err != nil {
		t.Fatal(err)
	}
	return newPublisherCore(&options)
}

func offer(t *testing.T, core *publisherCore, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if ok, err := core.offer(1, []byte(body)); !ok || err != nil {
			t.Fatalf("%q: %v, %v", body, ok, err)
		}
	}
}

// Gives the core's frames to a socket that takes them all.
func write(core *publisherCore) string {
	pieces := core.frames()
	data := join(pieces[0], pieces[1])
	core.written(int64(len(data)), true)
	return string(data)
}

func TestSendsAgainFromTheFirstThatIsNotAcknowledged(t *testing.T) {
	core := newPublishing(t, PublisherOptions{})
	l := connection(core)
	offer(t, core, "a", "b", "c")
	expect(t, write(core), "")
	if err := feed(l, core, welcomeFrame(1, 7, 7)); err != nil {
		t.Fatal(err)
	}
	expect(t, core.firstNumber, int64(8))
	expect(t, write(core), string(join(frame(1, []byte("a")), frame(1, []byte("b")), frame(1, []byte("c")))))
	if err := feed(l, core, ackFrame(9, 50)); err != nil {
		t.Fatal(err)
	}
	expect(t, core.settled, int64(2))
	l = &link{maxBody: 1 << 20, handler: core, chunks: &chunks{}}
	hello := core.begin(l)
	expect(t, int64(be.Uint64(hello[headerSize+24:])), int64(10))
	if err := feed(l, core, welcomeFrame(1, 7, 10)); err != nil {
		t.Fatal(err)
	}
	expect(t, l.events[len(l.events)-1], Event(acked{10, 0}))
	// The relay counts from HELLO's number on, so 10 is sent although it is known.
	expect(t, write(core), string(frame(1, []byte("c"))))
	expect(t, core.kept, int64(0))
}

func TestRingOfFramesWraps(t *testing.T) {
	core := newPublishing(t, PublisherOptions{Options: Options{MaxBody: 20}, Buffer: 61, FirstNumber: 1})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	for i := int64(1); i <= 500; i++ {
		body := fmt.Sprintf("%0*d", i%20, i)
		offer(t, core, body)
		expect(t, write(core), string(frame(1, []byte(body))))
		if i > 1 {
			if err := feed(l, core, ackFrame(i-1, i)); err != nil {
				t.Fatal(err)
			}
			expect(t, core.kept, int64(1))
		}
	}
}

func TestAckBeforeTheWriteReturns(t *testing.T) {
	core := newPublishing(t, PublisherOptions{FirstNumber: 1})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	offer(t, core, "a", "b")
	pieces := core.frames()
	if err := feed(l, core, ackFrame(1, 1)); err != nil {
		t.Fatal(err)
	}
	// The socket still reads the ring.
	expect(t, core.kept, int64(2))
	core.written(int64(len(pieces[0])), true)
	expect(t, core.kept, int64(1))
}

func TestAckBeyondWhatWasSent(t *testing.T) {
	core := newPublishing(t, PublisherOptions{FirstNumber: 1})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	offer(t, core, "a")
	expectCode(t, feed(l, core, ackFrame(1, 1)), codeProtocolOrder)
	expect(t, core.kept, int64(1))
}

func TestFullIsAValue(t *testing.T) {
	core := newPublishing(t, PublisherOptions{Options: Options{MaxBody: 100}, Buffer: 108})
	offer(t, core, string(make([]byte, 92)), "")
	if ok, err := core.offer(1, nil); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	for typ, size := range map[int32]int{1: 101, typeHello - 1: 0, lastReserved: 0} {
		if _, err := core.offer(typ, make([]byte, size)); err == nil || err.Kind != Yours {
			t.Errorf("type %d, %d bytes: %v", typ, size, err)
		}
	}
}

func TestRolledBackIsToldOnce(t *testing.T) {
	core := newPublishing(t, PublisherOptions{FirstNumber: 5, FirstEpoch: 3})
	told := 0
	for range 2 {
		l := connection(core)
		if err := feed(l, core, welcomeWith(1, 7, 0, featureAcks, 3, 3)); err != nil {
			t.Fatal(err)
		}
		for _, event := range l.events {
			if event == Event(RolledBack{3, 4}) {
				told++
			}
		}
	}
	expect(t, told, 1)
}

// The table of docs/protocol.md, "Errors".
func TestEachCode(t *testing.T) {
	table := map[int]advice{18: slowly, 19: slowly, 27: slowly, 32: slowly, 24: fewSlowly, 31: few}
	for _, code := range []int{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29} {
		table[code] = stop
	}
	for code := 1; code < len(codeNames); code++ {
		t.Run(codeNames[code], func(t *testing.T) {
			err := fromRelay(code, "why")
			expect(t, err.advice, table[code])
			expect(t, err.Kind == Fatal, table[code] == stop)
		})
	}
	expect(t, len(codeNames), 35)
	expect(t, fromRelay(999, "\x1b[31m").advice, few)
	expect(t, bytes.ContainsRune([]byte(fromRelay(999, "\x1b[31m").Text), 0x1b), false)
}

func BenchmarkReceive(b *testing.B) {
	core := newCore(b, SubscriberOptions{})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		b.Fatal(err)
	}
	data := bytes.Repeat(frame(1, make([]byte, 100)), 500)
	b.ReportAllocs()
	for n := 0; n < b.N; n += 500 {
		core.items = core.items[:0]
		if err := feed(l, core, data); err != nil {
			b.Fatal(err)
		}
	}
}
