package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.worker.Window;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the relay says about itself.
 *
 * @param gcCount garbage collections within the window, counted from its last report before to its first one after
 * @param largestLagBytes of a subscriber, at any of its reports
 * @param closes connections that it ended, by reason
 */
public record RelayFigures(long gcCount, long gcMillis, long largestLagBytes, Map<String, Integer> closes) {

    /** Of a relay that has stopped, or null where it tells nothing. */
    static RelayFigures of(Child relay, Window window) {
        List<Child.Event> reports = relay.all("stats");
        reports.addAll(relay.all("stopped"));
        if (reports.isEmpty()) {
            return null;
        }
        JsonObject before = reports.get(0).json();
        JsonObject after = null;
        long lag = 0;
        for (Child.Event report : reports) {
            if (report.nanos() <= window.begin()) {
                before = report.json();
            }
            if (after == null && report.nanos() >= window.end()) {
                after = report.json();
            }
            lag = Math.max(lag, report.json().getLong("largestLagBytes", 0));
        }
        JsonObject last = reports.get(reports.size() - 1).json();
        JsonObject end = after == null ? last : after;
        return new RelayFigures(
                end.getLong("gcCount") - before.getLong("gcCount"),
                end.getLong("gcMillis") - before.getLong("gcMillis"),
                lag,
                closes(last.getObject("closes", new JsonObject())));
    }

    private static Map<String, Integer> closes(JsonObject json) {
        Map<String, Integer> closes = new TreeMap<>();
        json.keySet().forEach(reason -> closes.put(reason, json.getInt(reason)));
        return closes;
    }
}
