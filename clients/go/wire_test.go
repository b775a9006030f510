package relay

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const vectors = "../../relay-protocol/src/test/resources/vectors"

// What reads each frame of the relay; the value that was read does not matter.
var decoders = map[string]func([]byte) *Error{
	"welcome":    func(b []byte) *Error { _, err := decodeWelcome(b); return err },
	"ping":       func(b []byte) *Error { _, _, _, err := decodePing(b); return err },
	"pong":       func(b []byte) *Error { _, err := decodePong(b); return err },
	"sequence":   func(b []byte) *Error { _, err := decodeSequence(b); return err },
	"gap":        func(b []byte) *Error { _, err := decodeGap(b); return err },
	"ack":        func(b []byte) *Error { _, err := decodeAck(b); return err },
	"error":      func(b []byte) *Error { _, _, err := decodeError(b); return err },
	"goaway":     func(b []byte) *Error { _, _, _, err := decodeGoAway(b); return err },
	"retry":      func(b []byte) *Error { _, err := decodeRetryAfter(b); return err },
	"subscribed": func(b []byte) *Error { _, _, err := decodeSubscribed(b); return err },
}

var comment = regexp.MustCompile(`(?m)#.*$|\s`)

func vector(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := hex.DecodeString(comment.ReplaceAllString(string(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// The test vectors of docs/protocol.md.
func TestVectors(t *testing.T) {
	paths, _ := filepath.Glob(vectors + "/*.hex")
	if len(paths) == 0 {
		t.Skip("no ", vectors, ": the tests run outside of the repository")
	}
	read := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".hex")
		parts := strings.Split(name, "-")
		decode := decoders[parts[1]]
		if decode == nil {
			continue
		}
		read++
		t.Run(name, func(t *testing.T) {
			err := decode(vector(t, path)[headerSize:])
			if parts[0] == "good" && err != nil {
				t.Error(err)
			}
			if parts[0] == "bad" && (err == nil || err.Code != codeMalformedControl) {
				t.Errorf("%v is not MALFORMED_CONTROL", err)
			}
		})
	}
	if read < 80 {
		t.Errorf("only %d vectors", read)
	}
}

// The example of docs/protocol.md, "Filters".
func TestHelloOfTheExample(t *testing.T) {
	h := hello{
		role: roleSubscriber, start: startSequence, features: featureSequences, epoch: 0x1122334455667788, number: 1000,
		ranges: []Range{{100, 199}}, name: "audit",
	}
	expected := comment.ReplaceAllString(`80000001 00000037 00010001 01000100 00000002 00000000 1122334455667788
		00000000000003e8 00010000 00000000 00000064 000000c7 0005 6175646974`, "")
	if got := hex.EncodeToString(h.encode()); got != expected {
		t.Errorf("%s, expected %s", got, expected)
	}
}

func TestHelloHasAnInterval(t *testing.T) {
	h := hello{
		role: roleSubscriber, policy: byte(PolicyLatest), start: startState, features: featureSequences | featureInterval,
		name: "audit", intervalMs: 500,
	}
	withAll := h
	withAll.start, withAll.features, withAll.intervalMs = startLive, featureInterval|featureLevels|featureToken, 10
	withAll.token = "Zm9yIHRoZSB2ZWN0b3JzIG9ubHk"
	for name, h := range map[string]hello{"": h, "-token-level": withAll} {
		path := vectors + "/good-hello-interval" + name + ".hex"
		if _, err := os.Stat(path); err != nil {
			t.Skip("no ", vectors, ": the tests run outside of the repository")
		}
		expect(t, hex.EncodeToString(h.encode()), hex.EncodeToString(vector(t, path)))
	}
}

func TestWelcomeSaysWhatTheRelaySees(t *testing.T) {
	seen := func(address, identity string) []byte {
		b := welcomeWith(1, 7, 0, featureInterval|featurePeer, 0, 0)[headerSize:]
		return appendString(appendString(be.AppendUint32(b, 500), address), identity)
	}
	body := seen("[2001:db8::1]:40001", "desk")
	w, err := decodeWelcome(append(body, "of a later version"...))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, *w.peer, Peer{"[2001:db8::1]:40001", "desk"})
	expect(t, w.intervalMs, int64(500))
	for cut := 50; cut < len(body); cut++ {
		_, err := decodeWelcome(body[:cut])
		expectCode(t, err, codeMalformedControl)
	}
	for _, bad := range [][]byte{seen("a\n", ""), seen("a", "\xff"), seen(strings.Repeat("a", 256), "")} {
		_, err := decodeWelcome(bad)
		expectCode(t, err, codeMalformedControl)
	}
	w, err = decodeWelcome(seen(strings.Repeat("a", 255), "")[:])
	if err != nil || w.peer.Identity != "" {
		t.Errorf("%v, %v", w.peer, err)
	}
}

func TestErrorTextIsCutBetweenCharacters(t *testing.T) {
	_, text, err := decodeError(encodeError(12, strings.Repeat("€", 300))[headerSize:])
	if err != nil || text != strings.Repeat("€", 170) {
		t.Errorf("%q, %v", text, err)
	}
}

func FuzzRelaySendsAnything(f *testing.F) {
	paths, _ := filepath.Glob(vectors + "/*.hex")
	welcomed := welcomeFrame(1, 7, 0)
	for _, path := range paths {
		f.Add(append(append([]byte{}, welcomed...), vector(f, path)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		options := SubscriberOptions{Options: Options{Endpoints: []string{"h:1"}}}
		if len(data)%2 == 1 {
			options.Start = FromState()
		}
		if err := options.check(); err != nil {
			t.Fatal(err)
		}
		core := newSubscriberCore(&options)
		l := &link{maxBody: options.MaxBody, handler: core, chunks: &chunks{}}
		core.begin(l)
		for len(data) > 0 {
			n := copy(l.space(), data)
			data = data[n:]
			before := core.next
			if err := l.received(n); err != nil {
				break
			}
			core.received()
			if core.next < before {
				t.Fatalf("the count goes back from %d to %d", before, core.next)
			}
		}
		if l.chunk != nil && len(l.chunk.bytes) > options.MaxBody+headerSize {
			t.Fatalf("%d bytes kept", len(l.chunk.bytes))
		}
	})
}
