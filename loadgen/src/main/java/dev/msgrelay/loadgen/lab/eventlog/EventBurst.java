package dev.msgrelay.loadgen.lab.eventlog;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** The article's burst: 600 events, made and recorded one after the other. One thread. */
final class EventBurst {
    private static final int ROUNDS = 200;
    private static final int DATA = 96;
    private static final int MEDIUM = 48;

    /** How many events a burst has. */
    static final int EVENTS = 3 * ROUNDS;

    private final Random random;
    private final EventLog logger;

    /** What the last burst recorded: it is tallied once its time is taken. */
    private final List<Event> recorded = new ArrayList<>(EVENTS);

    EventBurst(Random random, EventLog logger) {
        this.random = random;
        this.logger = logger;
    }

    void run() {
        recorded.clear();
        for (int i = 0; i < ROUNDS; i++) {
            byte[] data = new byte[DATA];
            random.nextBytes(data);
            String dataBase64 = Base64.getEncoder().encodeToString(data);
            String eventNo = System.currentTimeMillis() + "." + i;
            ZonedDateTime timestamp = ZonedDateTime.now(ZoneOffset.UTC);
            record(timestamp, "EventNo: " + eventNo + " Data:" + dataBase64);
            record(timestamp, "EventNo: " + eventNo + " Data: Small " + random.nextLong());
            record(timestamp, "EventNo: " + eventNo + " Data: medium  " + dataBase64.substring(0, MEDIUM));
        }
    }

    private void record(ZonedDateTime timestamp, String message) {
        Event event = new Event(UUID.randomUUID(), timestamp, message);
        logger.recordEvent(event);
        recorded.add(event);
    }

    /** Adds what the last burst recorded. */
    void addTo(EventTally tally) {
        recorded.forEach(tally::add);
    }
}
