package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.rig.Live;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Shows the progress of runs: on a terminal as one line that is overwritten, otherwise as a line a second. The
 * controller's thread owns it.
 */
public final class ProgressLine implements RunObserver, AutoCloseable {
    private static final String ERASE_TO_END = "\u001b[K";
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private final PrintStream out = System.err;
    private final boolean terminal = isTerminal();
    private final PrintWriter notices;
    private String prefix = "";
    private boolean open;

    /** Creates an object that writes to stderr, so that stdout contains only the result. */
    public ProgressLine(PrintWriter notices) {
        this.notices = notices;
    }

    /** Whether stderr is a terminal. {@link System#console} cannot be used, as it is about stdin and stdout. */
    private static boolean isTerminal() {
        String term = System.getenv("TERM");
        if (term == null || term.equals("dumb")) {
            return false;
        }
        try {
            String stderr = Files.readSymbolicLink(STDERR).toString();
            return stderr.startsWith("/dev/pts/") || stderr.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            // On other systems than Linux, whole lines are written, since these work everywhere.
            return false;
        }
    }

    @Override
    public void notice(String line) {
        clear();
        notices.println(line);
        notices.flush();
    }

    @Override
    public void begins(String where) {
        clear();
        prefix = where.isEmpty() ? "" : "[" + where + "] ";
    }

    @Override
    public void phase(String what) {
        if (terminal) {
            show(prefix + what + " ...");
        }
    }

    public void step(String what) {
        show(prefix + what);
    }

    @Override
    public void progress(Live live) {
        if (Double.isNaN(live.out())) {
            // No worker has sent a report yet.
            return;
        }
        StringBuilder line = new StringBuilder(prefix);
        line.append(Unit.format(
                "%4.0f / %.0f s  %-9s",
                Math.floor(live.elapsedNanos() / 1e9), Math.ceil(live.totalNanos() / 1e9), live.phase()));
        if (live.in() > 0) {
            line.append(
                    Unit.format("  in %8s msg/s %8s/s", Unit.COUNT.ascii(live.in()), Unit.BYTES.ascii(live.bytesIn())));
        }
        line.append(
                Unit.format("  out %8s msg/s %8s/s", Unit.COUNT.ascii(live.out()), Unit.BYTES.ascii(live.bytesOut())));
        if (live.lagBytes() >= 0) {
            line.append("  lag ").append(Unit.BYTES.ascii(live.lagBytes()));
        }
        show(line.toString());
        if (open && live.phase().equals(Live.MEASURED)) {
            out.println();
            open = false;
        }
    }

    /** Clears the overwritten line, so that other text can be printed. */
    public void clear() {
        if (open) {
            out.print("\r" + ERASE_TO_END);
            out.flush();
            open = false;
        }
    }

    @Override
    public void close() {
        clear();
    }

    private void show(String line) {
        if (terminal) {
            out.print("\r" + line + ERASE_TO_END);
            out.flush();
            open = true;
        } else {
            out.println(line);
        }
    }
}
