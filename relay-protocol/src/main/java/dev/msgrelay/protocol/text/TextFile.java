package dev.msgrelay.protocol.text;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;

/**
 * A short text in a file: a configuration, a token, a context. Only regular files are opened: a pipe may block, and a
 * device may have no end.
 */
public final class TextFile {
    private static final int KIND = 0170000;
    private static final int PIPE = 0010000;
    private static final int SOCKET = 0140000;

    /** The one device that is allowed: it is empty, and has an end. */
    private static final Path NOTHING = Path.of("/dev/null");

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private TextFile() {}

    /**
     * A fault of the file system in words, with the file's name; the messages of the JDK are little more than that
     * name.
     */
    public static String fault(Throwable e) {
        if (!(e instanceof FileSystemException of)) {
            return e instanceof IOException && e.getMessage() != null ? e.getMessage() : e.toString();
        }
        String what = e instanceof AccessDeniedException
                ? "permission denied"
                : e instanceof NoSuchFileException
                        ? "it is not there"
                        : of.getReason() == null ? e.getClass().getSimpleName() : of.getReason();
        return of.getFile() + ": " + what;
    }

    /**
     * Reads a file as UTF-8; a byte order mark in front is left out.
     *
     * @param mostBytes limit of the file's size
     * @throws IOException the file is no regular file, longer, or no UTF-8: the message has neither its name nor its
     *     content; or the system refuses
     */
    public static String read(Path file, int mostBytes) throws IOException {
        return decode(bytes(file, mostBytes));
    }

    /**
     * Reads the bytes of a file.
     *
     * @param mostBytes limit of the file's size
     * @throws IOException the file is no regular file, or longer: the message does not have its name; or the system
     *     refuses
     */
    public static byte[] bytes(Path file, int mostBytes) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile() && !file.equals(NOTHING)) {
            throw new IOException("it is " + kind(file, attributes) + ": give a file");
        }
        long said = attributes.size();
        byte[] bytes = null;
        if (said <= mostBytes) {
            // Some files, such as those of /proc, tell a size of 0: only a read shows their length.
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(mostBytes + 1);
            }
        }
        if (bytes == null || bytes.length > mostBytes) {
            throw new IOException(Math.max(said, mostBytes + 1L) + " bytes are over the limit of " + mostBytes);
        }
        return bytes;
    }

    /**
     * A warning about a file with a secret that every user of this host can read; null: only its owner and group can,
     * others may not enter its folder, or this process cannot read it.
     */
    public static String wide(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix") || !Files.isReadable(file)) {
            return null;
        }
        Path folder = file.toAbsolutePath().getParent();
        boolean wide = Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)
                && Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE);
        return wide
                ? SecretText.file(file) + " is a secret that every user of this host can read: chmod o= "
                        + SecretText.file(file)
                : null;
    }

    /** Decodes UTF-8; the exception tells the line that is not UTF-8, or that the text is UTF-16. */
    private static String decode(byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(rest).toString();
        } catch (CharacterCodingException e) {
            if (utf16(bytes)) {
                throw noText();
            }
            int line = 1;
            for (int i = 0; i < rest.position(); i++) {
                line += bytes[i] == '\n' ? 1 : 0;
            }
            throw new IOException("it is not UTF-8 in line " + line);
        }
        if (text.indexOf(0) >= 0) {
            throw noText();
        }
        return text.isEmpty() || text.charAt(0) != BYTE_ORDER_MARK ? text : text.substring(1);
    }

    private static IOException noText() {
        return new IOException("it is not UTF-8, but UTF-16 or no text: save it as UTF-8");
    }

    private static boolean utf16(byte[] bytes) {
        return bytes.length > 1 && (bytes[0] == -1 && bytes[1] == -2 || bytes[0] == -2 && bytes[1] == -1);
    }

    /**
     * The first line that ends with a CR alone, from 1; 0: there is none. A parser that does not know such line ends
     * may take the rest of a file for part of a comment.
     */
    public static int lineWithCrAlone(String text) {
        int line = 1;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                line++;
            } else if (text.charAt(i) == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n')) {
                return line;
            }
        }
        return 0;
    }

    private static String kind(Path file, BasicFileAttributes attributes) throws IOException {
        if (attributes.isDirectory()) {
            return "a folder";
        }
        boolean unix = file.getFileSystem().supportedFileAttributeViews().contains("unix");
        int kind = unix ? (Integer) Files.getAttribute(file, "unix:mode") & KIND : 0;
        return kind == PIPE ? "a pipe" : kind == SOCKET ? "a socket" : "a device";
    }
}
