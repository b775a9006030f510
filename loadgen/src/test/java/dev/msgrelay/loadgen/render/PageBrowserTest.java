package dev.msgrelay.loadgen.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages as a real browser shows them. */
class PageBrowserTest {
    /** Pixels of a canvas that are not the background, of every canvas. */
    private static final String DRAWN = """
            return Array.from(document.querySelectorAll('canvas')).map(canvas => {
              const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
              let drawn = 0;
              for (let i = 3; i < data.length; i += 4) { if (data[i] > 0) drawn++; }
              return drawn;
            });""";

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    @TempDir
    private static Path profile;

    @TempDir
    private Path directory;

    private static Browser browser;

    @BeforeAll
    static void start() {
        String missing = Browser.missing();
        if (missing != null) {
            System.out.println("PageBrowserTest skipped: " + missing);
        }
        assumeTrue(missing == null, missing);
        browser = Browser.start(profile);
    }

    @BeforeEach
    void forgetWhatWas() {
        browser.complaints();
        browser.requests();
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void everyElement(String scheme) throws Exception {
        Path file = write(Pages.everything());
        browser.prefer(scheme);
        browser.open(file, 1280, 900);
        browser.screenshot(SCREENSHOTS.resolve("elements-" + scheme + ".png"));
        isDrawn(4);
        isQuiet(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void aShootout(String scheme) throws Exception {
        Path file = write(ResultsPage.of(MadeUp.full()));
        browser.prefer(scheme);
        browser.open(file, 1280, 900);
        browser.screenshot(SCREENSHOTS.resolve("shootout-" + scheme + ".png"));
        isDrawn(2 + 2 + 2);
        assertThat(browser.run("return getComputedStyle(document.body).backgroundColor"))
                .isEqualTo(scheme.equals("light") ? "rgb(255, 255, 255)" : "rgb(20, 23, 27)");
        assertThat(browser.run("return document.querySelectorAll('main .scroll table').length"))
                .isEqualTo(3L + 3 * 5 + 6);
        theFirstScreenHasABarForEachCellAndItsCeiling();
        assertThat((String) browser.run("return document.body.innerText"))
                .contains("10gbe (emulated)", "FAIL", "left out: other programs took 43 % of all cores");
        isQuiet(file);
    }

    /** Within the window without scrolling, drawn by style alone, each as long as its part of the scale. */
    private static void theFirstScreenHasABarForEachCellAndItsCeiling() {
        browser.run("window.scrollTo(0, 0)");
        assertThat(browser.run("return document.querySelectorAll('.bars').length"))
                .isEqualTo(1L);
        assertThat(browser.run("return document.querySelector('.bars').getBoundingClientRect().bottom <= 900"))
                .as("on the first screen")
                .isEqualTo(true);
        List<?> widths = (List<?>) browser.run("""
                return Array.from(document.querySelectorAll('.bars tr')).map(row => {
                  const width = name => row.querySelector(name) ? row.querySelector(name).offsetWidth : 0;
                  return width('.ceiling') ? width('.value') / width('.ceiling') : width('.value') / width('.track div');
                });""");
        // 23.3 M of 30 M; the whole scale; 10.56 M of 11.07 M.
        assertThat(widths).hasSize(3);
        assertThat(((Number) widths.get(0)).doubleValue()).isCloseTo(23.3 / 30, within(0.02));
        assertThat(((Number) widths.get(1)).doubleValue()).isCloseTo(1, within(0.02));
        assertThat(((Number) widths.get(2)).doubleValue()).isCloseTo(0.954, within(0.02));
        assertThat((String) browser.run("return document.querySelector('.bars').innerText"))
                .contains("loopback", "10gbe (emulated)", "77.7 % of 30 M", "1 of 4 runs FAIL")
                .doesNotContain("\u2013");
    }

    /** Beneath each other under one title: which is faster, and by how much, is seen before it is read. */
    @Test
    void twoLanesOfOneLoadShareAScale() throws Exception {
        Cell cell = new Cell(MadeUp.parameters("100", 1), null, List.of());
        Results both = MadeUp.loopback(20e6)
                .with(new LaneResult("unix", LaneKind.UNIX, false, null, null, Places.NEAR, List.of()))
                .with("unix", cell, MadeUp.run(1, 10e6, cell, Outcome.PASS));
        Path file = write(ResultsPage.of(both));
        browser.prefer("light");
        browser.open(file, 1280, 900);
        browser.screenshot(SCREENSHOTS.resolve("shootout-two-lanes.png"));
        List<?> widths = (List<?>)
                browser.run("return Array.from(document.querySelectorAll('.bars .value')).map(bar => bar.offsetWidth)");
        assertThat(widths).hasSize(2);
        assertThat(((Number) widths.get(0)).doubleValue() / ((Number) widths.get(1)).doubleValue())
                .isCloseTo(2, within(0.05));
        assertThat((String) browser.run("return document.querySelector('.bars').innerText"))
                .contains("loopback", "unix", "20 M", "10 M")
                .containsOnlyOnce("body 100");
        isQuiet(file);
    }

    @Test
    void aPhoneScrollsOnlyTables() throws Exception {
        Path file = write(ResultsPage.of(MadeUp.full()));
        browser.prefer("light");
        browser.open(file, 500, 900);
        browser.screenshot(SCREENSHOTS.resolve("shootout-phone.png"));
        assertThat(browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                .isEqualTo(true);
        isQuiet(file);
    }

    @Test
    void onPaperAllChartsAreDrawn() throws Exception {
        Path file = write(ResultsPage.of(MadeUp.full()));
        browser.prefer("dark");
        browser.open(file, 1280, 400);
        assertThat(browser.run("return Number(document.documentElement.dataset.drawn || 0)"))
                .as("on a screen only those near the window")
                .isNotEqualTo(6L);
        browser.print();
        isDrawn(6);
        isQuiet(file);
    }

    @Test
    void textsStayTexts() throws Exception {
        Path file = write(Pages.hostile());
        browser.open(file, 1280, 900);
        browser.screenshot(SCREENSHOTS.resolve("texts.png"));
        isDrawn(3);
        assertThat(browser.run("return document.title")).asString().startsWith("</script>");
        assertThat(browser.run("return document.querySelectorAll('img').length"))
                .isEqualTo(0L);
        assertThat(browser.run("return document.querySelector('h1').textContent"))
                .asString()
                .contains("onerror=alert(1)>&lt;");
        isQuiet(file);
    }

    @Test
    void withoutScriptsTheFiguresAreThere() throws Exception {
        Path file = write(ResultsPage.of(MadeUp.full()));
        browser.allowScripts(false);
        try {
            browser.open(file, 1280, 900);
            browser.screenshot(SCREENSHOTS.resolve("shootout-without-scripts.png"));
        } finally {
            browser.allowScripts(true);
        }
        assertThat(browser.run("return document.documentElement.dataset.drawn")).isNull();
        assertThat(browser.run("return document.querySelectorAll('figure details table').length"))
                .isEqualTo(6L);
    }

    /** The number of charts, and each with at least a curve's worth of pixels. */
    private static void isDrawn(int charts) {
        List<?> drawn = (List<?>) browser.run(DRAWN);
        assertThat(drawn).hasSize(charts).allSatisfy(pixels -> assertThat(((Number) pixels).longValue())
                .isGreaterThan(2_000));
    }

    /** Nothing but the page itself was asked for, and it did not complain. */
    private static void isQuiet(Path file) {
        assertThat(browser.requests()).containsOnly(file.toUri().toString());
        assertThat(browser.complaints()).isEmpty();
    }

    private Path write(Page page) throws Exception {
        return Files.writeString(directory.resolve("page.html"), HtmlWriter.html(page));
    }
}
