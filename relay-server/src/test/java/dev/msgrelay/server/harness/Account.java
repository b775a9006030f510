package dev.msgrelay.server.harness;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.RetryAfterFrame;
import dev.msgrelay.protocol.SequenceFrame;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a subscriber that said HELLO makes of what it reads: it counts as docs/protocol.md tells it to, and holds its
 * count against the sequence that each message carries. It outlives the connection, so that it can be resumed.
 *
 * <p>Written by the thread that reads, asked by the test.
 */
public final class Account {
    /**
     * A control frame of the relay.
     *
     * @param at the client's count when it came, before the frame had its effect
     */
    public record Said(int type, long at, byte[] bytes) {
        public ByteBuffer body() {
            return ByteBuffer.wrap(bytes);
        }
    }

    private record Choice(long from, TypeRanges types) {}

    private final Numbered messages;
    private final List<Said> said = new ArrayList<>();
    private final BitSet had = new BitSet();
    private final BitSet missed = new BitSet();
    private final List<Choice> choices = new ArrayList<>();
    private final Map<Integer, TypeRanges> requests = new HashMap<>();
    private TypeRanges types = TypeRanges.ALL;
    private boolean sequences;
    // Whether a PING may say nothing about the stream.
    private boolean mayGetState;
    private boolean welcomed;
    private long start;
    private long least;
    private volatile long next;
    private volatile long count;
    private volatile int sequenceFrames;
    private volatile long plainNext;
    private volatile int plainGaps;
    private volatile String wrong;
    private volatile int leftover;

    public Account(Numbered messages) {
        this.messages = messages;
    }

    public synchronized void begin(HelloFrame hello) {
        welcomed = false;
        types = hello.types();
        sequences = hello.wants(Features.SEQUENCES);
        mayGetState = hello.start() == StartFrom.STATE || hello.policy() == Policy.LATEST;
        least = 0;
    }

    public synchronized void requested(int request, TypeRanges wanted) {
        requests.put(request, wanted);
    }

    synchronized void message(ByteBuffer buffer, int at) {
        String problem = messages.wrong(buffer, at);
        if (problem != null) {
            wrong(problem);
            return;
        }
        long sequence = Numbered.sequence(buffer, at);
        if (sequence < least) {
            wrong("message " + sequence + " behind " + (least - 1));
        }
        if (!welcomed) {
            plainGaps += least > 0 && sequence > least ? 1 : 0;
            plainNext = sequence + 1;
        }
        least = sequence + 1;
        if (!welcomed) {
            return;
        }
        if (types.isAll() || sequences) {
            if (sequence != next) {
                wrong("message " + sequence + " where the count is " + next);
            }
            next = next + 1;
        } else if (sequence < next) {
            wrong("message " + sequence + " below " + next + ", of which it was told");
        }
        if (!types.contains(messages.type(sequence))) {
            wrong("message " + sequence + " of type " + messages.type(sequence) + ", which is not in " + types);
        }
        if (had.get((int) sequence)) {
            wrong("message " + sequence + " a second time");
        }
        had.set((int) sequence);
        count++;
    }

    synchronized void control(int type, byte[] body) {
        ByteBuffer fields = ByteBuffer.wrap(body);
        if (type == ControlFrames.SEQUENCE) {
            sequenceFrames++;
        } else {
            said.add(new Said(type, next, body));
        }
        boolean last = type == ControlFrames.ERROR || type == ControlFrames.RETRY_AFTER;
        if (type != ControlFrames.WELCOME && !last && !welcomed) {
            wrong(ControlFrames.name(type) + " before WELCOME");
        }
        try {
            take(type, fields);
        } catch (FrameException e) {
            wrong(e.getMessage());
        }
    }

    private void take(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.WELCOME -> {
                if (welcomed) {
                    wrong("WELCOME a second time");
                }
                welcomed = true;
                next = WelcomeFrame.decode(body).next();
                start = start == 0 ? next : start;
                least = next;
                choices.add(new Choice(next, types));
            }
            case ControlFrames.SEQUENCE -> {
                SequenceFrame.check(body);
                if (!sequences || types.isAll() || SequenceFrame.next(body) <= next) {
                    wrong("SEQUENCE " + SequenceFrame.next(body) + " where the count is " + next);
                }
                next = SequenceFrame.next(body);
            }
            case ControlFrames.GAP -> {
                GapFrame.check(body);
                stands(type, GapFrame.from(body));
                missed.set((int) GapFrame.from(body), (int) GapFrame.to(body) + 1);
                next = GapFrame.to(body) + 1;
            }
            case ControlFrames.PING -> {
                PingFrame.check(body);
                if (PingFrame.next(body) > 0 || !mayGetState) {
                    stands(type, PingFrame.next(body));
                }
                if (PingFrame.head(body) < PingFrame.next(body) - 1) {
                    wrong("PING with next " + PingFrame.next(body) + " and head " + PingFrame.head(body));
                }
            }
            case ControlFrames.SUBSCRIBED -> {
                SubscribedFrame answer = SubscribedFrame.decode(body);
                stands(type, answer.sequence());
                types = requests.get(answer.request());
                choices.add(new Choice(answer.sequence(), types));
            }
            case ControlFrames.RETRY_AFTER -> RetryAfterFrame.check(body);
            default -> {}
        }
    }

    /** Without ranges the relay tells what the client has counted; with ranges it may be more. */
    private void stands(int type, long told) {
        if (types.isAll() ? told != next : told < Math.max(next, least)) {
            wrong(ControlFrames.name(type) + " says " + told + " where the count is " + next);
        }
        next = told;
    }

    synchronized void wrong(String what) {
        wrong = wrong == null ? what : wrong;
    }

    void leftover(int bytes) {
        leftover = bytes;
    }

    /** The sequence that the next message has, by the client's count; 0 before the first WELCOME. */
    public long next() {
        return next;
    }

    public long count() {
        return count;
    }

    public String wrong() {
        return wrong;
    }

    public int leftover() {
        return leftover;
    }

    /** The sequence behind the last message before WELCOME, as a plain client gets them; 0: none came. */
    public long plainNext() {
        return plainNext;
    }

    /** How often messages were left out before WELCOME. */
    public int plainGaps() {
        return plainGaps;
    }

    /** SEQUENCE frames that came; each was checked to be needed, and they are not kept. */
    public int sequenceFrames() {
        return sequenceFrames;
    }

    public synchronized List<Said> said(int type) {
        return said.stream().filter(s -> s.type() == type).toList();
    }

    public synchronized List<Said> said() {
        return List.copyOf(said);
    }

    public WelcomeFrame welcome() {
        List<Said> all = said(ControlFrames.WELCOME);
        try {
            return WelcomeFrame.decode(all.get(all.size() - 1).body());
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    /** Code and text of the ERROR that came: exactly one, and nothing behind it. */
    public synchronized PlainPublisher.Error error() {
        if (said(ControlFrames.ERROR).size() != 1
                || said.get(said.size() - 1).type() != ControlFrames.ERROR
                || leftover > 0) {
            throw new AssertionError(
                    "not one ERROR at the end, but " + this + ", and " + leftover + " bytes of a cut frame");
        }
        ByteBuffer body = said.get(said.size() - 1).body();
        Said before = said.size() < 2 ? null : said.get(said.size() - 2);
        int waitMillis = before == null || before.type() != ControlFrames.RETRY_AFTER
                ? -1
                : RetryAfterFrame.millis(before.body());
        return new PlainPublisher.Error(ControlFrames.ERROR, ErrorFrame.code(body), ErrorFrame.text(body), waitMillis);
    }

    /** Whether this message came. */
    public synchronized boolean has(long sequence) {
        return had.get((int) sequence);
    }

    public synchronized int missed() {
        return missed.cardinality();
    }

    /** Fails unless each message up to this one, excluded, came once, was told in a GAP, or is of none of the types. */
    public synchronized void assertCompleteUpTo(long end) {
        if (wrong != null) {
            throw new AssertionError("wrong: " + wrong);
        }
        int choice = 0;
        for (long sequence = start; sequence < end; sequence++) {
            while (choice + 1 < choices.size() && choices.get(choice + 1).from() <= sequence) {
                choice++;
            }
            boolean expected =
                    !missed.get((int) sequence) && choices.get(choice).types().contains(messages.type(sequence));
            if (had.get((int) sequence) != expected) {
                throw new AssertionError("message " + sequence + " of type " + messages.type(sequence)
                        + (expected ? " did not come" : " came") + ", with types "
                        + choices.get(choice).types() + (missed.get((int) sequence) ? ", told in a GAP" : ""));
            }
        }
    }

    @Override
    public synchronized String toString() {
        return "count " + next + ", " + count + " messages, wrong: " + wrong + ", last said: "
                + said.stream()
                        .skip(Math.max(0, said.size() - 5))
                        .map(s -> ControlFrames.name(s.type())
                                + (s.type() == ControlFrames.ERROR
                                        ? " " + ErrorFrame.code(s.body()) + " " + ErrorFrame.text(s.body())
                                        : ""))
                        .toList();
    }
}
