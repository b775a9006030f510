package relay

import (
	"testing"
)

func withLives(welcome []byte, lives ...life) []byte {
	body := append([]byte(nil), welcome[headerSize:]...)
	be.PutUint32(body[4:], be.Uint32(body[4:])|featureEpochs)
	body = append(be.AppendUint16(body, uint16(len(lives))), 0, 0)
	for _, one := range lives {
		body = append(body, longs(one.epoch, one.first)...)
	}
	return frame(typeWelcome, body)
}

func TestLivesInCommon(t *testing.T) {
	for _, one := range []struct {
		name         string
		mine, theirs []life
		rest         []life
		changed      int64
	}{
		{"the backup's own", []life{{200, 7}, {100, 1}}, []life{{300, 7}, {100, 1}}, []life{{100, 1}}, 7},
		{"began earlier there", []life{{200, 7}, {100, 1}}, []life{{300, 5}, {100, 1}}, []life{{100, 1}}, 5},
		{"began earlier here", []life{{200, 5}, {100, 1}}, []life{{300, 7}, {100, 1}}, []life{{100, 1}}, 5},
		{"the lowest of several", []life{{400, 6}, {350, 8}, {200, 4}, {100, 1}},
			[]life{{600, 9}, {500, 7}, {200, 4}, {100, 1}}, []life{{200, 4}, {100, 1}}, 6},
		{"nothing newer there", []life{{200, 7}, {100, 1}}, []life{{100, 1}}, []life{{100, 1}}, 7},
		{"the newest is not known there", []life{{200, 7}, {100, 1}}, []life{{300, 9}, {200, 7}}, nil, 0},
		{"none", []life{{200, 7}}, []life{{300, 7}}, nil, 0},
		{"no lives", nil, []life{{300, 7}, {100, 1}}, nil, 0},
		{"none there", []life{{200, 7}, {100, 1}}, nil, nil, 0},
	} {
		rest, changed := inCommon(one.mine, one.theirs)
		expect(t, []any{one.name, rest, changed}, []any{one.name, one.rest, one.changed})
	}
}

// The relay that is asked again is the same one, also without a policy to reconnect; only what is gone is told.
func TestSubscriberBehindAnOlderBackup(t *testing.T) {
	relay := newFakeRelay(t)
	events := make(seen, 100)
	options := SubscriberOptions{Options: relay.options()}
	options.Reconnect.Rounds = 1
	options.OnEvent = func(event Event) { events <- event }
	s := newSubscriber(t, options)
	conn := relay.accept(withLives(welcomeFrame(1, 200, 0), life{200, 2}, life{100, 1}), frame(1, []byte("a")),
		frame(1, []byte("b")), frame(1, []byte("c")))
	expect(t, texts(take(t, s, 3)), []string{"1:1:a", "2:1:b", "3:1:c"})
	conn.Close()
	await[Lost](t, events)
	relay.accept(withLives(welcomeWith(1, 300, 0, 0, 1, 0), life{300, 2}, life{100, 1}), frame(1, []byte("x"))).Close()
	conn, err := relay.listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, hello := relay.frame(conn)
	expect(t, []any{hello[6], hello[16:24], hello[24:32]}, []any{startSequence, longs(100), longs(2)})
	expect(t, texts(take(t, s, 1)), []string{"relay.RolledBack{2 3}"})
	expect(t, []int64{s.Epoch(), s.Next()}, []int64{100, 2})
	conn.Write(join(withLives(welcomeFrame(2, 300, 0), life{300, 2}, life{100, 1}), frame(1, []byte("B"))))
	expect(t, texts(take(t, s, 1)), []string{"2:1:B"})
	expect(t, []int64{s.Epoch(), s.Next()}, []int64{300, 3})
	expect(t, <-events, Event(RolledBack{2, 3}))
	expect(t, (<-events).(Connected).Epoch, int64(300))
}
