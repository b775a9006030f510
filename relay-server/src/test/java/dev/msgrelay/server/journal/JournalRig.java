package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A stream whose messages are known, a log that it goes through, and a journal that is fed by that log, step by step.
 */
public final class JournalRig {
    static final int CHUNK = 1024;
    static final int LOG = 16 * CHUNK;
    static final int PACKET = 300;
    static final int MAX_RUN = 3 * CHUNK;
    static final int WINDOW = 8 * CHUNK;

    public static final Journal.Watch NOBODY = new Journal.Watch() {
        @Override
        public void written(long position) {}

        @Override
        public void forced(long position) {}

        @Override
        public void failed(Throwable cause) {}
    };

    /** A message of the stream, as it was appended last under its sequence; of nobody, or of a name with its number. */
    record Message(long position, int type, int body, JournalName name, long number) {
        long end() {
            return position + 8 + body;
        }
    }

    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    final Disk disk;
    final JournalSettings settings;
    final Random random;
    final List<Message> stream = new ArrayList<>();
    private final JournalName[] names = {
        name("a", 1), name("orders", 2), name("x".repeat(255), 3), name("prices", 4), name("\u00fc", 5)
    };
    private final Map<String, Long> numbers = new HashMap<>();
    long nanos;
    long millis = 1_700_000_000_000L;
    Journal journal;
    PacketLog log;
    // Other relays have the same stream, and its lives are one.
    boolean shared;
    private int lives;
    private int made;
    private ByteBuffer frame = ByteBuffer.allocateDirect(4096).order(ByteOrder.nativeOrder());

    JournalRig(Disk disk, JournalSettings settings, Random random) {
        this.disk = disk;
        this.settings = settings;
        this.random = random;
    }

    /** Opens the directory; messages that it does not have are forgotten. */
    void open() throws IOException {
        begin();
        journal.follow(log, NOBODY, nanos);
    }

    void openWithThreads() throws IOException {
        begin();
        journal.follow(log, NOBODY, System.nanoTime());
        journal.start();
    }

    private void begin() throws IOException {
        long epoch = (shared ? 1 : ++lives) * 0x9E3779B97F4A7C15L;
        EpochTable others = new EpochTable(List.of(new EpochTable.Epoch(epoch, 0, 1, millis)), 0, 1);
        journal = new JournalOpening(disk, settings, epoch, millis, shared ? others : null, RecoveryProgress.NOBODY)
                .open();
        Mark start = journal.goesOnAt();
        while (stream.size() >= start.sequence()) {
            stream.remove(stream.size() - 1);
        }
        numbers.clear();
        states(stream.size()).forEach((name, state) -> numbers.put(name, state.number()));
        log = new PacketLog(allocator, LOG, CHUNK, PACKET, 8, MAX_RUN, this::allows, start);
    }

    /** A journal with a life of its own, of a relay that is alone. */
    static Journal open(Disk disk, JournalSettings settings) throws IOException {
        return new JournalOpening(disk, settings, 99, 0, null, RecoveryProgress.NOBODY).open();
    }

    /** The files with such names, from the oldest segment on. */
    static List<String> files(Disk disk, String ending) throws IOException {
        return disk.names().stream()
                .filter(name -> name.endsWith(ending))
                .sorted()
                .toList();
    }

    private boolean allows(long position) {
        return position - journal.written().position() <= WINDOW;
    }

    long end() {
        return stream.isEmpty() ? 0 : stream.get(stream.size() - 1).end();
    }

    /** Appends one message, if there is room; readers see it. */
    boolean append(int body) {
        return append(1, body) == 1;
    }

    /**
     * Appends a run of messages of one name, or of nobody, as far as there is room; readers see it. Answers how many.
     */
    int append(int most, int body) {
        int which = random.nextInt(names.length + 1) - 1;
        if (which >= 0 && !journal.moves().hasRoom()) {
            return 0;
        }
        if (which >= 0 && random.nextInt(200) == 0) {
            // Another producer takes the name, and starts from nothing.
            names[which] = name(names[which].name(), random.nextLong());
            numbers.remove(names[which].name());
        }
        JournalName name = which < 0 ? null : names[which];
        int count = 0;
        while (count < most && log.hasRoom()) {
            int type = made++;
            ByteBuffer frame = frame(type, body);
            int length = 8 + body;
            if (log.openPacketBytes() > 0 && log.openPacketBytes() + length > PACKET) {
                log.packetStartsAt(0, 0);
            }
            long number = name == null ? 0 : numbers.merge(name.name(), 1L, Long::sum);
            stream.add(new Message(log.endPosition(), type, body, name, number));
            log.append(frame, 0, length, 1);
            count++;
        }
        if (count > 0 && name != null) {
            journal.moves().add(name, log.lastSequence(), count, numbers.get(name.name()));
        }
        log.publish();
        return count;
    }

    private ByteBuffer frame(int type, int body) {
        byte[] bytes = new Frames().frame(type, body).bytes();
        if (frame.capacity() < bytes.length) {
            frame = ByteBuffer.allocateDirect(2 * bytes.length).order(ByteOrder.nativeOrder());
        }
        return frame.clear().put(bytes).flip();
    }

    private static JournalName name(String name, long producer) {
        return new JournalName(
                name, new ProducerId(7, producer), producer % 2 == 0 ? "" : "identity", JournalName.Hole.NONE);
    }

    Map<String, JournalName.State> states(int messages) {
        Map<String, JournalName.State> states = new HashMap<>();
        for (int i = 0; i < messages; i++) {
            Message m = stream.get(i);
            if (m.name != null) {
                states.put(m.name.name(), new JournalName.State(m.name, m.number, i + 1L));
            }
        }
        return states;
    }

    static Map<String, JournalName.State> states(Recovery found) {
        return found.states().stream().collect(Collectors.toMap(s -> s.name().name(), s -> s));
    }

    /** Appends so many messages, and has all of them written. */
    void write(int messages, int mostBody) {
        for (int i = 0; i < messages; ) {
            if (append(random.nextInt(mostBody + 1))) {
                i++;
            } else {
                step();
            }
        }
        while (journal.written().position() < end()) {
            step();
        }
    }

    void step() {
        nanos += 1_000_000;
        millis++;
        journal.write(nanos, millis);
        journal.force(nanos, millis);
        if (journal.failure().isPresent()) {
            throw new AssertionError("the journal failed", journal.failure().get());
        }
    }

    void close() throws IOException {
        try {
            journal.close();
        } finally {
            log.close();
        }
    }

    void gone() {
        if (log != null) {
            journal.releaseLog();
            log.close();
            log = null;
        }
    }

    /** Kills the process; only for a disk in memory. */
    void kill() {
        gone();
        ((SimDisk) disk).killed();
    }

    static Recovery inspect(Disk disk) throws IOException {
        return Recovery.inspect(disk, Recovery.Depth.ALL);
    }

    Mark oldest() {
        Mark oldest = new Mark();
        journal.newBlockReader(ByteBuffer.allocate(0)).oldest(oldest);
        return oldest;
    }

    /** Reads everything: each message is as it was published, and what is not there is told. Answers what is lost. */
    List<Loss> read(Recovery found, String what) throws IOException {
        List<Loss> losses = new ArrayList<>();
        long[] next = {found.startSequence()};
        JournalReader.read(disk, found, 1, new JournalReader.Sink() {
            @Override
            public boolean message(long sequence, int type, ByteBuffer body) {
                if (sequence != next[0]++ || sequence > stream.size() || !isAsPublished(sequence, type, body)) {
                    throw new AssertionError(what + ": message " + sequence + " where " + (next[0] - 1)
                            + " was expected, or not as it was published");
                }
                return true;
            }

            @Override
            public void lost(Loss loss) {
                losses.add(loss);
                assertThat(loss.sequence()).as("%s: lost from here on", what).isEqualTo(next[0]);
                next[0] = loss.endSequence();
            }
        });
        assertThat(next[0]).as("%s: the end", what).isEqualTo(found.endSequence());
        return losses;
    }

    private boolean isAsPublished(long sequence, int type, ByteBuffer body) {
        Message message = stream.get((int) sequence - 1);
        ByteBuffer frame = new Frames().frame(message.type(), message.body()).buffer();
        return type == message.type() && body.equals(frame.position(8));
    }
}
