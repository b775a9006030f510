package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.Orderer;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Nodes that make batches, and a state that takes them and writes down what comes out. */
final class StateRig {
    static final String CLUSTER = "orders";
    static final Set<Integer> MEMBERS = Set.of(1, 2, 3);
    static final int MOST_BODY = 1 << 10;
    static final int BODY = 4;
    static final int FRAME = 8 + BODY;

    /** Decisions as they come out on a node. */
    static final class Seen implements ClusterState.Output {
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        final List<String> events = new ArrayList<>();

        @Override
        public void begins() {
            events.add("begins");
        }

        @Override
        public void goesOn(EpochTable.Epoch life) {
            events.add("goes on in " + life.epoch() + " at " + life.position() + ", " + life.sequence());
        }

        @Override
        public void run(
                ClusterState.Entry entry, long number, long sequence, DirectBuffer frames, int offset, int length) {
            byte[] bytes = new byte[length];
            frames.getBytes(offset, bytes);
            stream.writeBytes(bytes);
            events.add("run " + entry.node() + "/" + entry.number() + ": " + length / FRAME + ", number " + number
                    + " at " + sequence);
        }

        @Override
        public void claimed(
                ClusterState.Entry entry, String name, CloseReason refusal, String text, long accepted, long sequence) {
            events.add("claimed " + entry.node() + "/" + entry.number() + " " + name + ": "
                    + (refusal == null ? "yes, " + accepted + " at " + sequence : refusal + " " + text));
        }

        @Override
        public void takenFromOthers(ClusterState.Entry entry, String name) {
            events.add("taken " + entry.node() + "/" + entry.number() + " " + name);
        }

        @Override
        public void withoutEffect(ClusterState.Entry entry) {
            events.add("done " + entry.node() + "/" + entry.number());
        }

        String last() {
            return events.get(events.size() - 1);
        }

        /** The bodies of what is in the stream. */
        List<Integer> bodies() {
            List<Integer> bodies = new ArrayList<>();
            ByteBuffer all = ByteBuffer.wrap(stream.toByteArray());
            while (all.hasRemaining()) {
                all.getInt();
                all.getInt();
                bodies.add(all.getInt());
            }
            return bodies;
        }
    }

    /** Stands for the core's log. */
    static final class Log implements Orderer.Stream {
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        final List<String> taken = new ArrayList<>();
        final List<EpochTable.Epoch> lives = new ArrayList<>();
        boolean ready = true;
        long forced = Long.MAX_VALUE;
        long wanted;
        boolean roomWanted;
        Throwable failure;

        @Override
        public boolean hasRoom() {
            return ready;
        }

        @Override
        public boolean begins(EpochTable.Epoch life) {
            lives.add(life);
            return ready;
        }

        @Override
        public void append(ByteBuffer buffer, int offset, int length) {
            byte[] bytes = new byte[length];
            buffer.get(offset, bytes);
            stream.writeBytes(bytes);
        }

        @Override
        public void readEnd(Mark into) {
            into.set(stream.size(), 1);
        }

        @Override
        public long forced() {
            return forced;
        }

        @Override
        public void force(long position) {
            wanted = position;
        }

        @Override
        public void makeRoom() {
            roomWanted = true;
        }

        @Override
        public void takenElsewhere(String name) {
            taken.add(name);
        }

        @Override
        public void wake() {
            // Drained by hand.
        }

        @Override
        public void failed(Throwable cause) {
            failure = cause;
        }
    }

    /** A node's life. */
    static final class Sender {
        final int node;
        final long life;
        final long session;
        long next = 1;

        Sender(int node, long life, long session) {
            this.node = node;
            this.life = life;
            this.session = session;
        }

        /** The same life, by another connection to the cluster. */
        Sender again(long itsSession) {
            Sender again = new Sender(node, life, itsSession);
            again.next = next;
            return again;
        }

        /** An entry of messages whose bodies are {@code first} and those that follow. */
        byte[] run(String name, ProducerId producer, long first, int count) {
            return entry(Kind.RUN, name, "", producer, first, frames((int) first, count));
        }

        byte[] claim(String name, ProducerId producer) {
            return claim(name, producer, "");
        }

        byte[] claim(String name, ProducerId producer, String owner) {
            return entry(Kind.CLAIM, name, owner, producer, 0, new byte[0]);
        }

        byte[] leave(String name, ProducerId producer) {
            return entry(Kind.LEAVE, name, "", producer, 0, new byte[0]);
        }

        private byte[] entry(Kind kind, String name, String owner, ProducerId producer, long first, byte[] frames) {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            byte[] whose = owner.getBytes(StandardCharsets.UTF_8);
            UnsafeBuffer to = new UnsafeBuffer(new byte[Batch.length(text.length, whose.length, frames.length)]);
            int at = Batch.put(to, 0, kind, next++, frames.length / FRAME, frames.length, first, producer, text, whose);
            to.putBytes(at, frames);
            return to.byteArray();
        }
    }

    static byte[] frames(int first, int count) {
        ByteBuffer frames = ByteBuffer.allocate(count * FRAME);
        for (int i = 0; i < count; i++) {
            frames.putInt(1).putInt(BODY).putInt(first + i);
        }
        return frames.array();
    }

    final ClusterState state;
    final Seen seen = new Seen();
    long millis = 1_000_000;
    private int livesKnown = 1;

    StateRig() {
        this(1_000);
    }

    StateRig(int mostNames) {
        state = new ClusterState(CLUSTER, MEMBERS, mostNames);
    }

    void offer(Sender from, byte[]... entries) {
        offer(ClusterState.idOf(CLUSTER), Batch.VERSION, from, entries);
    }

    /** Offers a batch as nodes did that knew one epoch alone. */
    void offerOfBefore(Sender from, byte[]... entries) {
        livesKnown = 0;
        offer(from, entries);
        livesKnown = 1;
    }

    /** Offers a batch; returns why it is passed over. */
    String offer(long cluster, int version, Sender from, byte[]... entries) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        UnsafeBuffer header = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH]);
        Batch.putHeader(header, from.node, cluster, from.life, 77 + from.node, MOST_BODY);
        header.putInt(0, version);
        header.putInt(Batch.LIVES_OFFSET, livesKnown);
        all.writeBytes(new byte[3]);
        all.writeBytes(header.byteArray());
        for (byte[] entry : entries) {
            all.writeBytes(entry);
        }
        UnsafeBuffer buffer = new UnsafeBuffer(all.toByteArray());
        return state.batch(from.session, millis, buffer, 3, buffer.capacity() - 3, seen);
    }
}
