package dev.msgrelay.client.cli;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/**
 * Checks that an object has the members that {@code top} shows: a stranger's stream of events may have anything.
 * Numbers and truth values may be missing; they count as 0 and false.
 */
final class AdminShape {
    private AdminShape() {}

    /** A member that the first event of a stream lacks; null: none. */
    static String faultOfAbout(JsonObject about) {
        String fault = lacksText(about, "version", "transport", "slowSubscriber");
        fault = fault != null ? fault : listFault(about, "parts", "part", "text");
        return fault != null ? fault : listFault(about, "counters", "key");
    }

    /** A member that a later event lacks; null: none. */
    static String faultOfStats(JsonObject stats) {
        String fault = timeFault(stats);
        for (String key : new String[] {"memory", "closes"}) {
            if (fault == null && !(stats.get(key) instanceof JsonObject)) {
                fault = "no '" + key + "'";
            }
        }
        fault = fault != null ? fault : listFault(stats, "ended", "who", "reason", "detail");
        fault = fault != null ? fault : listFault(stats, "lagging", "name", "address", "policy", "types", "state");
        if (fault == null) {
            for (Object ended : stats.getArray("ended")) {
                fault = fault != null ? fault : timeFault((JsonObject) ended);
            }
        }
        return fault;
    }

    private static String listFault(JsonObject object, String key, String... texts) {
        if (!(object.get(key) instanceof JsonArray list)) {
            return "no list of '" + key + "'";
        }
        for (Object item : list) {
            String fault =
                    item instanceof JsonObject inner ? lacksText(inner, texts) : "something else in '" + key + "'";
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    private static String lacksText(JsonObject object, String... keys) {
        for (String key : keys) {
            if (!object.isString(key)) {
                return "no '" + key + "'";
            }
        }
        return null;
    }

    private static String timeFault(JsonObject object) {
        try {
            Instant.parse(object.getString("time", ""));
            return null;
        } catch (DateTimeParseException e) {
            return "no 'time'";
        }
    }
}
