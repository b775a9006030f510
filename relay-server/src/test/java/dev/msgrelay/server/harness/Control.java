package dev.msgrelay.server.harness;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A control frame that the relay has sent; the getters are for those types that have the field. */
public record Control(int type, ByteBuffer body) {
    /** Those that lie one behind the other; fails where bytes are left over. */
    public static List<Control> all(ByteBuffer bytes) {
        List<Control> frames = new ArrayList<>();
        while (bytes.hasRemaining()) {
            int type = bytes.getInt();
            int length = bytes.getInt();
            if (length < 0 || length > bytes.remaining()) {
                throw new AssertionError("a frame of type " + Integer.toHexString(type) + " with a body of " + length
                        + ", and only " + bytes.remaining() + " bytes of it");
            }
            frames.add(new Control(type, bytes.slice(bytes.position(), length)));
            bytes.position(bytes.position() + length);
        }
        return frames;
    }

    /** ACK's number, or PING's and PONG's id. */
    public long first() {
        return body.getLong(0);
    }

    public long sequence() {
        return body.getLong(8);
    }

    /** ACK's number of what is written; -1: it is not told. */
    public long written() {
        return body.remaining() < 32 ? -1 : body.getLong(16);
    }

    /** ACK's number of what is forced; -1: it is not told. */
    public long forced() {
        return body.remaining() < 32 ? -1 : body.getLong(24);
    }

    public long head() {
        return body.getLong(16);
    }

    /** Of ERROR and GOAWAY. */
    public int code() {
        return body.getShort(0);
    }

    public int closesInMillis() {
        return body.getInt(4);
    }

    public String text() {
        return StandardCharsets.UTF_8.decode(body.duplicate().position(2)).toString();
    }

    // ---- WELCOME's --------------------------------------------------------------------------------------------

    public int version() {
        return body.getShort(0);
    }

    public int policy() {
        return body.get(2);
    }

    public int flags() {
        return body.get(3);
    }

    public int features() {
        return body.getInt(4);
    }

    public long epoch() {
        return body.getLong(8);
    }

    public long next() {
        return body.getLong(16);
    }

    public long accepted() {
        return body.getLong(24);
    }

    public int maxBody() {
        return body.getInt(32);
    }

    public int heartbeatMillis() {
        return body.getInt(36);
    }

    public int idleMillis() {
        return body.getInt(40);
    }

    public String server() {
        return StandardCharsets.UTF_8.decode(body.slice(50, body.getShort(48))).toString();
    }

    /** 0: it is not told. */
    public long fork() {
        int at = 50 + body.getShort(48);
        return body.remaining() == at ? 0 : body.getLong(at);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "0x%08X[%d]", type, body.remaining());
    }
}
