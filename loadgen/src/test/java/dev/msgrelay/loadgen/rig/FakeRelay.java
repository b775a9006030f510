package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.message.FrameBatch;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.worker.Sockets;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A relay that does one thing wrong, once or all the time. It takes all subscribers first, then all publishers, and
 * relays in one thread: every subscriber gets each message before the next one is looked at.
 *
 * <pre>
 *  publishers --&gt; whole frames --&gt; {@link #onMessage} (the fault) --&gt; a buffer each --&gt; sockets
 *  threads of its own process --&gt; {@link #publish} --'
 * </pre>
 */
final class FakeRelay implements RunObserver, AutoCloseable {
    /** Messages that are not relayed in one go. */
    static final int DROPPED = 300;

    /** After so long without a message the publishers have ended: a primer comes every 10 ms. */
    private static final long SILENCE_MILLIS = 10;

    private static final int BUFFER = 256 << 10;
    private static final int LEAST_READ = 1_024;

    /** A bit of the first letter of the padding. */
    private static final int PADDING = FrameLayout.HEADER_LENGTH + LoadMessage.MIN_BODY;

    private static final int TIME = FrameLayout.HEADER_LENGTH + LoadMessage.TIME_OFFSET;
    private static final int NUMBER = FrameLayout.HEADER_LENGTH + LoadMessage.STAMP_OFFSET + Long.BYTES - 1;
    private static final int CHECKED_BEFORE = 1_024;

    enum Fault {
        NONE,
        BIT_IN_NUMBER,
        BIT_IN_PADDING,
        PADDING_ZEROED,
        BIT_IN_TIME,
        TIMES_ZEROED,
        FOREIGN_TYPE,
        FOREIGN_PUBLISHER,
        DUPLICATE_IN_THE_MIDDLE,
        DUPLICATE_AFTER_THE_END,
        FIRST_FIVE_LOST,
        ONE_LOST,
        LAST_LOST,
        PUBLISHERS_SWAPPED_FOR_ONE_SUBSCRIBER,
        OWN_MESSAGES_SWAPPED,
        WRONG_LENGTH,
        DROPPED_AND_TOLD,
        DROPPED_WITHOUT_A_GAP,
        GAP_ONE_TOO_SHORT,
        GAP_ONE_TOO_LONG,
        CUT_OFF_AND_TOLD,
        CUT_OFF_WITHOUT_AN_ERROR
    }

    private final Fault fault;
    private final long distance;
    private final Policy policy;
    private final int publisherCount;
    private final int subscriberCount;
    private final ServerSocketChannel publish = Sockets.listen("127.0.0.1", null);
    private final ServerSocketChannel subscribe = Sockets.listen("127.0.0.1", null);
    private final List<Out> outs = new ArrayList<>();
    private final List<SocketChannel> publishers = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "fake-relay");
    private volatile boolean closing;
    private volatile Exception failure;

    private volatile boolean primed;

    private long index;
    // Unknown until every subscriber has a message of every publisher, however many those take.
    private long place = Long.MAX_VALUE;

    private boolean done;
    private byte[] held;

    /**
     * @param distance messages between the warm-up's beginning and the fault
     * @param policy that HELLO is answered with; null: subscribers say nothing
     */
    FakeRelay(Fault fault, long distance, Policy policy, int publishers, int subscribers) throws IOException {
        this.fault = fault;
        this.distance = distance;
        this.policy = policy;
        this.publisherCount = publishers;
        this.subscriberCount = subscribers;
        thread.start();
    }

    @Override
    public void phase(String what) {
        primed |= what.equals("warm-up");
    }

    Contestant.Started started() throws IOException {
        return new Contestant.Started(null, Sockets.endpoint(publish), Sockets.endpoint(subscribe));
    }

    /** One subscriber, and what is on its way to it. */
    private static final class Out {
        private final SocketChannel channel;
        private ByteBuffer buffer = ByteBuffer.allocateDirect(2 * BUFFER);
        private boolean gone;

        Out(SocketChannel channel) {
            this.channel = channel;
        }

        void put(ByteBuffer bytes) {
            if (buffer.remaining() < bytes.remaining()) {
                flush();
            }
            if (!gone) {
                buffer.put(bytes.duplicate());
            }
        }

        void flush() {
            buffer.flip();
            try {
                while (buffer.hasRemaining() && !gone) {
                    channel.write(buffer);
                }
            } catch (IOException e) {
                gone = true;
            }
            buffer.clear();
        }

        void end() throws IOException {
            flush();
            gone = true;
            channel.close();
        }
    }

    private void run() {
        try {
            while (outs.size() < subscriberCount) {
                Out out = new Out(Sockets.accept(subscribe));
                outs.add(out);
                if (policy != null) {
                    greet(out);
                }
            }
            try (Selector selector = Selector.open()) {
                while (publishers.size() < publisherCount) {
                    SocketChannel publisher = Sockets.accept(publish);
                    publishers.add(publisher);
                    publisher.configureBlocking(false);
                    publisher.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(BUFFER));
                }
                relay(selector);
            }
        } catch (IOException | RuntimeException e) {
            if (!closing) {
                failure = e;
            }
        }
    }

    private void greet(Out out) throws IOException {
        FrameReader reader = new FrameReader();
        boolean[] said = new boolean[1];
        while (!said[0] && reader.read(out.channel, (type, body) -> said[0] = type == ControlFrames.HELLO) >= 0) {
            // HELLO comes in one piece or in several.
        }
        out.put(new WelcomeFrame(1, policy, 0, 0, 7, 1, 0, 1 << 20, 10_000, 30_000, 16, "fake", 0).encode());
        out.flush();
    }

    private void relay(Selector selector) throws IOException {
        for (long seen = 0; !closing; ) {
            boolean silent = selector.select(SILENCE_MILLIS) == 0;
            synchronized (this) {
                if (silent && index == seen) {
                    onSilence();
                }
                for (SelectionKey key : selector.selectedKeys()) {
                    if (!take((SocketChannel) key.channel(), (ByteBuffer) key.attachment())) {
                        key.cancel();
                    }
                }
                seen = index;
                outs.forEach(Out::flush);
            }
            selector.selectedKeys().clear();
        }
    }

    /** What has come of this publisher; false at its end. */
    private boolean take(SocketChannel publisher, ByteBuffer buffer) throws IOException {
        if (buffer.remaining() < LEAST_READ || publisher.read(buffer) < 0) {
            return false;
        }
        buffer.flip();
        takeWhole(buffer);
        buffer.compact();
        return true;
    }

    private void takeWhole(ByteBuffer buffer) throws IOException {
        while (buffer.remaining() >= FrameLayout.HEADER_LENGTH) {
            int at = buffer.position();
            int length = FrameLayout.frameLength(FrameLayout.bodyLength(buffer, at));
            if (buffer.remaining() < length) {
                break;
            }
            onMessage(buffer.slice(at, length));
            index++;
            buffer.position(at + length);
        }
    }

    private void onMessage(ByteBuffer frame) throws IOException {
        if (primed && place == Long.MAX_VALUE) {
            place = index + distance;
        }
        boolean here = index == place;
        switch (fault) {
            case BIT_IN_NUMBER -> toAll(here ? flipped(frame, NUMBER) : frame);
            case BIT_IN_PADDING -> toAll(here ? flipped(frame, frame.limit() - 1) : frame);
            case BIT_IN_TIME -> toAll(here ? flipped(frame, TIME + 1) : frame);
            case PADDING_ZEROED -> toAll(index % CHECKED_BEFORE == 0 ? frame : zeroed(frame, PADDING, frame.limit()));
            case TIMES_ZEROED -> toAll(zeroed(frame, TIME, TIME + Long.BYTES));
            case FOREIGN_TYPE -> toAll(frame, here ? ByteBuffer.allocate(FrameLayout.HEADER_LENGTH) : null);
            case FOREIGN_PUBLISHER -> toAll(frame, here ? ofNobody() : null);
            case DUPLICATE_IN_THE_MIDDLE -> toAll(frame, here ? frame : null);
            case DUPLICATE_AFTER_THE_END -> lag(frame);
            case FIRST_FIVE_LOST -> toAll(index < 5 ? null : frame);
            case ONE_LOST -> toAll(here ? null : frame);
            case LAST_LOST -> lag(frame);
            case PUBLISHERS_SWAPPED_FOR_ONE_SUBSCRIBER -> swap(frame, false);
            case OWN_MESSAGES_SWAPPED -> swap(frame, true);
            case WRONG_LENGTH -> toAll(here ? longer(frame) : frame);
            case DROPPED_AND_TOLD, DROPPED_WITHOUT_A_GAP, GAP_ONE_TOO_SHORT, GAP_ONE_TOO_LONG -> drop(frame);
            case CUT_OFF_AND_TOLD, CUT_OFF_WITHOUT_AN_ERROR -> cutOff(frame, here);
            default -> toAll(frame);
        }
    }

    /** Each message goes when the next one comes. */
    private void lag(ByteBuffer frame) {
        toAll(held == null ? null : ByteBuffer.wrap(held), done ? frame : null);
        held = done ? null : copy(frame);
    }

    /** The last message goes together with its duplicate: a subscriber that has it waits a moment, and no longer. */
    private void onSilence() {
        if (fault == Fault.DUPLICATE_AFTER_THE_END && index > place && !done) {
            done = true;
            toAll(ByteBuffer.wrap(held), ByteBuffer.wrap(held));
            held = null;
        }
    }

    private void toAll(ByteBuffer... frames) {
        for (ByteBuffer frame : frames) {
            if (frame != null) {
                outs.forEach(out -> out.put(frame));
            }
        }
    }

    /** From the place on, the first two messages in a row whose publishers are the same, or not. */
    private void swap(ByteBuffer frame, boolean samePublisher) {
        if (done || index < place) {
            toAll(frame);
        } else if (held == null) {
            held = copy(frame);
        } else {
            ByteBuffer first = ByteBuffer.wrap(held);
            done = (publisher(first) == publisher(frame)) == samePublisher;
            held = done ? null : copy(frame);
            for (int i = 0; i < outs.size(); i++) {
                boolean swapped = done && (samePublisher || i == outs.size() - 1);
                if (swapped) {
                    outs.get(i).put(frame);
                }
                outs.get(i).put(first);
                if (done && !swapped) {
                    outs.get(i).put(frame);
                }
            }
        }
    }

    /** The first subscriber misses some, and is told more or less of it. */
    private void drop(ByteBuffer frame) {
        boolean missed = index >= place && index < place + DROPPED;
        if (index == place + DROPPED && fault != Fault.DROPPED_WITHOUT_A_GAP) {
            int told =
                    DROPPED + (fault == Fault.GAP_ONE_TOO_SHORT ? -1 : 0) + (fault == Fault.GAP_ONE_TOO_LONG ? 1 : 0);
            ByteBuffer gap = ByteBuffer.allocate(GapFrame.FRAME_LENGTH);
            GapFrame.put(gap, place + 1, place + told, GapReason.SLOW);
            outs.get(0).put(gap.flip());
        }
        for (int i = missed ? 1 : 0; i < outs.size(); i++) {
            outs.get(i).put(frame);
        }
    }

    private void cutOff(ByteBuffer frame, boolean here) throws IOException {
        toAll(frame);
        if (here) {
            if (fault == Fault.CUT_OFF_AND_TOLD) {
                outs.get(0).put(ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "too slow"));
            }
            outs.get(0).end();
        }
    }

    private static int publisher(ByteBuffer frame) {
        return LoadMessage.publisher(LoadMessage.stampAt(frame, FrameLayout.HEADER_LENGTH));
    }

    /** A message that is whole, of a publisher that is not there. */
    private ByteBuffer ofNobody() {
        FrameBatch one = FrameBatch.ofMessages(SizeTable.fixed(100), 1);
        one.add(LoadMessage.stamp(publisherCount, 0), 1);
        return one.drain();
    }

    private static ByteBuffer flipped(ByteBuffer frame, int at) {
        ByteBuffer copy = ByteBuffer.wrap(copy(frame));
        return copy.put(at, (byte) (copy.get(at) ^ 1));
    }

    private static ByteBuffer zeroed(ByteBuffer frame, int from, int to) {
        ByteBuffer copy = ByteBuffer.wrap(copy(frame));
        for (int at = from; at < to; at++) {
            copy.put(at, (byte) 0);
        }
        return copy;
    }

    private static ByteBuffer longer(ByteBuffer frame) {
        ByteBuffer copy = ByteBuffer.wrap(copy(frame));
        return copy.putInt(FrameLayout.LENGTH_OFFSET, FrameLayout.bodyLength(copy, 0) + 1);
    }

    private static byte[] copy(ByteBuffer frame) {
        byte[] bytes = new byte[frame.limit()];
        frame.get(0, bytes);
        return bytes;
    }

    @Override
    public void close() throws IOException {
        closing = true;
        publish.close();
        subscribe.close();
        for (SocketChannel publisher : publishers) {
            publisher.close();
        }
        for (Out out : outs) {
            out.channel.close();
        }
        try {
            thread.join(60_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure != null || thread.isAlive()) {
            throw new IOException("the fake relay failed", failure);
        }
    }
}
