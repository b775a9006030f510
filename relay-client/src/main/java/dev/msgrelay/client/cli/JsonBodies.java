package dev.msgrelay.client.cli;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.protocol.ControlFrames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Messages as JSON objects, one a line: {@code type}, and {@code body} (text, in UTF-8 on the wire) or {@code base64}.
 * Other members, such as {@code sequence}, are ignored; an object without a body is passed over. Owned by one thread.
 */
final class JsonBodies {
    /** Longest escape of a byte. */
    private static final int MOST_PER_BYTE = 6;

    private static final int OTHER_MEMBERS = 4096;

    private final int type;
    private final int maxBody;
    private final PublishInput.Sink sink;
    private long line;
    private long passedOver;

    /** @param type type of an object without one */
    JsonBodies(int type, int maxBody, PublishInput.Sink sink) {
        this.type = type;
        this.maxBody = maxBody;
        this.sink = sink;
    }

    /** @throws IOException a line is no such object; the message has its number. Those before it were handed over */
    void read(InputStream in) throws IOException, InterruptedException {
        new BodyReader(in, MOST_PER_BYTE * maxBody + OTHER_MEMBERS).lines(this::object);
    }

    long passedOver() {
        return passedOver;
    }

    private void object(byte[] array, int offset, int length) throws IOException, InterruptedException {
        line++;
        JsonObject object;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(array, offset, length))
                    .toString();
            if (text.isBlank()) {
                return;
            }
            object = JsonParser.object().from(text);
        } catch (CharacterCodingException e) {
            throw wrong("is not UTF-8");
        } catch (JsonParserException e) {
            // The parser's number for the end of its text.
            String end = "$1 the end of the line";
            throw wrong("is no JSON object: " + e.getMessage().replaceFirst("(instead of|got) 0 on line .*", end));
        }
        byte[] body = body(object);
        if (body == null) {
            passedOver++;
            return;
        }
        if (body.length > maxBody) {
            throw wrong("has a body of " + body.length + " bytes, over the limit of " + maxBody);
        }
        sink.accept(type(object), body, 0, body.length);
    }

    /** The body; null: the object has none. */
    private byte[] body(JsonObject object) throws IOException {
        Object text = object.get("body");
        Object base64 = object.get("base64");
        if (text == null && base64 == null) {
            return null;
        }
        if (text != null && base64 != null) {
            throw wrong("needs one body: it has 'body' and 'base64', and only one of them may be there");
        }
        if (!((text == null ? base64 : text) instanceof String)) {
            throw wrong("needs one body: a string 'body' or 'base64'");
        }
        try {
            if (text == null) {
                return Base64.getDecoder().decode((String) base64);
            }
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap((String) text));
            byte[] body = new byte[bytes.remaining()];
            bytes.get(body);
            return body;
        } catch (IllegalArgumentException e) {
            throw wrong("has no base64 in 'base64': " + e.getMessage());
        } catch (CharacterCodingException e) {
            throw wrong("has half a surrogate pair in 'body', which no UTF-8 has");
        }
    }

    private int type(JsonObject object) throws IOException {
        Object given = object.get("type");
        if (given == null) {
            return type;
        }
        if (!(given instanceof Integer || given instanceof Long)) {
            throw wrong("has a type that is no number of 32 bits");
        }
        int number;
        try {
            number = PublishInput.MessageType.of(((Number) given).longValue());
        } catch (IllegalArgumentException e) {
            throw wrong("has a type that is no number of 32 bits: " + given);
        }
        if (ControlFrames.isControl(number)) {
            throw wrong("has the type " + ControlFrames.typeName(number) + ", which is reserved");
        }
        return number;
    }

    private IOException wrong(String what) {
        return new IOException("line " + line + " " + what);
    }
}
