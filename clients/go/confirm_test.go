package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"
)

func newConfirming(t testing.TB, options PublisherOptions) *publisherCore {
	t.Helper()
	options.Endpoints = []string{"h:1"}
	if err := options.check(); err != nil {
		t.Fatal(err)
	}
	core := newPublisherCore(&options)
	core.nextID = func(last int64) int64 { return last + 1 }
	return core
}

func pingFrame(id int64) []byte { return frame(typePing, longs(id, 0, 0)) }

// Gives the core's frames, and the PING behind them, to a socket that takes them all.
func writeAt(core *publisherCore, now time.Time) string {
	pieces := core.frames()
	ping := core.nextPing(now)
	core.written(int64(len(pieces[0])+len(pieces[1])), true)
	return string(join(pieces[0], pieces[1], ping))
}

// A flush whose time is over.
func flushInVain(core *publisherCore) *InDoubtError {
	_, why := core.flushed(core.flush(), context.DeadlineExceeded)
	return why
}

func TestOnlyTheLastPingsPongConfirms(t *testing.T) {
	core := newConfirming(t, PublisherOptions{})
	l := connection(core)
	now := time.Unix(100, 0)
	offer(t, core, "a", "b")
	core.flush()
	expect(t, writeAt(core, now), "")
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	expect(t, writeAt(core, now), string(join(frame(1, []byte("a")), frame(1, []byte("b")), pingFrame(1))))
	offer(t, core, "c")
	core.flush()
	// One PING is unanswered: the flush behind it waits for the answer.
	expect(t, writeAt(core, now.Add(time.Hour)), string(frame(1, []byte("c"))))
	for _, id := range []int64{0, 2, -1, 77} {
		if err := feed(l, core, encodePong(id)); err != nil {
			t.Fatal(err)
		}
		expect(t, core.confirmed, int64(0))
	}
	pong := encodePong(1)
	for i := range pong {
		expect(t, core.confirmed, int64(0))
		if err := feed(l, core, pong[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, core.confirmed, int64(2))
	expect(t, writeAt(core, now), string(pingFrame(2)))
	// The answer to the former one comes again.
	if err := feed(l, core, encodePong(1)); err != nil {
		t.Fatal(err)
	}
	why := flushInVain(core)
	expect(t, []int64{why.Sent, why.InDoubt, why.Unsent}, []int64{3, 1, 0})
	expect(t, why.Error(), "3 sent, 1 in doubt: the relay has not confirmed them: context deadline exceeded")
	if err := feed(l, core, encodePong(2)); err != nil {
		t.Fatal(err)
	}
	expect(t, flushInVain(core), (*InDoubtError)(nil))
	_, due := core.pingDue()
	expect(t, due, false)
}

func TestPongBeforeTheWriteReturns(t *testing.T) {
	core := newConfirming(t, PublisherOptions{})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	offer(t, core, "a", "b")
	core.flush()
	pieces := core.frames()
	core.nextPing(time.Unix(100, 0))
	if err := feed(l, core, encodePong(1)); err != nil {
		t.Fatal(err)
	}
	expect(t, []int64{core.settled, core.confirmed}, []int64{0, 0})
	core.written(int64(len(pieces[0])), true)
	expect(t, []int64{core.settled, core.confirmed}, []int64{2, 2})
}

func TestPingOfEachHeartbeat(t *testing.T) {
	core := newConfirming(t, PublisherOptions{})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(100, 0)
	at := func(seconds float64) time.Time { return now.Add(time.Duration(seconds * float64(time.Second))) }
	due := func() any {
		if at, ok := core.pingDue(); ok {
			return at.Sub(now)
		}
		return nil
	}
	expect(t, due(), nil)
	expect(t, writeAt(core, at(5)), "")
	offer(t, core, "a")
	// WELCOME's heartbeat is a second.
	expect(t, writeAt(core, at(10)), string(frame(1, []byte("a"))))
	expect(t, due(), 11*time.Second)
	offer(t, core, "b")
	expect(t, writeAt(core, at(10.9)), string(frame(1, []byte("b"))))
	expect(t, due(), 11*time.Second)
	expect(t, writeAt(core, at(11)), string(pingFrame(1)))
	expect(t, due(), nil)
	offer(t, core, "c")
	expect(t, writeAt(core, at(11.5)), string(frame(1, []byte("c"))))
	if err := feed(l, core, encodePong(1)); err != nil {
		t.Fatal(err)
	}
	expect(t, due(), 12*time.Second)
	expect(t, writeAt(core, at(12)), string(pingFrame(2)))
	if err := feed(l, core, encodePong(2)); err != nil {
		t.Fatal(err)
	}
	expect(t, due(), nil)
	expect(t, writeAt(core, at(99)), "")
}

func TestPingOfEachMebibyte(t *testing.T) {
	core := newConfirming(t, PublisherOptions{Buffer: 5 << 20})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(100, 0)
	body := string(make([]byte, 256<<10))
	for range 15 {
		offer(t, core, body)
	}
	message := len(body) + headerSize
	first := writeAt(core, now)
	expect(t, len(first), 4*message+headerSize+24)
	expect(t, first[4*message:], string(pingFrame(1)))
	expect(t, []int{len(writeAt(core, now)), len(writeAt(core, now))}, []int{4 * message, 4 * message})
	if err := feed(l, core, encodePong(1)); err != nil {
		t.Fatal(err)
	}
	expect(t, core.confirmed, int64(4))
	rest := writeAt(core, now)
	expect(t, len(rest), 3*message+headerSize+24)
	expect(t, rest[3*message:], string(pingFrame(2)))
}

func TestFramesThatAreOnlyPartlySentGoOverTheNextConnection(t *testing.T) {
	core := newConfirming(t, PublisherOptions{})
	l := connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	offer(t, core, "a", "b", "c")
	f := core.flush()
	core.frames()
	core.nextPing(time.Unix(100, 0))
	core.written(headerSize+3, false)
	cause := failed(again, "lost")
	core.lost(cause)
	expect(t, l.events[len(l.events)-1], Event(InDoubt{1}))
	over, _ := core.flushed(f, nil)
	expect(t, over, false)
	l = connection(core)
	if err := feed(l, core, welcomeFrame(1, 7, 0)); err != nil {
		t.Fatal(err)
	}
	expect(t, writeAt(core, time.Unix(100, 0)), string(join(frame(1, []byte("b")), frame(1, []byte("c")), pingFrame(2))))
	if err := feed(l, core, encodePong(2)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []*InDoubtError{{Sent: 3, InDoubt: 1, Err: cause}, nil} {
		over, why := core.flushed(f, nil)
		expect(t, over, true)
		expect(t, why, want)
		f = core.flush()
	}
}

// A relay and the two sockets before it, which lose what is on its way with their connection.
type lossy struct {
	core *publisherCore
	link *link
	// What the core has given to the write that goes on, and how much of it are messages and the socket has taken.
	writing         []byte
	messages, taken int
	toRelay, back   []byte
	// Numbers of the messages that the relay has read.
	has        []bool
	unanswered bool
}

// The relay reads so many bytes, and answers each PING.
func (r *lossy) read(t *testing.T, n int, begun *[]byte) {
	*begun = append(*begun, r.toRelay[:n]...)
	r.toRelay = r.toRelay[n:]
	for len(*begun) >= headerSize {
		end := headerSize + int(be.Uint32((*begun)[4:]))
		if len(*begun) < end {
			return
		}
		typ, body := int32(be.Uint32(*begun)), (*begun)[headerSize:end]
		if typ == typePing {
			r.back = append(r.back, encodePong(int64(be.Uint64(body)))...)
		} else if number, err := strconv.Atoi(string(body)); err != nil || r.has[number] {
			t.Fatalf("message %q is not one, or came twice", body)
		} else {
			r.has[number] = true
		}
		*begun = (*begun)[end:]
	}
}

// In doubt is never less than what the relay lacks, and nothing with a relay that lives.
func TestInDoubtIsNeverTooLittle(t *testing.T) {
	for range 300 {
		playLosses(t, rand.Uint64())
	}
}

func playLosses(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	core := newConfirming(t, PublisherOptions{Options: Options{MaxBody: 16}, Buffer: 24 + random.IntN(300)})
	r := &lossy{core: core, has: make([]bool, 1)}
	now := time.Unix(100, 0)
	var begun []byte
	connect := func() {
		r.link = connection(core)
		r.writing, r.toRelay, r.back, begun, r.unanswered = nil, nil, nil, nil, false
		if err := feed(r.link, core, welcomeFrame(1, 7, 0)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	startWrite := func() {
		if r.writing != nil {
			return
		}
		pieces := core.frames()
		ping := core.nextPing(now)
		if ping != nil {
			if r.unanswered {
				t.Fatalf("seed %d: a second PING", seed)
			}
			r.unanswered = true
		}
		r.messages, r.taken = len(pieces[0])+len(pieces[1]), 0
		if r.messages > 0 || ping != nil {
			r.writing = slices.Clone(join(pieces[0], pieces[1], ping))
		}
	}
	socketTakes := func(n int) {
		r.toRelay = append(r.toRelay, r.writing[r.taken:r.taken+n]...)
		r.taken += n
	}
	endWrite := func() {
		if r.writing != nil && r.taken == len(r.writing) {
			core.written(int64(r.messages), true)
			r.writing = nil
		}
	}
	heard := func(n int) {
		pongs := core.ping.waits
		if err := feed(r.link, core, r.back[:n]); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		r.back = r.back[n:]
		if pongs && core.ping.answered {
			r.unanswered = false
		}
	}
	upTo := func(most int) int { return random.IntN(most + 1) }
	told, losses := int64(0), 0
	var flushes []flush
	tell := func(why *InDoubtError) {
		if why != nil {
			told += why.InDoubt
		}
	}
	connect()
	for range 400 {
		switch random.IntN(12) {
		case 0, 1, 2:
			number := len(r.has)
			if ok, err := core.offer(1, []byte(strconv.Itoa(number))); err != nil {
				t.Fatal(err)
			} else if ok {
				r.has = append(r.has, false)
			}
		case 3:
			startWrite()
		case 4, 5:
			if r.writing != nil {
				socketTakes(upTo(len(r.writing) - r.taken))
			}
		case 6:
			endWrite()
		case 7:
			r.read(t, upTo(len(r.toRelay)), &begun)
		case 8:
			heard(upTo(len(r.back)))
		case 9:
			if len(flushes) == 0 {
				flushes = append(flushes, core.flush())
			} else if over, why := core.flushed(flushes[0], nil); over {
				tell(why)
				flushes = nil
			}
		case 10:
			now = now.Add(time.Duration(random.IntN(700)) * time.Millisecond)
		case 11:
			if random.IntN(6) > 0 {
				// A lie: the answer to a PING that is answered already, or to none.
				r.back = append(r.back, encodePong([]int64{0, -1, core.ping.id - 1, 1 << 40}[random.IntN(4)])...)
				continue
			}
			losses++
			r.read(t, upTo(len(r.toRelay)), &begun)
			if r.writing != nil {
				core.written(int64(min(r.taken, r.messages)), false)
			}
			core.lost(failed(again, "lost"))
			connect()
		}
		lacks := int64(0)
		for number := int64(1); number <= core.settled; number++ {
			if !r.has[number] {
				lacks++
			}
		}
		if inDoubt := core.settled - core.confirmed; inDoubt < lacks {
			t.Fatalf("seed %d: %d in doubt, the relay lacks %d", seed, inDoubt, lacks)
		}
	}
	if len(flushes) == 0 {
		flushes = append(flushes, core.flush())
	}
	flushes = append(flushes, core.flush())
	// From now on the relay reads all.
	for range 20 {
		startWrite()
		socketTakes(len(r.writing) - r.taken)
		r.read(t, len(r.toRelay), &begun)
		heard(len(r.back))
		endWrite()
	}
	before := told
	for i, f := range flushes {
		over, why := core.flushed(f, nil)
		if !over {
			t.Fatalf("seed %d: flush %d of a relay that lives is not over", seed, i)
		}
		if i == 0 {
			tell(why)
		}
	}
	if told != core.doubted || told < before || losses == 0 && told > 0 {
		t.Fatalf("seed %d: flushes told %d, %d are in doubt after %d losses", seed, told, core.doubted, losses)
	}
	if why := flushInVain(core); why != nil {
		t.Fatalf("seed %d: %v, with a relay that lives", seed, why)
	}
	expect(t, core.confirmed+core.doubted, core.messages)
}

// A WELCOME whose heartbeat and idle time-out only a hang reaches.
func patientWelcome() []byte {
	b := welcomeFrame(1, 7, 0)
	be.PutUint32(b[headerSize+36:], 3_600_000)
	be.PutUint32(b[headerSize+40:], 3_600_000)
	return b
}

func confirmingOptions(relay *fakeRelay) PublisherOptions {
	return PublisherOptions{Options: relay.options(), CloseTimeout: hang}
}

func publish(t *testing.T, p *Publisher, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if err := p.Publish(context.Background(), 1, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
}

// Reads frames up to a PING, and returns its id and the number of messages before it.
func (r *fakeRelay) readToPing(conn net.Conn) (id int64, messages int) {
	r.t.Helper()
	for {
		typ, body := r.frame(conn)
		if typ == typePing {
			return int64(be.Uint64(body)), messages
		}
		messages++
	}
}

func TestFlushesShareOnePing(t *testing.T) {
	relay := newFakeRelay(t)
	p := newPublisher(t, confirmingOptions(relay))
	conn := relay.accept(patientWelcome())
	defer conn.Close()
	publish(t, p, "a", "b", "c")
	const flushes = 20
	over := make(chan error)
	for range flushes {
		go func() { over <- p.Flush(context.Background()) }()
	}
	id, messages := relay.readToPing(conn)
	expect(t, messages, 3)
	select {
	case err := <-over:
		t.Fatal("a flush is over before the PONG: ", err)
	default:
	}
	conn.Write(encodePong(id))
	for range flushes {
		expect(t, <-over, nil)
	}
	expect(t, []int64{p.Messages(), p.Settled(), p.Confirmed()}, []int64{3, 3, 3})
	// Flushes that ended with the first PING have sent no other.
	publish(t, p, "d")
	go func() { over <- p.Flush(context.Background()) }()
	typ, _ := relay.frame(conn)
	expect(t, typ, int32(1))
	id, _ = relay.readToPing(conn)
	conn.Write(encodePong(id))
	expect(t, <-over, nil)
	expect(t, p.Close(), nil)
}

func TestFlushTellsALossOnce(t *testing.T) {
	relay := newFakeRelay(t)
	options := confirmingOptions(relay)
	inDoubt := make(chan InDoubt, 10)
	options.OnEvent = func(event Event) {
		if e, ok := event.(InDoubt); ok {
			inDoubt <- e
		}
	}
	p := newPublisher(t, options)
	conn := relay.accept(patientWelcome())
	publish(t, p, "a", "b")
	// Another flush waits as the connection is lost, so both are told.
	other := locked(p.session, p.core.flush)
	over := make(chan error)
	go func() { over <- p.Flush(context.Background()) }()
	relay.readToPing(conn)
	conn.Close()
	var doubt *InDoubtError
	var cause *Error
	if err := <-over; !errors.As(err, &doubt) || doubt.InDoubt != 2 || doubt.Unsent != 0 || !errors.As(err, &cause) {
		t.Error(err)
	}
	p.session.mu.Lock()
	_, why := p.core.flushed(other, nil)
	p.session.mu.Unlock()
	expect(t, why, doubt)
	expect(t, <-inDoubt, InDoubt{2})
	conn = relay.accept(patientWelcome())
	defer conn.Close()
	expect(t, p.Flush(context.Background()), nil)
	expect(t, p.Close(), nil)
	expect(t, p.Confirmed(), int64(0))
}

func TestFlushInDoubtWhenItsTimeIsOver(t *testing.T) {
	relay := newFakeRelay(t)
	options := confirmingOptions(relay)
	options.CloseTimeout = 20 * time.Millisecond
	p := newPublisher(t, options)
	conn := relay.accept(patientWelcome())
	defer conn.Close()
	publish(t, p, "a", "b")
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error)
	go func() { over <- p.Flush(ctx) }()
	id, _ := relay.readToPing(conn)
	// The relay may have read what the client's write has not returned from.
	for p.Settled() < 2 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	var doubt *InDoubtError
	if err := <-over; !errors.As(err, &doubt) || doubt.InDoubt != 2 || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	conn.Write(encodePong(id))
	expect(t, p.Flush(context.Background()), nil)
	publish(t, p, "c")
	relay.frame(conn)
	// Closes share what they have found.
	for range 3 {
		go func() { over <- p.Close() }()
	}
	for range 3 {
		err := <-over
		if !errors.As(err, &doubt) || doubt.Sent != 3 || doubt.InDoubt != 1 || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
	if err := p.Publish(context.Background(), 1, nil); err == nil {
		t.Error("published after Close")
	}
}

func TestCloseDuringAFlush(t *testing.T) {
	relay := newFakeRelay(t)
	options := confirmingOptions(relay)
	p := newPublisher(t, options)
	conn := relay.accept(patientWelcome())
	defer conn.Close()
	publish(t, p, "a", "b")
	over := make(chan error)
	go func() { over <- p.Flush(context.Background()) }()
	id, _ := relay.readToPing(conn)
	go func() { over <- p.Close() }()
	conn.Write(encodePong(id))
	expect(t, []error{<-over, <-over}, []error{nil, nil})
	// The connection ends in order.
	if n, err := conn.Read(make([]byte, 1)); n != 0 || fmt.Sprint(err) != "EOF" {
		t.Error(n, err)
	}
}

// What was not sent goes over the next connection, also when the relay of the first one takes its time to go.
func TestCloseWhileTheRelayGoesAway(t *testing.T) {
	relay := newFakeRelay(t)
	options := confirmingOptions(relay)
	goesAway := make(chan Event, 1)
	options.OnEvent = func(event Event) {
		if _, ok := event.(GoingAway); ok {
			goesAway <- event
		}
	}
	p := newPublisher(t, options)
	conn := relay.accept(patientWelcome())
	defer conn.Close()
	publish(t, p, "a")
	relay.frame(conn)
	conn.Write(frame(typeGoAway, []byte{0, codeShutdown, 0, 0, 0, 0x10, 0, 0}))
	<-goesAway
	publish(t, p, "b", "c")
	over := make(chan error)
	go func() { over <- p.Close() }()
	second := relay.accept(patientWelcome())
	defer second.Close()
	id, messages := relay.readToPing(second)
	expect(t, messages, 2)
	second.Write(encodePong(id))
	var doubt *InDoubtError
	if err := <-over; !errors.As(err, &doubt) || doubt.Sent != 3 || doubt.InDoubt != 1 || doubt.Unsent != 0 {
		t.Error(err)
	}
}

func TestCloseOfAPublisherThatGaveUp(t *testing.T) {
	relay := newFakeRelay(t)
	p := newPublisher(t, confirmingOptions(relay))
	conn := relay.accept(patientWelcome())
	defer conn.Close()
	publish(t, p, "a")
	relay.frame(conn)
	conn.Write(encodeError(29, "not this type"))
	<-p.session.done
	err := p.Close()
	var doubt *InDoubtError
	var why *Error
	if !errors.As(err, &doubt) || doubt.InDoubt != 1 || !errors.As(err, &why) || why.Code != 29 {
		t.Error(err)
	}
}
