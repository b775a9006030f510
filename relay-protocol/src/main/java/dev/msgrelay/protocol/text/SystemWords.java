package dev.msgrelay.protocol.text;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The system's words for errors that decide something. Java hands on an error of the system as a text, in the language
 * of the user; so the words of this process are learned from an error that is made on purpose. A system's own words in
 * English are known anyway, and stand for those that could not be learned.
 *
 * @param closedPipe a write to a pipe that nobody reads
 * @param inputOutput a read or a write that the device has failed
 */
public record SystemWords(String closedPipe, String inputOutput) {
    /** As they are without a language. */
    public static final SystemWords ENGLISH = new SystemWords("Broken pipe", "Input/output error");

    private static final class Here {
        static final SystemWords WORDS = new SystemWords(
                learned(SystemWords::writeToNobody, ENGLISH.closedPipe),
                learned(SystemWords::readWhereNothingIs, ENGLISH.inputOutput));
    }

    private interface Fault {
        void provoke() throws IOException;
    }

    /** This process's words, learned at the first call. */
    public static SystemWords here() {
        return Here.WORDS;
    }

    /** Whether a write failed since nobody reads any more. */
    public boolean tellClosedPipe(Throwable e) {
        return says(e, closedPipe) || says(e, ENGLISH.closedPipe);
    }

    /** Whether the device has failed. */
    public boolean tellInputOutput(Throwable e) {
        return says(e, inputOutput) || says(e, ENGLISH.inputOutput);
    }

    private static boolean says(Throwable e, String words) {
        return e.getMessage() != null && e.getMessage().contains(words);
    }

    private static String learned(Fault fault, String otherwise) {
        try {
            fault.provoke();
            return otherwise;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private static void writeToNobody() throws IOException {
        Pipe pipe;
        try {
            pipe = Pipe.open();
        } catch (IOException noFilesLeft) {
            return;
        }
        try (Pipe.SinkChannel to = pipe.sink()) {
            pipe.source().close();
            to.write(ByteBuffer.allocate(1));
        }
    }

    /** The lowest page of a process has no memory: Linux answers a read of it with EIO. */
    private static void readWhereNothingIs() throws IOException {
        FileChannel memory;
        try {
            memory = FileChannel.open(Path.of("/proc/self/mem"), StandardOpenOption.READ);
        } catch (IOException notLinux) {
            return;
        }
        try (memory) {
            memory.read(ByteBuffer.allocate(1), 0);
        }
    }
}
