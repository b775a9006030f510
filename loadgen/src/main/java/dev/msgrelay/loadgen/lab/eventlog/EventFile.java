package dev.msgrelay.loadgen.lab.eventlog;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.util.UUID;

/** Reads a log back, line by line, and tells whether it holds what was recorded. */
final class EventFile {
    private static final int BUFFER = 1 << 16;
    private static final int UUID_LENGTH = 36;
    private static final int SHOWN = 60;

    private final EventTally tally = new EventTally();
    private String lastDate = "";
    private ZonedDateTime lastTime;

    private EventFile() {}

    /** What is wrong with the file, in one line; null if it holds every event once, whole. */
    static String problem(Path file, EventTally recorded) throws IOException {
        EventFile reader = new EventFile();
        String torn = reader.read(file);
        if (torn != null) {
            return torn;
        }
        long difference = reader.tally.count() - recorded.count();
        if (difference != 0) {
            return "the file holds " + reader.tally.count() + " of " + recorded.count() + " events: "
                    + Math.abs(difference) + (difference < 0 ? " lost" : " too many");
        }
        return reader.tally.sameAs(recorded)
                ? null
                : "the file holds " + recorded.count() + " events, but not the ones that were recorded";
    }

    private String read(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
            byte[] block = new byte[BUFFER];
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            long number = 1;
            for (int length = in.read(block); length >= 0; length = in.read(block)) {
                int from = 0;
                for (int i = 0; i < length; i++) {
                    if (block[i] == '\n') {
                        line.write(block, from, i - from);
                        from = i + 1;
                        String text = line.toString(StandardCharsets.UTF_8);
                        if (!add(text)) {
                            return torn(number, text);
                        }
                        line.reset();
                        number++;
                    }
                }
                line.write(block, from, length - from);
            }
            return line.size() == 0 ? null : torn(number, line.toString(StandardCharsets.UTF_8));
        }
    }

    /** Whether the line is one event's. */
    private boolean add(String line) {
        int date = line.indexOf(' ');
        int id = date + 1 + UUID_LENGTH;
        if (date < 0 || line.length() <= id || line.charAt(id) != ' ') {
            return false;
        }
        try {
            tally.add(
                    UUID.fromString(line.substring(date + 1, id)),
                    time(line.substring(0, date)),
                    line.substring(id + 1));
            return true;
        } catch (IllegalArgumentException | DateTimeParseException e) {
            return false;
        }
    }

    /** Neighbours often have the same time. */
    private ZonedDateTime time(String date) {
        if (!date.equals(lastDate)) {
            lastTime = ZonedDateTime.parse(date);
            lastDate = date;
        }
        return lastTime;
    }

    private static String torn(long number, String line) {
        String start = line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line;
        return "line " + number + " of the file is no whole event: '" + start.replaceAll("\\P{Print}", "?") + "'";
    }
}
