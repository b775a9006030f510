package dev.msgrelay.protocol.text;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The text of a file that people write: UTF-8, whatever editor it comes from. What is no such text is told without any of it. */
public final class FileText {
    private static final char MARK = '\uFEFF';

    private FileText() {}

    /**
     * Decodes it, without its byte order mark.
     *
     * @throws IOException it is no UTF-8; says what it is and in which line, and does not name the file
     */
    public static String of(byte[] bytes) throws IOException {
        boolean utf16 = bytes.length > 1
                && ((bytes[0] & 0xFF) == 0xFE && (bytes[1] & 0xFF) == 0xFF
                        || (bytes[0] & 0xFF) == 0xFF && (bytes[1] & 0xFF) == 0xFE);
        int line = 1;
        for (byte b : bytes) {
            if (b == 0) {
                utf16 = true;
            }
        }
        if (utf16) {
            throw new IOException("it is not UTF-8, but UTF-16 or no text: save it as UTF-8");
        }
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(rest).toString();
            return !text.isEmpty() && text.charAt(0) == MARK ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            for (int i = 0; i < rest.position(); i++) {
                line += bytes[i] == '\n' ? 1 : 0;
            }
            throw new IOException("it is not UTF-8 in line " + line);
        }
    }

    /**
     * A line that ends with a CR alone, from 1; 0: there is none. Where such lines are not known, the rest of a file may look
     * like part of a comment.
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
}
