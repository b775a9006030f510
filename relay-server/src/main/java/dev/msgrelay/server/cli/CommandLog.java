package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.server.admin.JsonLine;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;
import picocli.CommandLine;

/**
 * The command's log: words on standard error, by the provider that is on the class path; with {@code --json} objects on
 * standard output, among those of the report. An event's key-value pairs are members; {@code event} is one of them, and
 * {@code log} without it.
 *
 * <p>slf4j makes it, since {@link RelayServerMain} names it. A program that embeds the relay has a log of its own.
 */
public final class CommandLog implements SLF4JServiceProvider {
    private static final String EVENT = "event";
    private static final String LOG = "log";

    // Null: words.
    private static volatile PrintStream objects;

    private final SLF4JServiceProvider words =
            ServiceLoader.load(SLF4JServiceProvider.class).findFirst().orElseThrow();
    private final Map<String, Logger> loggers = new ConcurrentHashMap<>();

    /** Writes objects to this stream from now on. */
    static void speakJson(PrintStream out) {
        objects = out;
    }

    /** Says what is wrong: in words on {@code err}, or as an event {@code error}; below this level {@code log}. */
    static void tell(PrintWriter err, Level level, String message) {
        PrintStream out = objects;
        if (out == null) {
            // A text that is quoted from a file or an argument must not control the terminal.
            err.println("relay-server: " + PrintableText.line(message));
        } else {
            String event = level == Level.ERROR ? "error" : LOG;
            out.println(line(level, message, List.of(new KeyValuePair(EVENT, event)), null));
        }
    }

    /** Refuses the command's arguments, as {@link #tell}; returns its exit code. */
    static int refuse(PrintWriter err, String message) {
        tell(err, Level.ERROR, message);
        if (objects == null) {
            err.println("Try 'relay-server --help'.");
        }
        return CommandLine.ExitCode.USAGE;
    }

    /** An event of a log as an object: time, level, message, members; a thrown one's stack. */
    private static String line(Level level, String message, List<KeyValuePair> members, Throwable thrown) {
        String event = LOG;
        for (KeyValuePair member : members) {
            event = member.key.equals(EVENT) ? String.valueOf(member.value) : event;
        }
        JsonLine line = JsonLine.event(event, Instant.now()).text("level", level.name());
        for (KeyValuePair member : members) {
            if (!member.key.equals(EVENT)) {
                line.text(member.key, String.valueOf(member.value));
            }
        }
        line.text("message", message);
        if (thrown != null) {
            StringWriter stack = new StringWriter();
            thrown.printStackTrace(new PrintWriter(stack, true));
            line.text("stack", stack.toString());
        }
        return line.toLine();
    }

    /** One logger in both forms. What is logged at all, the words' own settings say. */
    private static final class Log extends LegacyAbstractLogger implements LoggingEventAware {
        private static final long serialVersionUID = 1L;

        private final transient Logger words;

        Log(String name, Logger words) {
            this.name = name;
            this.words = words;
        }

        @Override
        public boolean isTraceEnabled() {
            return words.isTraceEnabled();
        }

        @Override
        public boolean isDebugEnabled() {
            return words.isDebugEnabled();
        }

        @Override
        public boolean isInfoEnabled() {
            return words.isInfoEnabled();
        }

        @Override
        public boolean isWarnEnabled() {
            return words.isWarnEnabled();
        }

        @Override
        public boolean isErrorEnabled() {
            return words.isErrorEnabled();
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        public void log(LoggingEvent event) {
            Object[] arguments = event.getArgumentArray();
            write(event.getLevel(), event.getMessage(), arguments, event.getKeyValuePairs(), event.getThrowable());
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
            write(level, pattern, arguments, null, thrown);
        }

        private void write(
                Level level, String pattern, Object[] arguments, List<KeyValuePair> members, Throwable thrown) {
            String message = MessageFormatter.basicArrayFormat(pattern, arguments);
            PrintStream out = objects;
            if (out != null) {
                out.println(line(level, message, members == null ? List.of() : members, thrown));
                return;
            }
            words.atLevel(level).setCause(thrown).log(message);
        }
    }

    @Override
    public void initialize() {
        words.initialize();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(
                name, added -> new Log(added, words.getLoggerFactory().getLogger(added)));
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return words.getMarkerFactory();
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return words.getMDCAdapter();
    }

    @Override
    public String getRequestedApiVersion() {
        return words.getRequestedApiVersion();
    }
}
