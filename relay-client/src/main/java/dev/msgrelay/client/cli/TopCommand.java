package dev.msgrelay.client.cli;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.client.cli.AdminEvents.Event;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.WatchedOutput;
import java.io.IOError;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code relay-client top}. Owned by the main thread; a thread of {@link AdminEvents} reads. */
@ShortHelp(
        examples = {
            "relay-client top",
            "relay-client top --once 10.0.0.5:7402",
            "relay-client top --token-file token.txt https://relay.example:7402"
        },
        options = {"Screen: ADDRESS --once --json", "Access: --token-file --tls-ca"})
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Shows a relay's throughput, lagging subscribers, closed connections, memory and reached limits, once a second.",
            "q or Ctrl-C ends it."
        },
        footer = {
            "",
            "If standard output is not a terminal, or one without a cursor (TERM=dumb), it prints one screen after the"
                    + " other."
        })
final class TopCommand implements Callable<Integer> {
    private static final Logger JLINE = Logger.getLogger("org.jline");
    private static final String DEFAULT_ADMIN = "127.0.0.1:7402";
    private static final int HTTP_PORT = 80;
    private static final long EVENT_MILLIS = 5_000;
    private static final long KEY_MILLIS = 100;
    private static final String STATS = "stats";
    private static final int MOST_OTHER_EVENTS = 10;
    private static final int PLAIN_WIDTH = 160;
    private static final int PLAIN_HEIGHT = 60;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "ADDRESS",
            defaultValue = DEFAULT_ADMIN,
            description = "The relay's admin port: host:port, :port, port, [ipv6]:port, or as https://host:port."
                    + " Default: ${DEFAULT-VALUE}.")
    private String address;

    @Option(names = "--once", description = "Print one screen, and end; takes a second, to measure the rates.")
    private boolean once;

    @Option(names = "--json", description = "Print the relay's JSON object each second, one a line.")
    private boolean json;

    @Option(
            names = "--token-file",
            paramLabel = "PATH",
            description = "A file of one line with the token of the admin port. Default: the token in RELAY_TOKEN.")
    private Path tokenFile;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "Use https, and trust only the authorities of this file, PEM.")
    private Path tlsCa;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "Give up connecting after this time. Default: ${DEFAULT-VALUE}.")
    private Duration connectTimeout;

    private final WatchedOutput stdout;
    private PrintWriter out;

    /** @param stdout the bytes below the command's writer */
    TopCommand(WatchedOutput stdout) {
        this.stdout = stdout;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        URI admin = admin();
        String token = token(admin);
        out = spec.commandLine().getOut();
        try (AdminEvents events = AdminEvents.open(admin, token, tls(admin), connectTimeout)) {
            if (json) {
                printJson(events);
                return ExitCodes.DONE;
            }
            JsonObject about = object(next(events));
            AdminShape.checkAbout(about);
            TopScreen screen = new TopScreen(about);
            Optional<Terminal> terminal = once ? Optional.empty() : terminal();
            if (terminal.isEmpty()) {
                printScreens(events, screen);
                return ExitCodes.DONE;
            }
            try (Terminal cursor = terminal.get()) {
                return draw(cursor, events, screen);
            }
        }
    }

    // ---- address and token ---------------------------------------------------------------------------------------

    private URI admin() {
        try {
            if (address.startsWith("http://") && tlsCa != null) {
                throw new IllegalArgumentException("--tls-ca is for https, and not for " + address);
            }
            if (address.startsWith("http://") || address.startsWith("https://")) {
                URI uri = URI.create(address);
                if (uri.getHost() == null) {
                    throw new IllegalArgumentException(address + " names no host");
                }
                return uri;
            }
            Endpoint endpoint = Endpoint.parse(address);
            if (endpoint.isUnix()) {
                throw new IllegalArgumentException("admin port " + address + " is no TCP port");
            }
            return URI.create((tlsCa == null ? "http://" : "https://") + endpoint);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Optional<SSLContext> tls(URI admin) throws IOException {
        if (!admin.getScheme().equals("https")) {
            return Optional.empty();
        }
        return Optional.of((tlsCa == null ? TlsOptions.system() : TlsOptions.trusting(tlsCa)).context());
    }

    /** The token, empty if there is none; refused if it would leave this host in the clear. */
    private String token(URI admin) throws IOException {
        String token = System.getenv().getOrDefault("RELAY_TOKEN", "");
        if (tokenFile != null) {
            try {
                token = SessionOptions.readTokenFile(tokenFile);
            } catch (FileSystemException e) {
                throw new IOException("cannot read " + SecretText.tokenFile(tokenFile) + ": "
                        + (e instanceof NoSuchFileException ? "there is none" : "permission denied"));
            }
        }
        boolean clear = !token.isEmpty() && admin.getScheme().equals("http");
        String host = admin.getHost().replaceAll("[\\[\\]]", "");
        if (clear && !Endpoint.tcp(host, HTTP_PORT).isWithinHost()) {
            throw new IOException("the token would go to " + admin + " in the clear: use https, or a tunnel");
        }
        return token;
    }

    // ---- for scripts, and without a terminal ---------------------------------------------------------------------

    private void printJson(AdminEvents events) throws IOException, InterruptedException {
        do {
            out.println(PrintableText.line(nextStats(events).data()));
        } while (stdout.isRead(out) && !once);
    }

    private void printScreens(AdminEvents events, TopScreen screen) throws IOException, InterruptedException {
        JsonObject before = stats(nextStats(events));
        do {
            JsonObject now = stats(nextStats(events));
            screen.lines(before, now, PLAIN_WIDTH, PLAIN_HEIGHT).forEach(out::println);
            if (!once) {
                out.println();
            }
            before = now;
        } while (stdout.isRead(out) && !once);
    }

    private static Event next(AdminEvents events) throws IOException, InterruptedException {
        return events.next(EVENT_MILLIS).orElseThrow(() -> silent(EVENT_MILLIS));
    }

    private static IOException silent(long millis) {
        return new IOException("nothing heard of the relay for " + millis / 1000 + " s");
    }

    /** The next event with figures; other events may come in between, but only a bounded number. */
    private static Event nextStats(AdminEvents events) throws IOException, InterruptedException {
        for (int i = 0; i < MOST_OTHER_EVENTS; i++) {
            Event event = next(events);
            if (event.name().equals(STATS)) {
                return event;
            }
        }
        throw new IOException(AdminShape.NO_ADMIN_PORT + "there is no '" + STATS + "' among its events");
    }

    private static JsonObject stats(Event event) throws IOException {
        JsonObject stats = object(event);
        AdminShape.checkStats(stats);
        return stats;
    }

    private static JsonObject object(Event event) throws IOException {
        try {
            return JsonParser.object().from(event.data());
        } catch (JsonParserException e) {
            throw new IOException(AdminShape.NO_ADMIN_PORT + e.getMessage(), e);
        }
    }

    // ---- on a terminal -----------------------------------------------------------------------------------------

    /** The terminal; empty: standard output is none, or one whose cursor does not move. */
    private static Optional<Terminal> terminal() throws IOException {
        if (System.console() == null) {
            return Optional.empty();
        }
        // Of a TERM that the machine does not know, the library logs a stack trace, and takes what all terminals can.
        JLINE.setLevel(Level.OFF);
        Terminal terminal;
        try {
            terminal = TerminalBuilder.builder()
                    .system(true)
                    .dumb(false)
                    .providers("exec")
                    .build();
        } catch (IOException | IllegalStateException none) {
            return Optional.empty();
        }
        if (terminal.getStringCapability(Capability.cursor_address) == null) {
            terminal.close();
            return Optional.empty();
        }
        return Optional.of(terminal);
    }

    private static int draw(Terminal terminal, AdminEvents events, TopScreen screen)
            throws IOException, InterruptedException {
        AtomicBoolean interrupted = new AtomicBoolean();
        terminal.handle(Terminal.Signal.INT, signal -> interrupted.set(true));
        Attributes before;
        try {
            before = terminal.enterRawMode();
        } catch (IOError e) {
            throw new IOException("cannot use the terminal: is this process in the background?", e);
        }
        terminal.puts(Capability.enter_ca_mode);
        terminal.puts(Capability.cursor_invisible);
        try {
            return drawUntilTold(terminal, events, screen, interrupted);
        } finally {
            terminal.puts(Capability.cursor_visible);
            terminal.puts(Capability.exit_ca_mode);
            terminal.flush();
            terminal.setAttributes(before);
        }
    }

    private static int drawUntilTold(Terminal terminal, AdminEvents events, TopScreen screen, AtomicBoolean interrupted)
            throws IOException, InterruptedException {
        Display display = new Display(terminal, true);
        JsonObject now = stats(nextStats(events));
        JsonObject before = now;
        Size drawn = null;
        long silent = 0;
        while (true) {
            Size size = terminal.getSize();
            if (!size.equals(drawn)) {
                display.resize(size.getRows(), size.getColumns());
                terminal.puts(Capability.clear_screen);
                display.reset();
                drawn = size;
            }
            List<AttributedString> lines = screen.lines(before, now, size.getColumns() - 1, size.getRows()).stream()
                    .map(AttributedString::new)
                    .toList();
            display.update(lines, 0);
            int key = terminal.reader().read(KEY_MILLIS);
            if (interrupted.get()) {
                return ExitCodes.INTERRUPTED;
            }
            if (key == 'q' || key == 'Q') {
                return ExitCodes.DONE;
            }
            Optional<Event> event = events.next(1);
            silent = event.isEmpty() ? silent + KEY_MILLIS : 0;
            if (event.isPresent() && event.get().name().equals(STATS)) {
                before = now;
                now = stats(event.get());
            } else if (silent > 2 * EVENT_MILLIS) {
                throw silent(silent);
            }
        }
    }
}
