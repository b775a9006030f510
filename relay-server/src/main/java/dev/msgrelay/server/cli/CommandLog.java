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
 * The command's log. It is text on standard error, written by the slf4j provider on the class path. With {@code --json}
 * it is JSON objects on standard output, between the objects of the report. The members of an object are the key-value
 * pairs of the log event; its member {@code event} is {@code log} if no pair has this key.
 *
 * <p>slf4j loads this class because {@link RelayServerMain} names it. A program that embeds the relay has its own log.
 */
public final class CommandLog implements SLF4JServiceProvider {
    private static final String EVENT = "event";
    private static final String LOG = "log";

    // The stream for JSON objects; null if text is logged.
    private static volatile PrintStream objects;

    private final SLF4JServiceProvider texts =
            ServiceLoader.load(SLF4JServiceProvider.class).findFirst().orElseThrow();
    private final Map<String, Logger> loggers = new ConcurrentHashMap<>();

    static void speakJson(PrintStream out) {
        objects = out;
    }

    /** Reports a fault or warning: as text on {@code err}, or with {@code --json} as a JSON object on stdout. */
    static void tell(PrintWriter err, Level level, String message) {
        PrintStream out = objects;
        if (out == null) {
            // Text from a file or an argument must not control the terminal.
            err.println("relay-server: " + PrintableText.line(message));
        } else {
            String event = level == Level.ERROR ? "error" : LOG;
            out.println(line(level, message, List.of(new KeyValuePair(EVENT, event)), null));
        }
    }

    /** Reports wrong arguments of the command, and returns its exit code. */
    static int refuse(PrintWriter err, String message) {
        tell(err, Level.ERROR, message);
        if (objects == null) {
            err.println("Try 'relay-server --help'.");
        }
        return CommandLine.ExitCode.USAGE;
    }

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

    /** A logger that writes JSON objects, or passes text to another logger, whose settings decide the logged levels. */
    private static final class Log extends LegacyAbstractLogger implements LoggingEventAware {
        private static final long serialVersionUID = 1L;

        private final transient Logger texts;

        Log(String name, Logger texts) {
            this.name = name;
            this.texts = texts;
        }

        @Override
        public boolean isTraceEnabled() {
            return texts.isTraceEnabled();
        }

        @Override
        public boolean isDebugEnabled() {
            return texts.isDebugEnabled();
        }

        @Override
        public boolean isInfoEnabled() {
            return texts.isInfoEnabled();
        }

        @Override
        public boolean isWarnEnabled() {
            return texts.isWarnEnabled();
        }

        @Override
        public boolean isErrorEnabled() {
            return texts.isErrorEnabled();
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
            texts.atLevel(level).setCause(thrown).log(message);
        }
    }

    @Override
    public void initialize() {
        texts.initialize();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(
                name, added -> new Log(added, texts.getLoggerFactory().getLogger(added)));
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return texts.getMarkerFactory();
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return texts.getMDCAdapter();
    }

    @Override
    public String getRequestedApiVersion() {
        return texts.getRequestedApiVersion();
    }
}
