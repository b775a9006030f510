package dev.msgrelay.loadgen.lab.eventlog;

import java.io.IOException;
import java.io.Writer;
import java.time.format.DateTimeFormatter;

/** An event's line, as the article writes it. */
final class EventText {
    private EventText() {}

    static void append(Event event, Writer to) throws IOException {
        to.append(DateTimeFormatter.ISO_DATE_TIME.format(event.created()));
        to.append(' ');
        to.append(event.id().toString());
        to.append(' ');
        to.append(event.message());
        to.append('\n');
    }
}
