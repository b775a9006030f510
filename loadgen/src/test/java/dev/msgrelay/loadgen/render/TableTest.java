package dev.msgrelay.loadgen.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.Table.Value;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same table for a terminal and for a spreadsheet; {@link HtmlPageTest} has the page. */
class TableTest {
    private static final Table TABLE = Table.of(
            "1 \u2192 8",
            List.of(12_900_000L, 1_050L),
            List.of(
                    Field.text(
                            "lane",
                            speed -> speed > 1e6 ? "loopback" : Value.marked("10\u00b5, \"x\"", Table.Mark.BAD)),
                    Field.of("msg/s", Unit.COUNT, speed -> speed),
                    Field.of("nobody's", Unit.NANOS, speed -> Double.NaN),
                    Field.of("of it", Unit.FRACTION, speed -> speed > 1e6 ? 0.5 : Double.NaN)));

    @Test
    void onATerminalNumbersStandToTheRightAndWhatNobodyHasIsLeftOut() {
        assertThat(TextTable.of(TABLE))
                .isEqualTo("1 -> 8\n"
                        + "  lane       msg/s   of it\n"
                        + "  loopback  12.9 M  50.0 %\n"
                        + "  10u, \"x\"  1.05 k       -\n");
    }

    @Test
    void whatIsDoubtedHasAQuestionMarkExceptForOtherPrograms() {
        Table doubted = Table.of(
                "",
                List.of(1_500_000L),
                List.of(Field.of("p99", Unit.NANOS, nanos -> Value.marked(nanos, Table.Mark.WARN))));
        assertThat(TextTable.of(doubted)).isEqualTo("  p99\n  1.5 ms?\n".replace("  p99", "      p99"));
        assertThat(TextTable.csv(doubted)).isEqualTo("\"p99, ns\"\n1500000\n");
    }

    @Test
    void forASpreadsheetFiguresAreWhole() {
        assertThat(TextTable.csv(TABLE))
                .isEqualTo("lane,msg/s,\"nobody's, ns\",of it\nloopback,12900000,,0.5\n\"10u, \"\"x\"\"\",1050,,\n");
    }

    @Test
    void asMarkdown() {
        assertThat(TextTable.markdown(TABLE.withoutEmpty()))
                .isEqualTo("| lane | msg/s | of it |\n| --- | ---: | ---: |\n| loopback | 12.9 M | 50.0 % |\n"
                        + "| 10u, \"x\" | 1.05 k | - |\n");
    }

    @Test
    void aNarrowTerminalHasTheInnerColumnsWhole() {
        assertThat(TextTable.of(TABLE, 23))
                .isEqualTo("1 -> 8\n lane      msg/s  of it\n loopback 12.9 M 50.0 %\n 10u, \"x\" 1.05 k      -\n");
        Table names = Table.of(
                "",
                List.of("a-name-that-is-long"),
                List.of(Field.text("lane", s -> s), Field.text("n", s -> "1234"), Field.text("end", s -> s)));
        assertThat(TextTable.of(names, 26).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(26))
                .last()
                .asString()
                .contains(" 1234 ");
    }

    @Test
    void wideCharactersTakeTheirColumns() {
        Table wide = Table.of("", List.of("日本", "abcde"), List.of(Field.text("of", s -> s), Field.text("n", s -> "x")));
        assertThat(TextTable.of(wide)).isEqualTo("  of     n\n  日本   x\n  abcde  x\n");
    }

    @Test
    void withoutARowThereAreTheTitles() {
        Table empty = Table.of("", List.<Long>of(), List.of(Field.of("msg/s", Unit.COUNT, speed -> speed)));
        assertThat(TextTable.of(empty)).contains("msg/s");
    }
}
