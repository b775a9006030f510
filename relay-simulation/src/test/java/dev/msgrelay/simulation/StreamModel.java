package dev.msgrelay.simulation;

import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The one order as it came to be, kept independently: whatever the log's head passes is read, taken apart into frames,
 * and each frame compared with what its publisher has sent. Everything that comes out of the relay is compared with
 * this.
 */
final class StreamModel {
    private static final int MOST_SOURCES = 1000;

    // One array for all runs: it is as long as the longest stream.
    static byte[] shared = new byte[16 << 20];

    private final World world;
    private final Mark head = new Mark();
    private final List<Source> sources = new ArrayList<>();
    // Of messages that came twice: the sequence before.
    private final Map<Integer, Integer> earlier = new HashMap<>();
    // Of today's relay.
    PacketLog log;
    // Bytes of the stream, and messages.
    int end;
    int count;
    // Message n starts at starts[n]; one more for the end.
    private int[] starts = new int[1 << 12];

    StreamModel(World world) {
        this.world = world;
    }

    /** A relay begins, and goes on behind so many messages: those behind them are gone. */
    void goesOn(PacketLog next, int messages) {
        log = next;
        int kept = start(messages + 1);
        earlier.clear();
        sources.forEach(Source::forget);
        for (count = 0; count < messages; count++) {
            Source source = sourceAt(shared, starts[count + 1]);
            take(source, numberAt(shared, starts[count + 1], source.inStream + 1));
        }
        end = kept;
    }

    Source newSource(Source.Size size) {
        Source source = new Source(
                sources.size(), world.seed, size, world.config.stream().maxBody());
        sources.add(source);
        return source;
    }

    boolean hasRoomForSources() {
        return sources.size() < MOST_SOURCES;
    }

    void sync() {
        if (world.failed() || log.head().position() == end) {
            return;
        }
        log.head().read(head);
        long to = head.position();
        if (to < end) {
            world.fail("the head went back from " + end + " to " + to);
            return;
        }
        if (to > shared.length) {
            shared = Arrays.copyOf(shared, (int) Math.max(to, 2L * shared.length));
        }
        int before = end;
        while (end < to) {
            Chunk chunk = log.acquire(end);
            if (chunk == null) {
                world.fail("the log does not hold " + end + " to " + to + ", which is new; its tail is " + log.tail());
                return;
            }
            int offset = log.offsetInChunk(end);
            int part = (int) Math.min(to - end, log.chunkBytes() - offset);
            chunk.memory().getBytes(offset, shared, end, part);
            chunk.release();
            end += part;
        }
        int parsed = parse(before);
        if (!world.failed()) {
            world.check(parsed == end, "the head, " + end + ", is within a frame that starts at " + parsed);
            world.check(
                    head.sequence() == count + 1,
                    "the head's sequence is " + head.sequence() + " behind " + count + " messages");
        }
    }

    /** Takes the frames from here on; answers where the last one ends. */
    private int parse(int from) {
        int parsed = from;
        while (end - parsed >= Source.HEADER && !world.failed()) {
            int length = Source.HEADER + Source.getInt(shared, parsed + 4);
            if (length < Source.HEADER || length > end - parsed) {
                world.fail("no whole frame at position " + parsed + ": " + length + " of " + (end - parsed) + " bytes");
                break;
            }
            came(parsed);
            count++;
            if (count + 1 >= starts.length) {
                starts = Arrays.copyOf(starts, 2 * starts.length);
            }
            starts[count] = parsed;
            parsed += length;
            starts[count + 1] = parsed;
        }
        return parsed;
    }

    private void came(int at) {
        Source source = sourceAt(shared, at);
        if (source == null) {
            world.fail("a frame at position " + at + " that nobody has sent");
            return;
        }
        int number = numberAt(shared, at, source.inStream + 1);
        if (!source.mayCome(number)) {
            world.fail("message " + number + " of source " + source.id + " at position " + at + " comes behind "
                    + source.inStream);
            return;
        }
        if (!source.matches(number, shared, at)) {
            world.fail(
                    "message " + number + " of source " + source.id + " at position " + at + " is not what was sent");
            return;
        }
        take(source, number);
    }

    private void take(Source source, int number) {
        if (source.latest(number) > 0) {
            earlier.put(count + 1, source.latest(number));
        }
        source.came(number, count + 1);
    }

    Source sourceAt(byte[] bytes, int at) {
        int id = Source.sourceOf(bytes, at);
        return id >= 0 && id < sources.size() ? sources.get(id) : null;
    }

    private static int numberAt(byte[] bytes, int at, int near) {
        int number = Source.numberOf(bytes, at);
        // A tiny one has the last 16 bits only.
        return (near & 0xFFFF) == number ? near : number;
    }

    /** Where a message starts; of the one behind the last, the end. */
    int start(int sequence) {
        return sequence > count ? end : starts[sequence];
    }

    int type(int sequence) {
        return Source.getInt(shared, starts[sequence]);
    }

    boolean is(int sequence, int type, ByteBuffer body) {
        int at = starts[sequence];
        int length = start(sequence + 1) - at - Source.HEADER;
        return sequence <= count
                && type == Source.getInt(shared, at)
                && body.equals(ByteBuffer.wrap(shared, at + Source.HEADER, length));
    }

    /** The first message from {@code next} on that these bytes begin; 0: there is none. */
    int find(byte[] bytes, int length, int next) {
        Source source = sourceAt(bytes, 0);
        int sequence = source == null ? 0 : source.latest(Source.numberOf(bytes, 0));
        // One that was sent again to a relay that had forgotten the name may be there twice.
        int before = earlier.getOrDefault(sequence, 0);
        while (before >= next) {
            sequence = before;
            before = earlier.getOrDefault(sequence, 0);
        }
        return sequence >= next
                        && sequence > 0
                        && Arrays.equals(bytes, 0, length, shared, starts[sequence], starts[sequence] + length)
                ? sequence
                : 0;
    }
}
