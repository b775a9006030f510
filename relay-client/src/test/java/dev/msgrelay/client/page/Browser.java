package dev.msgrelay.client.page;

import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium with an empty profile. */
final class Browser implements AutoCloseable {
    private static final List<String> BROWSERS =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** It would warn of a browser that is newer than itself; what is used here is the same in all of them. */
    private static final Logger VERSION_FINDER = Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

    private final ChromeDriver driver;
    private boolean scripts = true;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** What is missing on the PATH to start one, or null when nothing is. */
    static String missing() {
        if (browser().isEmpty()) {
            return "none of " + String.join(", ", BROWSERS) + " is on the PATH";
        }
        return ThisMachine.program("chromedriver").isEmpty() ? "chromedriver is not on the PATH" : null;
    }

    /**
     * @param profile an empty directory of its own
     */
    static Browser start(Path profile) {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser().orElseThrow().toFile());
        options.setCapability("goog:loggingPrefs", logs);
        options.addArguments(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--user-data-dir=" + profile);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(
                        ThisMachine.program("chromedriver").orElseThrow().toFile())
                .usingAnyFreePort()
                .withTimeout(PATIENCE)
                .build();
        VERSION_FINDER.setLevel(Level.SEVERE);
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(PATIENCE).scriptTimeout(PATIENCE);
        return new Browser(driver);
    }

    void open(Path file, int width, int height) {
        open(file.toUri().toString(), width, height);
    }

    void open(String url, int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
        driver.get(url);
    }

    /** What the system would say: "light" or "dark". */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** What a page would do without scripts; from the next page on. */
    void allowScripts(boolean allow) {
        scripts = allow;
        driver.executeCdpCommand("Emulation.setScriptExecutionDisabled", Map.of("value", !allow));
    }

    /** Prints to nowhere. */
    void print() {
        driver.executeCdpCommand("Page.printToPDF", Map.of());
    }

    Object run(String script) {
        return driver.executeScript(script);
    }

    /** Warnings and errors of the page since the last call. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            complaints.add(entry.getLevel() + " " + entry.getMessage());
        }
        return complaints;
    }

    /** Everything the page asked for since the last call, itself included. */
    List<String> requests() {
        List<String> requests = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            // What a browser starts with, its own first tab, may still be loading.
            if (entry.getMessage().contains("\"Network.requestWillBeSent\"")
                    && !entry.getMessage().contains("\"documentURL\":\"chrome://")) {
                requests.add(entry.getMessage()
                        .replaceFirst("(?s).*\"documentURL\":\"[^\"]*\".*?\"url\":\"([^\"]*)\".*", "$1"));
            }
        }
        return requests;
    }

    /** Charts are drawn when they come near the window: waits for the last of them, up to the script's time limit. */
    private void awaitDrawn() {
        driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                const all = document.querySelectorAll('figure.chart').length;
                const look = () => Number(document.documentElement.dataset.drawn || 0) === all
                    ? requestAnimationFrame(() => requestAnimationFrame(() => done()))
                    : setTimeout(look, 10);
                look();""");
    }

    /** The whole page, from top to end. */
    void screenshot(Path file) throws IOException {
        long height = ((Number) run("return document.documentElement.scrollHeight")).longValue();
        Dimension before = driver.manage().window().getSize();
        driver.manage().window().setSize(new Dimension(before.width, (int) Math.min(height + 200, 12_000)));
        if (scripts) {
            awaitDrawn();
        }
        Files.createDirectories(file.getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        driver.manage().window().setSize(before);
    }

    @Override
    public void close() {
        driver.quit();
    }

    private static Optional<Path> browser() {
        return BROWSERS.stream()
                .flatMap(name -> ThisMachine.program(name).stream())
                .findFirst();
    }
}
