package dev.msgrelay.client.page;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a relay's admin port, in a real browser, while messages flow. Thorough, as a browser is heavy. */
@Tag("thorough")
class RelayPageBrowserTest {
    private static final String EVIL = "<script>window.hit=1</script><img src=x onerror=window.hit=2>";
    private static final String STOPPED = "stopped";
    private static final String TICKS = "ticks";
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    /** 4 MB/s: what sockets hold is full in two or three seconds, and the log then in four. */
    private static final int BODY = 4_000;

    private static final long BETWEEN_NANOS = 1_000_000;

    private static final String ROW = """
            return Array.from(document.querySelectorAll('#lagging tr'))
              .filter(tr => tr.children[1] && tr.children[1].textContent === %s)
              .map(tr => [tr.className].concat(Array.from(tr.children).map(td => td.textContent)))[0] || null;""";

    @TempDir
    private static Path profile;

    private static Browser browser;

    private RelayServer relay;
    private AdminServer admin;
    private final List<RelaySubscriber> subscribers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;
    private volatile boolean stop;

    @BeforeAll
    static void startBrowser() {
        String missing = Browser.missing();
        if (missing != null) {
            System.out.println("RelayPageBrowserTest skipped: " + missing);
        }
        ThisMachine.need(missing == null, missing);
        browser = Browser.start(profile);
    }

    @AfterAll
    static void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void start() throws IOException {
        relay = RelayServer.start(RelayConfig.builder(0, 0)
                .set(LOG_SIZE, 16 << 20)
                .set(STATE, 2 << 20)
                .build());
        admin = AdminServer.start(relay, AdminConfig.parse("127.0.0.1:0", null));
        thread(this::publish);
        subscriber(EVIL, () -> true);
        subscriber(STOPPED, () -> !stop);
        browser.complaints();
        browser.requests();
    }

    @AfterEach
    void stop() throws Exception {
        over = true;
        for (RelaySubscriber subscriber : subscribers) {
            subscriber.close();
        }
        for (Thread thread : threads) {
            thread.join(10_000);
        }
        relay.close();
        admin.close();
    }

    private void thread(Runnable work) {
        Thread thread = new Thread(work, "page-test-" + threads.size());
        threads.add(thread);
        thread.start();
    }

    private void publish() {
        try (LocalPublisher publisher = relay.newLocalPublisher()) {
            ByteBuffer body = ByteBuffer.allocate(BODY);
            for (long due = System.nanoTime(); !over; due += BETWEEN_NANOS) {
                publisher.publish(7, body.clear());
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
    }

    private void subscriber(String name, Supplier<Boolean> reads) throws IOException {
        subscriber(
                SubscriberOptions.builder(Endpoint.of(relay.subscribeAddress())).name(name), reads);
    }

    private void subscriber(SubscriberOptions.Builder options, Supplier<Boolean> reads) throws IOException {
        RelaySubscriber subscriber = RelaySubscriber.connect(
                options.reconnect(ReconnectPolicy.none()).build());
        subscribers.add(subscriber);
        thread(() -> {
            try {
                while (!over) {
                    if (!reads.get()) {
                        LockSupport.parkNanos(1_000_000);
                    } else if (subscriber.poll((sequence, type, body) -> {}) < 0) {
                        return;
                    }
                }
            } catch (IOException cutOff) {
                // As the test wants it.
            }
        });
    }

    @Test
    void movesAndNamesWhoHasGone() throws Exception {
        String url = "http://127.0.0.1:" + admin.address().getPort() + "/";
        browser.prefer("light");
        browser.open(url, 1280, 1000);

        // The figures that one comes for are there at the first draw.
        until("the first draw", () -> text("tiles").contains("publish to"));
        assertThat(text("tiles")).contains(Endpoint.of(relay.subscribeAddress()).toString(), "the log reaches back");
        // Keys show the value at a time.
        until("two points", () -> points() >= 2);
        browser.run("const svg = document.querySelector('#chart svg'); svg.focus();"
                + "svg.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home'}))");
        assertThat(text("chart")).contains("messages a second, at ");
        browser.run("document.activeElement.blur()");
        assertThat(text("chart")).contains("messages a second, now");

        // Points move.
        until("points of a line", () -> points() >= 3);
        String before = line();
        until("another line", () -> !before.equals(line()));
        assertThat((String) browser.run("return document.getElementById('tiles').textContent"))
                .contains("msg/s", "subscribers2");
        assertThat(browser.run("return document.getElementById('state').textContent"))
                .isEqualTo("ready");

        // A name is text.
        until("the row of the evil name", () -> row(EVIL) != null);
        assertThat(browser.run("return document.querySelectorAll('#lagging script, #lagging img').length"))
                .isEqualTo(0L);
        assertThat(browser.run("return window.hit === undefined")).isEqualTo(true);

        // One stops reading: its lag grows, and then it has gone, with its reason.
        stop = true;
        until("lag", () -> lag() > 500);
        long first = lag();
        until("more lag", () -> lag() > first);
        until("gone", () -> row(STOPPED) != null && row(STOPPED).get(0).equals("gone"));
        browser.screenshot(SCREENSHOTS.resolve("relay-page.png"));
        assertThat(row(STOPPED)).contains("gone: SLOW_SUBSCRIBER");
        until("the reason is counted", () -> text("closes").contains("SLOW_SUBSCRIBER 1"));
        assertThat(text("ended")).contains("(" + STOPPED + ")SLOW_SUBSCRIBER");
        assertThat(row(EVIL).get(0)).isEmpty();
        browser.prefer("dark");
        browser.screenshot(SCREENSHOTS.resolve("relay-page-dark.png"));
        // What is not on is not told.
        assertThat(text("memory")).contains("log").doesNotContain("TLS", "journal");
        assertThat(text("publishing")).isEqualTo("nobody is connected");

        // The last messages are there for whoever asks.
        assertThat(text("peeked")).isEmpty();
        browser.run("document.getElementById('peek').click()");
        until("the last messages", () -> browser.run("return document.querySelectorAll('#peeked tr').length")
                .equals(20L));
        assertThat((String) browser.run("return document.querySelector('#peeked tr').textContent"))
                .contains("7", "\\x00\\x00");

        // As wide as a telephone: the page is not moved sideways, and what is behind whom can be read.
        browser.open(url, 390, 844);
        until("points of a line", () -> points() >= 3);
        assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))
                .isEqualTo(true);
        assertThat(browser.run("return getComputedStyle(document.querySelector('#lagging .less')).display"))
                .isEqualTo("none");
        browser.screenshot(SCREENSHOTS.resolve("relay-page-narrow.png"));

        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests()).hasSizeGreaterThanOrEqualTo(5).allMatch(request -> request.startsWith(url));
    }

    /** As relay-client top has it. */
    @Test
    void theIntervalIsBesideThePolicy() throws IOException {
        subscriber(
                SubscriberOptions.builder(Endpoint.of(relay.subscribeAddress()))
                        .name(TICKS)
                        .interval(Duration.ofMillis(500)),
                () -> true);
        browser.open("http://127.0.0.1:" + admin.address().getPort() + "/", 1280, 1000);
        until("its row", () -> row(TICKS) != null);
        assertThat(row(TICKS)).contains("latest every 500 ms");
    }

    /** The points of the chart's line; empty until it is drawn. */
    private static String line() {
        return (String) browser.run("return document.querySelector('#chart polyline')?.getAttribute('points') ?? ''");
    }

    private static int points() {
        return line().split(" ").length;
    }

    private static String text(String id) {
        return (String) browser.run("return document.getElementById('" + id + "').textContent");
    }

    /** The class of a subscriber's row and its cells; null: it is not there. */
    @SuppressWarnings("unchecked")
    private static List<String> row(String name) {
        return (List<String>) browser.run(String.format(Locale.ROOT, ROW, "'" + name + "'"));
    }

    /** Messages that the subscriber is behind. */
    private static long lag() {
        List<String> row = row(STOPPED);
        return row == null ? 0 : Long.parseLong(row.get(8).replace(",", ""));
    }

    private static void until(String what, Supplier<Boolean> condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.get()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within 120 s: " + what + "; the page says: "
                        + browser.run("return document.body.innerText"));
            }
            LockSupport.parkNanos(100_000_000);
        }
    }
}
