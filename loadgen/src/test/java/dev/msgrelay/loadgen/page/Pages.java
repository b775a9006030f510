package dev.msgrelay.loadgen.page;

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
                List.of(Table.Column.text(HOSTILE), Table.Column.number("n")),
                List.of(
                        List.of(TableCell.of(HOSTILE), TableCell.fraction(0.973)),
                        List.of(TableCell.marked(HOSTILE, Mark.BAD), TableCell.of("7"))));
        Section section = new Section(
                HOSTILE,
                List.of(Section.Note.of(HOSTILE), new Section.Note(HOSTILE, Mark.WARN)),
                List.of(table),
                List.of(chart(HOSTILE, Axis.linear(HOSTILE, Unit.SECONDS), Axis.linear(HOSTILE, Unit.COUNT))));
        return new Page(
                HOSTILE,
                HOSTILE,
                List.of(section, section, section),
                HOSTILE,
                List.of(new Page.Fact(HOSTILE, HOSTILE)));
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
