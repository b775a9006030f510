package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.MessagePrinter;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.protocol.text.WatchedOutput;
import dev.msgrelay.server.admin.CheckMetrics;
import dev.msgrelay.server.admin.JsonLine;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.FoundSnapshot;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.Repair;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code relay-server journal}: inspects the directory of a journal, and repairs it. */
@ShortHelp(
        examples = {
            "relay-server journal check stream",
            "relay-server journal dump stream",
            "relay-server journal repair stream"
        })
@Command(
        name = "journal",
        mixinStandardHelpOptions = true,
        description = "Inspects or repairs the directory of a journal. All of its commands work without a relay.",
        footer = {
            "",
            "Exit codes: 0 all messages are there; 1 messages are missing, --from is beyond",
            "the end, or the directory cannot be read; 2 wrong usage."
        })
final class JournalCommand implements Runnable {
    /** After so many messages the dump checks whether the output is still read. The check writes the buffered lines. */
    private static final int LOOK = 1024;

    private static final String WRITTEN_OFF = "written off";

    @Spec
    private CommandSpec spec;

    private final WatchedOutput stdout;
    private final PrintWriter out;

    /** Prints to standard output directly, and waits for its reader, because a dump must not drop a line. */
    JournalCommand() {
        this(new FileOutputStream(FileDescriptor.out));
    }

    JournalCommand(OutputStream out) {
        this.stdout = new WatchedOutput(out);
        this.out = new PrintWriter(stdout, false, StandardCharsets.UTF_8);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "journal: check, dump or repair?");
    }

    @ShortHelp(examples = {"relay-server journal check /var/lib/relay/stream"})
    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            description = "Reads every byte, changes nothing, and reports the messages and the damage.")
    int check(
            @Parameters(paramLabel = "DIR", description = "The directory.") Path directory,
            @Option(names = "--json", description = "Print one JSON object a line.") boolean json,
            @Option(
                            names = "--metrics-file",
                            paramLabel = "FILE",
                            description = "Write the result there as well, for the textfile collector of Prometheus'"
                                    + " node_exporter.")
                    Path metricsFile) {
        long began = System.nanoTime();
        AtomicLong bytes = new AtomicLong();
        int code = withLockedDisk(directory, disk -> {
            Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
            bytes.set(found.checkedBytes());
            printFindings(disk, found, json, "damaged");
            return found.allSound() ? 0 : 1;
        });
        if (metricsFile == null) {
            return code;
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        try {
            new CheckMetrics(directory, code == 0, bytes.get(), Instant.now(), took).write(metricsFile);
            return code;
        } catch (IOException e) {
            printError("the metrics cannot be written to " + metricsFile + ": " + TextFile.fault(e));
            return 1;
        }
    }

    @ShortHelp(examples = {"relay-server journal dump /var/lib/relay/stream"})
    @Command(
            name = "dump",
            mixinStandardHelpOptions = true,
            description = {
                "Prints each message like 'relay-client subscribe', and gaps on standard error.",
                "Checks every byte before it is printed."
            })
    int dump(
            @Parameters(paramLabel = "DIR", description = "The directory.") Path directory,
            @Option(
                            names = "--from",
                            paramLabel = "SEQUENCE",
                            defaultValue = "1",
                            description = "Start with this message. Default: the oldest one.")
                    long from,
            @Option(
                            names = "--count",
                            paramLabel = "N",
                            defaultValue = "9223372036854775807",
                            description = "End after N messages. Default: never.")
                    long count,
            @Option(names = "--hex", description = "Print bodies always in hex.") boolean hex,
            @Option(names = "--json", description = "Print one JSON object a line, which publish --json takes.")
                    boolean json) {
        if (from < 1 || count < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--from " + from + " and --count " + count + " must be at least 1");
        }
        if (hex && json) {
            throw new ParameterException(spec.commandLine(), "--hex and --json exclude each other");
        }
        return withLockedDisk(directory, disk -> {
            Printed printed = new Printed(new MessagePrinter(out, json, hex), count, json);
            Recovery found = Recovery.inspect(disk, Recovery.Depth.START);
            if (from > found.endSequence()) {
                printError("--from " + from + " is beyond the next message of this journal, " + found.endSequence());
                return 1;
            }
            JournalReader.read(disk, found, from, printed);
            // The program that reads the output may have ended, as head does. That is no fault.
            stdout.isRead(out);
            return printed.lost ? 1 : 0;
        });
    }

    @ShortHelp(examples = {"relay-server journal repair /var/lib/relay/stream"})
    @Command(
            name = "repair",
            mixinStandardHelpOptions = true,
            description = {
                "Writes off damaged messages, so that a relay can continue.",
                "Replaced files stay beside the new ones as *.damaged. Whole messages do not change."
            })
    int repair(
            @Parameters(paramLabel = "DIR", description = "The directory.") Path directory,
            @Option(names = "--json", description = "Print one JSON object a line.") boolean json) {
        return withDisk(directory, disk -> {
            Recovery found = Repair.all(disk);
            printFindings(disk, found, json, WRITTEN_OFF);
            return 0;
        });
    }

    private interface Work {
        int on(Disk disk) throws IOException;
    }

    /** Like {@link #withDisk}, but locks the disk, so that no relay starts meanwhile. No lock if one runs already. */
    private int withLockedDisk(Path directory, Work work) {
        return withDisk(directory, disk -> {
            Closeable lock = lock(disk);
            try {
                return work.on(disk);
            } finally {
                lock.close();
            }
        });
    }

    private Closeable lock(Disk disk) throws IOException {
        try {
            // A backup has no lock file.
            return disk.names().contains(FileDisk.LOCK) ? disk.lock(false) : () -> {};
        } catch (IOException e) {
            printError(e.getMessage() + "; messages being written may look torn");
            return () -> {};
        }
    }

    private int withDisk(Path directory, Work work) {
        try {
            if (!Files.isDirectory(directory)) {
                throw new IOException(directory + " is no directory");
            }
            FileDisk disk = new FileDisk(directory);
            if (!Recovery.hasAny(disk)) {
                throw new IOException("there is no journal in " + directory);
            }
            return work.on(disk);
        } catch (IOException e) {
            printError(e.getMessage());
            return 1;
        } finally {
            out.flush();
        }
    }

    private void printError(String text) {
        spec.commandLine().getErr().println("relay-server: " + text);
        spec.commandLine().getErr().flush();
    }

    private final class Printed implements JournalReader.Sink {
        private final MessagePrinter printer;
        private final boolean json;
        private long left;
        private boolean lost;

        Printed(MessagePrinter printer, long count, boolean json) {
            this.printer = printer;
            this.left = count;
            this.json = json;
        }

        @Override
        public boolean message(long sequence, int type, ByteBuffer body) throws IOException {
            printer.print(sequence, type, body);
            // The dump, which may take hours, ends if nobody reads it any more.
            boolean gone = sequence % LOOK == 0 && out.checkError();
            return --left > 0 && !gone;
        }

        @Override
        public void lost(Loss loss) {
            lost = true;
            if (json) {
                out.println(json("lost", loss));
            } else {
                printError("missing: " + loss.description());
            }
        }
    }

    private void printFindings(Disk disk, Recovery found, boolean json, String damaged) {
        Optional<Recovery.Cut> cut = found.cut();
        if (json) {
            JsonLine line = new JsonLine()
                    .text("event", "journal")
                    .text("directory", disk.place())
                    .truth("sound", found.allSound())
                    .number("segments", found.parts().size())
                    .number("bytes", found.length())
                    .number("firstSequence", found.startSequence())
                    .number("endSequence", found.endSequence())
                    .number("firstPosition", found.startPosition())
                    .number("endPosition", found.endPosition())
                    .number("forcedPosition", found.forcedPosition())
                    .number("epochs", found.epochs().epochs().size())
                    .truth("epochsDamaged", found.epochsDamaged())
                    .number("names", found.states().size())
                    .truth("namesDamaged", found.namesDamaged())
                    .number("clockSteps", found.stepCount())
                    .number("tornMessages", cut.map(Recovery.Cut::messages).orElse(0L))
                    .number("tornBytes", cut.map(Recovery.Cut::bytes).orElse(0L));
            out.println(line.toLine());
            found.steps()
                    .forEach(step -> out.println(new JsonLine()
                            .text("event", "clock-step")
                            .number("sequence", step.sequence())
                            .number("millis", step.millis())
                            .number("time", step.timeMillis())
                            .toLine()));
            found.damage().forEach(loss -> out.println(json(damaged.replace(' ', '-'), loss)));
            found.lost().forEach(loss -> out.println(json("lost", loss)));
            snapshotLine(found.snapshot()).ifPresent(state -> out.println(state.toLine()));
            return;
        }
        long messages = found.endSequence() - found.startSequence();
        out.println("journal " + disk.place() + ": "
                + (messages == 0
                        ? "no messages"
                        : "messages " + found.startSequence() + " to " + (found.endSequence() - 1))
                + " (positions " + found.startPosition() + " to " + found.endPosition() + ") in "
                + ShortText.counted(found.parts().size(), "segment") + " of " + found.length() + " bytes");
        out.println("forced up to position " + found.forcedPosition());
        List<EpochTable.Epoch> epochs = found.epochs().epochs();
        if (found.epochsDamaged()) {
            out.println(damaged + ": the table of epochs");
        } else if (!epochs.isEmpty()) {
            EpochTable.Epoch last = epochs.get(epochs.size() - 1);
            out.println(ShortText.counted(epochs.size(), "start") + ", the last one at "
                    + Instant.ofEpochMilli(last.timeMillis()) + " with message " + last.sequence());
        }
        if (found.namesDamaged()) {
            out.println(damaged + ": the table of names");
        } else if (!found.states().isEmpty()) {
            out.println(ShortText.counted(found.states().size(), "acknowledged publisher"));
        }
        if (found.stepCount() > 0) {
            out.println("the machine's clock stepped " + ShortText.counted(found.stepCount(), "time")
                    + (found.stepCount() > found.steps().size() ? ", at last:" : ":"));
            found.steps()
                    .forEach(step -> out.println("  before message " + step.sequence() + " by "
                            + Duration.ofMillis(step.millis()) + ", to " + JournalClock.timeText(step.timeMillis())));
        }
        if (cut.isPresent()) {
            Recovery.Cut tail = cut.get();
            out.println("torn tail, which the next start cuts off: from message " + tail.sequence() + " on ("
                    + ShortText.counted(tail.messages(), "message") + ", " + tail.bytes()
                    + " bytes that were not forced)");
        }
        found.lost().forEach(loss -> out.println("lost: " + loss.description()));
        found.damage().forEach(loss -> out.println(damaged + ": " + loss.description()));
        found.asideFiles().forEach(name -> out.println(damaged + ": " + name + " is unusable"));
        String aside = damaged.equals(WRITTEN_OFF) ? "put aside" : damaged;
        FoundSnapshot snapshot = found.snapshot();
        snapshot.fault()
                .ifPresentOrElse(
                        why -> out.println(aside + ": the snapshot of the state (" + FileNames.STATE + ") " + why),
                        () -> snapshot.front().ifPresent(front -> out.println(text(front))));
        if (found.allSound()) {
            out.println("sound");
        }
    }

    private static String text(SnapshotFile front) {
        return "snapshot of the state: " + ShortText.counted(front.messages(), "type") + " up to message "
                + (front.sequence() - 1)
                + (front.forgotten() == 0 ? "" : ", without what was newest up to message " + front.forgotten());
    }

    private static Optional<JsonLine> snapshotLine(FoundSnapshot snapshot) {
        JsonLine line = new JsonLine()
                .text("event", "state")
                .truth("sound", snapshot.fault().isEmpty());
        return snapshot.fault().map(why -> line.text("why", why)).or(() -> snapshot.front()
                .map(front -> line.number("messages", front.messages())
                        .number("endSequence", front.sequence())
                        .number("endPosition", front.position())
                        .number("forgottenValue", front.forgottenValue())
                        .number("forgottenTombstone", front.forgottenTombstone())
                        .text("types", front.types().toString())));
    }

    private static String json(String event, Loss loss) {
        return new JsonLine()
                .text("event", event)
                .number("fromSequence", loss.sequence())
                .number("toSequence", loss.endSequence())
                .number("fromPosition", loss.position())
                .number("toPosition", loss.endPosition())
                .text("why", loss.why())
                .toLine();
    }
}
