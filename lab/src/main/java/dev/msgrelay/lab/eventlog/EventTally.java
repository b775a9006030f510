package dev.msgrelay.lab.eventlog;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.eventlog.EventLog.Event;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.util.UUID;

/**
 * The number of events in a set and the sum of their hashes, which do not depend on the order. Two equal tallies are of
 * equal sets, except with a probability of 1 in 2^64. One thread uses an object.
 */
final class EventTally {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long count;
    private long sum;

    /** The time in the last line, since neighbouring lines often have the same time. */
    private String lastDate = "";

    private ZonedDateTime lastTime;

    void add(Event event) {
        long hash = mix(event.id().getMostSignificantBits());
        hash = mix(hash ^ event.id().getLeastSignificantBits());
        hash = mix(hash ^ event.created().toEpochSecond());
        hash = mix(
                hash ^ ((long) event.created().getNano() << 32 | event.message().hashCode() & 0xFFFFFFFFL));
        count++;
        sum += hash;
    }

    void add(EventTally other) {
        count += other.count;
        sum += other.sum;
    }

    /** Distributes every bit over all others (Stafford's variant 13). */
    private static long mix(long value) {
        long mixed = value + GOLDEN;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /**
     * Checks that a log contains every event once and unchanged.
     *
     * @throws WrongResultException the first fault
     */
    void verify(Path file) throws IOException, WrongResultException {
        EventTally held = new EventTally();
        try (BufferedReader in = Files.newBufferedReader(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Event event = held.parse(line);
                if (event == null) {
                    throw new WrongResultException("line " + (held.count + 1) + " of the file is no whole event: '"
                            + line.substring(0, Math.min(60, line.length())).replaceAll("\\P{Print}", "?") + "'");
                }
                held.add(event);
            }
        }
        if (held.count != count) {
            throw new WrongResultException("the file holds " + held.count + " of " + count + " events: "
                    + (held.count < count ? count - held.count + " lost" : held.count - count + " too many"));
        }
        if (held.sum != sum) {
            throw new WrongResultException("the file holds " + count + " events, but not the ones that were recorded");
        }
        if (!endsALine(file)) {
            throw new WrongResultException("the last line of the file has no end");
        }
    }

    private Event parse(String line) {
        String[] parts = line.split(" ", 3);
        if (parts.length < 3) {
            return null;
        }
        try {
            if (!parts[0].equals(lastDate)) {
                lastTime = ZonedDateTime.parse(parts[0]);
                lastDate = parts[0];
            }
            return new Event(UUID.fromString(parts[1]), lastTime, parts[2]);
        } catch (IllegalArgumentException | DateTimeParseException e) {
            return null;
        }
    }

    private static boolean endsALine(Path file) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            bytes.seek(Math.max(0, bytes.length() - 1));
            return bytes.length() == 0 || bytes.read() == '\n';
        }
    }
}
