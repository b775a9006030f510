package dev.msgrelay.lab.eventlog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.eventlog.EventLog.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventTallyTest {
    @TempDir
    private Path directory;

    private Path file;
    private final EventTally tally = new EventTally();
    private List<String> lines;

    @BeforeEach
    void aLogOfThree() throws IOException {
        file = directory.resolve("log");
        try (EventLog log = new EventLog.LockedWriter(file)) {
            for (int i = 0; i < 3; i++) {
                Event event = new Event(UUID.randomUUID(), ZonedDateTime.now(ZoneOffset.UTC), "message " + i);
                log.recordEvent(event);
                tally.add(event);
            }
        }
        lines = new ArrayList<>(Files.readAllLines(file));
    }

    @Test
    void theOrderOfEventsIsFree() throws IOException {
        assertThat(problemOf(List.of(lines.get(2), lines.get(0), lines.get(1)))).isNull();
    }

    @Test
    void aLostEventIsCounted() throws IOException {
        assertThat(problemOf(lines.subList(0, 2))).isEqualTo("the file holds 2 of 3 events: 1 lost");
    }

    @Test
    void aRepeatedEventIsCounted() throws IOException {
        lines.add(lines.get(1));
        assertThat(problemOf(lines)).isEqualTo("the file holds 4 of 3 events: 1 too many");
    }

    @Test
    void oneEventTwiceInTheRoomOfAnotherIsNoticed() throws IOException {
        lines.set(0, lines.get(1));
        assertThat(problemOf(lines)).isEqualTo("the file holds 3 events, but not the ones that were recorded");
    }

    @Test
    void aChangedByteIsNoticed() throws IOException {
        lines.set(0, lines.get(0).replace("message 0", "messagf 0"));
        assertThat(problemOf(lines)).isEqualTo("the file holds 3 events, but not the ones that were recorded");
    }

    @Test
    void aTornLineIsShown() throws IOException {
        lines.set(1, lines.get(1).substring(10));
        assertThat(problemOf(lines)).startsWith("line 2 of the file is no whole event: '");
    }

    @Test
    void aLineWithoutEndIsTorn() throws IOException {
        Files.writeString(file, String.join("\n", lines));
        assertThat(problem()).isEqualTo("the last line of the file has no end");
    }

    /** What the check says; null where it says nothing. */
    private String problem() throws IOException {
        try {
            tally.verify(file);
            return null;
        } catch (WrongResultException e) {
            return e.getMessage();
        }
    }

    private String problemOf(List<String> content) throws IOException {
        Files.writeString(file, String.join("\n", content) + "\n");
        return problem();
    }
}
