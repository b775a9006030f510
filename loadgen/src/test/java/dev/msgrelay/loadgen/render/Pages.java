package dev.msgrelay.loadgen.render;

import dev.msgrelay.loadgen.render.Chart.Axis;
import dev.msgrelay.loadgen.render.Chart.Series;
import dev.msgrelay.loadgen.render.Page.Section;
import java.util.List;
import java.util.stream.IntStream;

/** Pages for tests. */
public final class Pages {
    /** What would end a script or an element, start another, and leave an attribute, if it got through. */
    public static final String HOSTILE =
            "</script><script>document.title='owned'</script><!--\"'><img src=x onerror=alert(1)>&lt;\u2028";

    private Pages() {}

    /** Every element of a page, with a hostile text wherever there is one. */
    public static Page hostile() {
        Table table = new Table(
                HOSTILE,
                List.of(Table.Column.text(HOSTILE), new Table.Column("n", Unit.FRACTION)),
                List.of(
                        List.of(Table.Value.of(HOSTILE), Table.Value.fraction(0.973)),
                        List.of(Table.Value.marked(HOSTILE, Mark.BAD), Table.Value.of(7))));
        Section section = new Section(
                HOSTILE,
                List.of(Section.Note.of(HOSTILE), new Section.Note(HOSTILE, Mark.WARN)),
                List.of(bars(HOSTILE)),
                List.of(table),
                List.of(chart(HOSTILE, Axis.linear(HOSTILE, Unit.SECONDS), Axis.linear(HOSTILE, Unit.COUNT))),
                List.of());
        return new Page(
                HOSTILE,
                HOSTILE,
                List.of(section, section, section),
                HOSTILE,
                List.of(new Page.Fact(HOSTILE, HOSTILE)));
    }

    /** Every kind of element, as it is meant to be used. */
    public static Page everything() {
        Axis time = Axis.linear("time", Unit.SECONDS);
        Axis rate = Axis.linear("messages a second", Unit.COUNT);
        Axis latency = Axis.log("latency", Unit.NANOS);
        Table table = new Table(
                "Lanes against what they could give",
                List.of(
                        Table.Column.text("lane"),
                        new Table.Column("msg/s", Unit.COUNT),
                        new Table.Column("of the ceiling", Unit.FRACTION),
                        Table.Column.text("")),
                List.of(
                        List.of(
                                Table.Value.of("loopback"),
                                Table.Value.of(23.4e6),
                                Table.Value.fraction(0.42),
                                Table.Value.marked("valid", Mark.GOOD)),
                        List.of(
                                Table.Value.marked("10gbe (emulated)", Mark.NOTE),
                                Table.Value.of(10.7e6),
                                Table.Value.fraction(0.98),
                                Table.Value.marked("the cores were moved", Mark.WARN)),
                        List.of(
                                Table.Value.of("remote"),
                                Table.Value.of(7_000),
                                Table.Value.fraction(Double.NaN),
                                Table.Value.marked("FAIL", Mark.BAD))));
        List<Section.Note> notes = List.of(
                Section.Note.of("What is not marked is to be read as it is."),
                new Section.Note("One run was disturbed and is left out of every median.", Mark.WARN),
                new Section.Note("The relay ended in the middle of round 3.", Mark.BAD));
        Section first = new Section("Overview", notes, List.of(bars("bars")), List.of(table), List.of(), List.of());
        Section second = new Section(
                "Curves",
                List.of(),
                List.of(),
                List.of(
                        chart("throughput", time, rate),
                        chart("latency", Axis.percentiles("percentile"), latency),
                        chart("sizes", Axis.log("body", Unit.BYTES), Axis.log("messages a second", Unit.COUNT)),
                        chart("fractions", time, Axis.linear("value", Unit.PLAIN))));
        Section third = new Section("Nothing", List.of(Section.Note.of("No lane was skipped.")), List.of(), List.of());
        return new Page(
                "Every element",
                "as the writer writes it",
                List.of(first, second, third),
                "Environment",
                List.of(new Page.Fact("machine", "2 cores"), new Page.Fact("JDK", "17")));
    }

    /** Bars with and without a ceiling, a spread and a remark. */
    private static Bars bars(String text) {
        double none = Double.NaN;
        return new Bars(
                text,
                text,
                List.of(
                        new Bars.Group(
                                text,
                                List.of(
                                        new Bars.Bar(text, 12.9e6, 11e6, 13e6, 25.8e6, text, Mark.NONE, ""),
                                        new Bars.Bar(text, 6.45e6, none, none, none, text, Mark.WARN, text))),
                        new Bars.Group("", List.of(new Bars.Bar(text, none, none, none, none, text, Mark.BAD, text)))));
    }

    /** Two curves of 50 points and a level. */
    public static Chart chart(String text, Axis x, Axis y) {
        double[] xs = IntStream.rangeClosed(1, 50).mapToDouble(i -> i * 2.0).toArray();
        return new Chart(
                text,
                text,
                x,
                y,
                List.of(
                        Series.of(
                                "1" + text,
                                xs,
                                IntStream.range(0, 50)
                                        .mapToDouble(i -> 1e6 + 1e5 * Math.sin(i / 5.0))
                                        .toArray()),
                        Series.of(
                                "2",
                                xs,
                                IntStream.range(0, 50)
                                        .mapToDouble(i -> i == 9 ? Double.NaN : 1e6 + i * 5e3)
                                        .toArray()),
                        Series.level("ceiling", 2, 100, 1.2e6)));
    }
}
