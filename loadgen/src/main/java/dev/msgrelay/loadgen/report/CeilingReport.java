package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.link.Framing;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.link.LinkCeiling;
import dev.msgrelay.loadgen.link.LinkRate;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Column;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/** What a link could give, for people and for programs. */
public final class CeilingReport {
    private static final double MEGA = 1e6;
    private static final int DECIMALS = 3;

    private static final List<Column> COLUMNS = List.of(
            new Column("body", Unit.WHOLE),
            Column.text(""),
            new Column("batched: msg/s", Unit.WHOLE),
            new Column("MB/s", Unit.PLAIN),
            new Column("of line", Unit.FRACTION),
            new Column("single: msg/s", Unit.WHOLE),
            new Column("MB/s", Unit.PLAIN),
            new Column("of line", Unit.FRACTION));

    private final Link link;
    private final List<Integer> bodies;
    private final int subscribers;

    /**
     * @param bodies bytes of the bodies, one ceiling each
     * @param subscribers who share the egress
     */
    public CeilingReport(Link link, List<Integer> bodies, int subscribers) {
        this.link = link;
        this.bodies = List.copyOf(bodies);
        this.subscribers = subscribers;
    }

    /** A table: for each body size what can come in, and what can go out. */
    public String table() {
        SegmentFormat format = link.format();
        int segment = format.segmentBytes();
        List<List<Table.Value>> rows = new ArrayList<>();
        for (int body : bodies) {
            LinkCeiling ceiling = link.ceiling(body);
            rows.add(line(body, "ingress", ceiling, 1));
            rows.add(line("", subscribers == 1 ? "egress" : "egress, all of " + subscribers, ceiling, 1));
            if (subscribers > 1) {
                rows.add(line("", "egress, each of " + subscribers, ceiling, subscribers));
            }
        }
        return Unit.format("%s%n", link)
                + Unit.format(
                        "a full segment carries %,d bytes and takes %,d of the link's time%n",
                        segment, format.wireBytes(segment))
                + Unit.format("batched: full segments; single: one message a segment%n%n")
                + TextTable.of(new Table("", COLUMNS, rows));
    }

    private static List<Table.Value> line(Object body, String direction, LinkCeiling ceiling, int sharers) {
        LinkRate batched = ceiling.batched().dividedBy(sharers);
        LinkRate single = ceiling.single().dividedBy(sharers);
        return Table.row(
                body,
                direction,
                batched.messagesPerSecond(),
                Unit.format("%,.1f", batched.bytesPerSecond() / MEGA),
                batched.lineFraction(),
                single.messagesPerSecond(),
                Unit.format("%,.1f", single.bytesPerSecond() / MEGA),
                single.lineFraction());
    }

    /** What a body size can get in one direction. */
    private record Direction(Rate batched, Rate single) {
        static Direction of(LinkCeiling ceiling, int sharers) {
            return new Direction(
                    Rate.of(ceiling.batched().dividedBy(sharers)),
                    Rate.of(ceiling.single().dividedBy(sharers)));
        }
    }

    /** Without an exponent: for those who read it as well. */
    private record Rate(BigDecimal messagesPerSecond, BigDecimal bytesPerSecond, double lineFraction) {
        static Rate of(LinkRate rate) {
            return new Rate(plain(rate.messagesPerSecond()), plain(rate.bytesPerSecond()), rate.lineFraction());
        }

        private static BigDecimal plain(double value) {
            return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
        }
    }

    private record Ceiling(int body, Direction ingress, Direction egress, Direction egressEach) {}

    private record Described(
            long bitsPerSecond,
            int mtu,
            String ip,
            boolean timestamps,
            boolean vlan,
            boolean emulated,
            int segmentBytes,
            int segmentWireBytes) {}

    private record Document(Described link, int subscribers, List<Ceiling> ceilings) {}

    public String json() {
        SegmentFormat format = link.format();
        int segment = format.segmentBytes();
        List<Ceiling> ceilings = new ArrayList<>();
        for (int body : bodies) {
            LinkCeiling ceiling = link.ceiling(body);
            ceilings.add(new Ceiling(
                    body, Direction.of(ceiling, 1), Direction.of(ceiling, 1), Direction.of(ceiling, subscribers)));
        }
        return Json.text(new Document(
                new Described(
                        link.speed().bitsPerSecond(),
                        format.mtu(),
                        format.ip().toString(),
                        format.timestamps(),
                        format.vlan(),
                        format.framing() == Framing.TRAFFIC_CONTROL,
                        segment,
                        format.wireBytes(segment)),
                subscribers,
                ceilings));
    }
}
