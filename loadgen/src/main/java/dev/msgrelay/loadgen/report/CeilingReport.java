package dev.msgrelay.loadgen.report;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.link.Framing;
import dev.msgrelay.loadgen.link.LinkCeiling;
import dev.msgrelay.loadgen.link.LinkRate;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/** What a link could give, for people and for programs. */
public final class CeilingReport {
    private static final double MEGA = 1e6;
    private static final double PERCENT = 100;
    private static final int DECIMALS = 3;

    private final LinkSpeed speed;
    private final SegmentFormat format;
    private final List<Integer> bodies;
    private final int subscribers;

    /**
     * @param bodies bytes of the bodies, one ceiling each
     * @param subscribers who share the egress
     */
    public CeilingReport(LinkSpeed speed, SegmentFormat format, List<Integer> bodies, int subscribers) {
        this.speed = speed;
        this.format = format;
        this.bodies = List.copyOf(bodies);
        this.subscribers = subscribers;
    }

    /** A table: for each body size what can come in, and what can go out. */
    public String table() {
        int segment = format.segmentBytes();
        StringBuilder text = new StringBuilder();
        text.append(Units.format("%s, %s%n", speed, format));
        text.append(Units.format(
                "a full segment carries %,d bytes and takes %,d of the link's time%n%n",
                segment, format.wireBytes(segment)));
        text.append(Units.format(
                "%8s  %-20s %-37s %s%n", "", "", "     batched: full segments", "  one message a segment"));
        text.append(Units.format(
                "%8s  %-20s %15s %10s %9s %16s %10s %9s%n",
                "body", "", "msg/s", "MB/s", "% of line", "msg/s", "MB/s", "% of line"));
        for (int body : bodies) {
            LinkCeiling ceiling = new LinkCeiling(speed, format, body);
            line(text, Units.format("%,d", body), "ingress", ceiling, 1);
            line(text, "", subscribers == 1 ? "egress" : "egress, all of " + subscribers, ceiling, 1);
            if (subscribers > 1) {
                line(text, "", "egress, each of " + subscribers, ceiling, subscribers);
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String body, String direction, LinkCeiling ceiling, int sharers) {
        text.append(Units.format("%8s  %-20s", body, direction));
        append(text, ceiling.batched().dividedBy(sharers));
        text.append(' ');
        append(text, ceiling.single().dividedBy(sharers));
        text.append('\n');
    }

    private static void append(StringBuilder text, LinkRate rate) {
        text.append(Units.format(
                " %,15.0f %,10.1f %9.1f",
                rate.messagesPerSecond(), rate.bytesPerSecond() / MEGA, rate.lineFraction() * PERCENT));
    }

    /** A whole document. */
    public String json() {
        JsonObject link = new JsonObject();
        link.put("bitsPerSecond", speed.bitsPerSecond());
        link.put("mtu", format.mtu());
        link.put("ip", format.ip().toString());
        link.put("timestamps", format.timestamps());
        link.put("vlan", format.vlan());
        link.put("emulated", format.framing() == Framing.TRAFFIC_CONTROL);
        link.put("segmentBytes", format.segmentBytes());
        link.put("segmentWireBytes", format.wireBytes(format.segmentBytes()));
        JsonArray ceilings = new JsonArray();
        for (int body : bodies) {
            LinkCeiling ceiling = new LinkCeiling(speed, format, body);
            JsonObject json = new JsonObject();
            json.put("body", body);
            json.put("ingress", direction(ceiling, 1));
            json.put("egress", direction(ceiling, 1));
            json.put("egressEach", direction(ceiling, subscribers));
            ceilings.add(json);
        }
        JsonObject document = new JsonObject();
        document.put("link", link);
        document.put("subscribers", subscribers);
        document.put("ceilings", ceilings);
        return JsonWriter.indent("  ").string().value(document).done();
    }

    private static JsonObject direction(LinkCeiling ceiling, int sharers) {
        JsonObject json = new JsonObject();
        json.put("batched", rate(ceiling.batched().dividedBy(sharers)));
        json.put("single", rate(ceiling.single().dividedBy(sharers)));
        return json;
    }

    private static JsonObject rate(LinkRate rate) {
        JsonObject json = new JsonObject();
        json.put("messagesPerSecond", plain(rate.messagesPerSecond()));
        json.put("bytesPerSecond", plain(rate.bytesPerSecond()));
        json.put("lineFraction", rate.lineFraction());
        return json;
    }

    /** Without an exponent: for those who read it as well. */
    private static BigDecimal plain(double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
    }
}
