package dev.msgrelay.loadgen.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.render.Chart.Series;
import dev.msgrelay.loadgen.render.Page.Section;
import java.util.List;
import org.junit.jupiter.api.Test;

class HtmlWriterTest {
    @Test
    void noTextBreaksOut() {
        String html = HtmlWriter.html(Pages.hostile());
        String own = html.replace(new HtmlWriter.Helper().chartJs(), "").replace(new HtmlWriter.Helper().script(), "");
        assertThat(own).doesNotContain("<img", "<!--", "document.title='owned'</script>");
        // Ours: three charts' points, the library and the script that draws.
        assertThat(own.split("<script", -1)).hasSize(1 + 5);
        assertThat(own.split("</script>", -1)).hasSize(1 + 5);
    }

    @Test
    void aPageWithoutChartsHasNoScript() {
        Page page =
                new Page("Title", "", List.of(new Section("One", List.of(), List.of(), List.of())), "Facts", List.of());
        assertThat(HtmlWriter.html(page))
                .contains("<h2>One</h2>")
                .doesNotContain("<script", "<noscript", "<nav", "<dl>");
    }

    @Test
    void nothingIsFetched() {
        String html = HtmlWriter.html(Pages.hostile());
        assertThat(html)
                .contains("default-src 'none'")
                .doesNotContain("sourceMappingURL", "@import", "src=\"", "<link");
    }

    @Test
    void theFiguresOfACurveAreATable() {
        String html = HtmlWriter.html(Pages.hostile());
        assertThat(html).contains("Figures, 25 of 50").contains(">2 s</th>").contains("<td class=\"n\">1 M</td>");
    }

    @Test
    void aBarIsAsLongAsItsFraction() {
        assertThat(HtmlWriter.html(Pages.hostile())).contains("97.3 %<span class=\"bar\"><i style=\"width:97.30%\">");
    }

    @Test
    void percentilesAreShownAsSuch() {
        assertThat(HtmlWriter.percentile(1)).isEqualTo("0 %");
        assertThat(HtmlWriter.percentile(2)).isEqualTo("50 %");
        assertThat(HtmlWriter.percentile(1_000)).isEqualTo("99.9 %");
        assertThat(HtmlWriter.percentile(100_000)).isEqualTo("99.999 %");
        assertThat(HtmlWriter.percentile(1e7)).isEqualTo("99.99999 %");
    }

    @Test
    void aRowOfAnotherLengthIsRefused() {
        assertThatThrownBy(() -> new Table("t", List.of(Table.Column.text("a")), List.of(List.of())))
                .hasMessage("table 't': a row of 0 values for 1 columns");
        assertThatThrownBy(() -> Series.of("s", new double[2], new double[3])).hasMessage("series 's': 2 x for 3 y");
    }
}
