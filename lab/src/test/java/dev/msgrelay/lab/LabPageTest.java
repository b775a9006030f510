package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.Chart.Axis;
import dev.msgrelay.lab.LabResult.ExperimentResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.render.HtmlPage;
import dev.msgrelay.testing.ThisMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * The lab's page in a real browser: the claims first, its plots drawn, no complaint. Thorough, as a browser is heavy.
 */
@Tag("thorough")
class LabPageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Path SCREENSHOT = Path.of("target", "screenshots", "lab.png");
    private static final Machine MACHINE =
            new Machine(2, "AMD EPYC 9R45", "OpenJDK 64-Bit Server VM 17.0.15+6", "Linux 6.18.44", "cubic", Double.NaN);
    private static final Column CLIENTS = Column.plain("clients", "");

    /** It would warn of a browser that is newer than itself. */
    private static final Logger VERSION_FINDER = Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

    @TempDir
    private Path directory;

    @Test
    void theClaimsComeFirstAndNothingIsComplainedOf() throws Exception {
        Optional<Path> browser = Stream.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
                .flatMap(name -> ThisMachine.program(name).stream())
                .findFirst();
        Optional<Path> server = ThisMachine.program("chromedriver");
        String missing = browser.isEmpty() ? "a browser" : server.isEmpty() ? "chromedriver" : "";
        ThisMachine.need(missing.isEmpty(), missing + " is not on the PATH");
        Path page =
                Files.writeString(directory.resolve("lab.html"), HtmlPage.of("Lab", new LabReport(result()).page()));
        ChromeDriver driver = start(browser.get(), server.get());
        try {
            driver.manage().window().setSize(new Dimension(1280, 2_000));
            driver.get(page.toUri().toString());
            driver.executeAsyncScript("""
                    const done = arguments[arguments.length - 1];
                    const look = () => document.documentElement.dataset.drawn ? done() : setTimeout(look, 10);
                    look();""");
            Files.createDirectories(SCREENSHOT.getParent());
            Files.write(SCREENSHOT, driver.getScreenshotAs(OutputType.BYTES));
            assertThat(text(driver, "document.querySelector('table').innerText"))
                    .contains("claim", "A is faster", "2.0", "holds")
                    .doesNotContain("cores");
            assertThat(driver.executeScript(
                            "return document.querySelector('table').getBoundingClientRect().bottom <= 900"))
                    .as("on the first screen")
                    .isEqualTo(true);
            assertThat(text(driver, "document.body.innerText"))
                    .contains("FAILED C: 1 byte is missing", "senders: one", "Made up, 1999");
            assertThat(driver.executeScript("return document.querySelectorAll('.plot svg polyline').length"))
                    .isEqualTo(2L);
            assertThat(driver.manage().logs().get(LogType.BROWSER).getAll()).isEmpty();
        } finally {
            driver.quit();
        }
    }

    private static String text(ChromeDriver driver, String expression) {
        return (String) driver.executeScript("return " + expression);
    }

    private static LabResult result() {
        LabTable table = new LabTable(
                "one",
                "The one table",
                List.of(Tables.SPEED),
                List.of(),
                ArticleFigures.of(List.of(Tables.SPEED), "A, 1 client | 20"),
                judged -> Claim.judge(
                        List.of(Claim.better("A is faster", Tables.SPEED, "A, 1 client", "B, 1 client")), judged),
                List.of(Plots.ofRows("speed", Axis.linear("clients"), CLIENTS, Axis.linear("MB/s"), Tables.SPEED)));
        TableResult measured = new TableResult(
                table,
                List.of(
                        row("A", 1, 20),
                        row("A", 2, 30),
                        row("B", 1, 10),
                        row("B", 2, 15),
                        new Row("C", "", List.of(), "1 byte is missing")));
        Experiment made = new Experiment(
                "senders", "Who is faster?", "Made up, 1999", "one host", new Needs(0, 0, 1), List::of, () -> {});
        ExperimentResult experiment = new ExperimentResult(made, List.of(measured), List.of(), null);
        return new LabResult(MACHINE, false, Claim.MIN_ROUNDS, List.of(experiment), false);
    }

    private static Row row(String name, int clients, double speed) {
        Measurement measurement = Measurement.of(Tables.SPEED, speed).and(CLIENTS, clients);
        List<Measurement> goes =
                Stream.generate(() -> measurement).limit(Claim.MIN_ROUNDS).toList();
        return Tables.row(name, clients == 1 ? "1 client" : clients + " clients", goes);
    }

    private ChromeDriver start(Path browser, Path server) {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser.toFile());
        options.setCapability("goog:loggingPrefs", logs);
        options.addArguments(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--user-data-dir=" + directory.resolve("profile"));
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(server.toFile())
                .usingAnyFreePort()
                .withTimeout(PATIENCE)
                .build();
        VERSION_FINDER.setLevel(Level.SEVERE);
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(PATIENCE).scriptTimeout(PATIENCE);
        return driver;
    }
}
