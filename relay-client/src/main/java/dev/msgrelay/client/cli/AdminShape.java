package dev.msgrelay.client.cli;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * Checks that an object has the members that {@code top} shows: a stranger's stream of events may have anything.
 * Numbers and truth values may be missing; they count as 0 and false. Each check throws an IOException that names the
 * first member that is wrong.
 */
final class AdminShape {
    static final String NO_ADMIN_PORT = "this is no relay's admin port: ";

    private AdminShape() {}

    /** Checks the first event of a stream. */
    static void checkAbout(JsonObject about) throws IOException {
        checkTexts(about, "version", "transport", "slowSubscriber");
        checkList(about, "parts", "part", "text");
        checkList(about, "counters", "key");
    }

    /** Checks a later event. */
    static void checkStats(JsonObject stats) throws IOException {
        checkTime(stats);
        for (String key : new String[] {"memory", "closes"}) {
            check(stats.get(key) instanceof JsonObject, "no '" + key + "'");
        }
        checkList(stats, "ended", "who", "reason", "detail");
        checkList(stats, "lagging", "name", "address", "policy", "types", "state");
        for (Object ended : stats.getArray("ended")) {
            checkTime((JsonObject) ended);
        }
    }

    private static void checkList(JsonObject object, String key, String... texts) throws IOException {
        check(object.get(key) instanceof JsonArray, "no list of '" + key + "'");
        for (Object item : object.getArray(key)) {
            check(item instanceof JsonObject, "something else in '" + key + "'");
            checkTexts((JsonObject) item, texts);
        }
    }

    private static void checkTexts(JsonObject object, String... keys) throws IOException {
        for (String key : keys) {
            check(object.isString(key), "no '" + key + "'");
        }
    }

    private static void checkTime(JsonObject object) throws IOException {
        try {
            Instant.parse(object.getString("time", ""));
        } catch (DateTimeException e) {
            check(false, "no 'time'");
        }
    }

    private static void check(boolean right, String fault) throws IOException {
        if (!right) {
            throw new IOException(NO_ADMIN_PORT + "its event has " + fault);
        }
    }
}
