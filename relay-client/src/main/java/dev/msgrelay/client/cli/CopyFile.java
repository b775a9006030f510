package dev.msgrelay.client.cli;

import dev.msgrelay.client.Position;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.WholeFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Properties;
import java.util.StringJoiner;

/**
 * The file of {@code copy --position}: a place in FROM's stream beside the number that TO's count of the copier had
 * there. It moves only to places that TO has acknowledged. A next run asks FROM for what is behind the place, and gives
 * it the numbers behind the number; TO says up to where it has them, and these are not sent again: each message comes
 * once.
 *
 * <pre>
 *  name=copy-4f1d2c0a93b7e655     under which TO counts
 *  producer-id=0123456789abcdeffedcba9876543210
 *  types=all
 *  from-epoch=1234605616436508552
 *  from-next=4711                 the first message that TO need not have
 *  from-epochs=1234605616436508552:4000,-7:1
 *  to-epoch=-81
 *  to-epochs=-81:1
 *  number=12                      in TO's count, of the last message before from-next
 * </pre>
 *
 * The file is replaced as a whole, and locked by a file beside it, which stays.
 */
final class CopyFile implements Closeable {
    private final Path file;
    private final FileChannel lock;
    private final String name;
    private final ProducerId producer;
    private final String types;

    // The following are guarded by this object's lock.
    private Optional<Position> from = Optional.empty();
    private long number;
    private long toEpoch;
    private Epochs toEpochs = Epochs.NONE;
    // Places that TO has not acknowledged yet: one for each CopyRun.SAVE_EVERY.
    private final ArrayDeque<Place> ahead = new ArrayDeque<>();
    private long before;
    private boolean changed;

    /** A place, and the messages that this run had published before it. */
    private record Place(Position position, long messages) {}

    /**
     * Reads the file, or begins one, which is written once FROM has said where it starts.
     *
     * @param name the copier's name at TO; empty: that of the file, or a random one
     * @throws IOException it is in use, or cannot be read, or is of other types or another name
     */
    static CopyFile open(Path file, String name, TypeRanges types) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel lock = FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (!WholeFile.lock(lock)) {
                throw new IOException(
                        "the place in " + file + " is in use by another copy, which has locked " + beside);
            }
            return new CopyFile(file, lock, name, types);
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private CopyFile(Path file, FileChannel lock, String wantedName, TypeRanges wantedTypes) throws IOException {
        this.file = file;
        this.lock = lock;
        types = wantedTypes.text(Integer.MAX_VALUE);
        if (!Files.exists(file)) {
            name = wantedName.isEmpty() ? SessionOptions.madeUpName("copy") : wantedName;
            producer = ProducerId.random();
            return;
        }
        String keptTypes;
        try {
            Properties kept = PublisherState.read(file);
            name = value(kept, "name");
            producer = ProducerId.parse(value(kept, "producer-id"));
            from = Optional.of(new Position(
                    Long.parseLong(value(kept, "from-epoch")),
                    Long.parseLong(value(kept, "from-next")),
                    Epochs.parse(kept.getProperty("from-epochs", ""))));
            toEpoch = Long.parseLong(value(kept, "to-epoch"));
            toEpochs = Epochs.parse(kept.getProperty("to-epochs", ""));
            number = Long.parseLong(value(kept, "number"));
            if (number < 0) {
                throw new IllegalArgumentException("number=" + number);
            }
            keptTypes = value(kept, "types");
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage() + "): remove it to begin anew", e);
        }
        demandSame("--name", wantedName.isEmpty() ? name : wantedName, name);
        demandSame("--types", types, keptTypes);
    }

    private static String value(Properties kept, String key) {
        String value = kept.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException("no line " + key + "=");
        }
        return value;
    }

    /** The numbers at TO count the messages of one choice under one name. */
    private void demandSame(String option, String wanted, String kept) throws IOException {
        if (!wanted.equals(kept)) {
            throw new IOException("the place in " + file + " is of " + option + " " + kept + ", not " + wanted
                    + ": name another file");
        }
    }

    String name() {
        return name;
    }

    ProducerId producer() {
        return producer;
    }

    /** Whether an earlier run has kept a place. */
    synchronized boolean continues() {
        return from.isPresent();
    }

    /** Number of the last message before the place. */
    synchronized long number() {
        return number;
    }

    /** Epoch of TO's stream at the last run; 0: there was none. */
    synchronized long toEpoch() {
        return toEpoch;
    }

    synchronized Epochs toEpochs() {
        return toEpochs;
    }

    /** The place; empty: there is none yet. */
    synchronized Optional<Position> place() {
        return from;
    }

    /** TO has answered: its stream. */
    synchronized void toIs(long epoch, Epochs epochs) {
        toEpoch = epoch;
        toEpochs = epochs;
        changed = from.isPresent();
    }

    /** This run's first message has the number behind this one. */
    synchronized void countFrom(long lastNumber) {
        before = lastNumber;
    }

    /** FROM's first message comes next: if there is no place yet, this one is written before anything is sent. */
    synchronized void beginAt(Position position) throws IOException {
        if (from.isEmpty()) {
            from = Optional.of(position);
            number = before;
            store();
        }
    }

    /** Takes a place before which this run has handed so many messages to TO's publisher. */
    synchronized void reach(Position position, long messages) {
        ahead.add(new Place(position, messages));
    }

    /**
     * Writes the newest place that TO has acknowledged, if there is a new one.
     *
     * @param acknowledged messages of this run that TO has acknowledged
     */
    synchronized void write(long acknowledged) throws IOException {
        while (!ahead.isEmpty() && ahead.peek().messages() <= acknowledged) {
            Place reached = ahead.remove();
            from = Optional.of(reached.position());
            number = before + reached.messages();
            changed = true;
        }
        if (changed) {
            store();
        }
    }

    private void store() throws IOException {
        Position place = from.orElseThrow();
        StringJoiner lines = new StringJoiner("\n", "", "\n");
        lines.add("name=" + escaped(name)).add("producer-id=" + producer.hex()).add("types=" + types);
        lines.add("from-epoch=" + place.epoch()).add("from-next=" + place.next());
        lines.add("from-epochs=" + place.epochs().text());
        lines.add("to-epoch=" + toEpoch).add("to-epochs=" + toEpochs.text()).add("number=" + number);
        WholeFile.replace(file, lines.toString().getBytes(StandardCharsets.UTF_8));
        changed = false;
    }

    /** As {@link Properties} reads it. */
    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replaceFirst("^ ", "\\\\ ");
    }

    /** The next copy may have the file. */
    @Override
    public void close() throws IOException {
        lock.close();
    }
}
