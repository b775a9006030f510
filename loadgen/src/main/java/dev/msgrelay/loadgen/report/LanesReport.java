package dev.msgrelay.loadgen.report;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.lane.LaneLink;
import dev.msgrelay.loadgen.lane.LaneStatus;
import dev.msgrelay.loadgen.link.SegmentFormat;
import java.util.List;

/** Which lanes there are, for people and for programs. */
public final class LanesReport {
    private static final double MEGA = 1e6;

    private LanesReport() {}

    /** One line. */
    public static String line(LaneStatus status) {
        return Units.format(
                "%-28s %-13s %s",
                status.spec().label(),
                status.possible() ? "possible" : "not possible",
                status.possible() ? link(status.spec().emulatedLink()) : status.reason());
    }

    private static String link(LaneLink link) {
        return link == null
                ? "no line rate: 'loadgen calibrate' measures what it can do"
                : Units.format(
                        "%s each way, at most %,.1f MB/s of TCP payload", link.speed(), payloadPerSecond(link) / MEGA);
    }

    /** A whole document. */
    public static String json(List<LaneStatus> all) {
        JsonArray lanes = new JsonArray();
        all.forEach(status -> lanes.add(json(status)));
        JsonObject document = new JsonObject();
        document.put("lanes", lanes);
        return JsonWriter.indent("  ").string().value(document).done();
    }

    private static JsonObject json(LaneStatus status) {
        JsonObject json = new JsonObject();
        json.put("lane", status.spec().kind().title());
        json.put("label", status.spec().label());
        json.put("emulated", status.spec().isEmulated());
        json.put("possible", status.possible());
        if (!status.possible()) {
            json.put("reason", status.reason());
        }
        LaneLink link = status.spec().emulatedLink();
        if (link != null) {
            json.put("mtu", link.format().mtu());
            json.put("bitsPerSecond", link.speed().bitsPerSecond());
            json.put("payloadBytesPerSecond", payloadPerSecond(link));
        }
        return json;
    }

    /** Of full segments back to back. */
    private static double payloadPerSecond(LaneLink link) {
        SegmentFormat format = link.format();
        return link.speed().bytesPerSecond() * format.segmentBytes() / format.wireBytes(format.segmentBytes());
    }
}
