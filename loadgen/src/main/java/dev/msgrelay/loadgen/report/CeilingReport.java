package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.Link.LinkRate;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Column;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import java.util.ArrayList;
import java.util.List;

/** Formats the highest throughput of a link, for people and for programs. */
public record CeilingReport(Link link, List<Integer> bodies, int subscribers) {

    private static final List<Column> COLUMNS = List.of(
            new Column("body", Unit.WHOLE),
            Column.text(""),
            new Column("batched: msg/s", Unit.WHOLE),
            new Column("MB/s", Unit.PLAIN),
            new Column("of line", Unit.FRACTION),
            new Column("single: msg/s", Unit.WHOLE),
            new Column("MB/s", Unit.PLAIN),
            new Column("of line", Unit.FRACTION));

    private record Direction(LinkRate batched, LinkRate single) {
        static Direction of(Link link, int body, int sharers) {
            SizeTable sizes = SizeTable.fixed(body);
            return new Direction(
                    link.batched(sizes).dividedBy(sharers), link.single(sizes).dividedBy(sharers));
        }
    }

    public String table() {
        SegmentFormat format = link.format();
        int segment = format.segmentBytes();
        List<List<Table.Value>> rows = new ArrayList<>();
        for (Ceiling ceiling : ceilings()) {
            rows.add(line(ceiling.body, "ingress", ceiling.ingress));
            rows.add(line("", subscribers == 1 ? "egress" : "egress, all of " + subscribers, ceiling.egress));
            if (subscribers > 1) {
                rows.add(line("", "egress, each of " + subscribers, ceiling.egressEach));
            }
        }
        return Unit.format("%s%n", link)
                + Unit.format(
                        "a full segment carries %,d bytes and takes %,d of the link's time%n",
                        segment, format.wireBytes(segment))
                + Unit.format("batched: full segments; single: one message a segment%n%n")
                + TextTable.of(new Table("", COLUMNS, rows));
    }

    private static List<Table.Value> line(Object body, String direction, Direction rates) {
        return Table.row(
                body,
                direction,
                rates.batched.messagesPerSecond(),
                Unit.format("%,.1f", rates.batched.bytesPerSecond() / 1e6),
                rates.batched.lineFraction(),
                rates.single.messagesPerSecond(),
                Unit.format("%,.1f", rates.single.bytesPerSecond() / 1e6),
                rates.single.lineFraction());
    }

    private List<Ceiling> ceilings() {
        return bodies.stream()
                .map(body -> {
                    Direction all = Direction.of(link, body, 1);
                    return new Ceiling(body, all, all, Direction.of(link, body, subscribers));
                })
                .toList();
    }

    private record Ceiling(int body, Direction ingress, Direction egress, Direction egressEach) {}

    private record Document(
            Link link, int segmentBytes, int segmentWireBytes, int subscribers, List<Ceiling> ceilings) {}

    public Object document() {
        int segment = link.format().segmentBytes();
        return new Document(link, segment, link.format().wireBytes(segment), subscribers, ceilings());
    }
}
