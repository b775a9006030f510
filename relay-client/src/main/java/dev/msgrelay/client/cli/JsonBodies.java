package dev.msgrelay.client.cli;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.text.NearestWord;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Messages as JSON objects, one a line: {@code type}, and {@code body} (text, in UTF-8 on the wire) or {@code base64}.
 * The other members that {@code subscribe --json} prints are ignored; its gaps and events, which have no body, are
 * passed over. Any other object is wrong, since a misspelt key would lose a message. Owned by one thread.
 */
final class JsonBodies {
    /** Longest escape of a byte. */
    private static final int MOST_PER_BYTE = 6;

    private static final int OTHER_MEMBERS = 4096;

    /** Longest key that a message shows. */
    private static final int SHOWN = 40;

    private static final List<String> OF_A_MESSAGE = List.of("event sequence type length body base64".split(" "));

    /** What gaps, events of the connection, progress and reports have. */
    private static final List<String> OF_AN_EVENT =
            List.of("event from to code endpoint text next head percent leftMillis messages bytes ms msgPerSec mbPerSec"
                    .split(" "));

    private final int type;
    private final int maxBody;
    private final PublishInput.Sink sink;
    private long line;
    private final boolean skipsBad;
    private long events;
    private long bad;
    private String firstBad;

    /**
     * @param type type of an object without one
     * @param skipsBad whether a wrong line is counted instead of a failure
     */
    JsonBodies(int type, int maxBody, boolean skipsBad, PublishInput.Sink sink) {
        this.skipsBad = skipsBad;
        this.type = type;
        this.maxBody = maxBody;
        this.sink = sink;
    }

    /** @throws IOException a line is no such object; the message has its number. Those before it were handed over */
    void read(InputStream in) throws IOException, InterruptedException {
        new BodyReader(in, MOST_PER_BYTE * maxBody + OTHER_MEMBERS).lines(this::object);
    }

    /** What was passed over, a line each for people. */
    List<String> passedOver() {
        List<String> lines = new ArrayList<>();
        if (events > 0) {
            lines.add("passed over " + ShortText.groupedOf(events, "event") + " without a body");
        }
        if (bad > 0) {
            lines.add("passed over " + ShortText.groupedOf(bad, "wrong line") + "; the first: " + firstBad);
        }
        return lines;
    }

    private void object(byte[] array, int offset, int length) throws IOException, InterruptedException {
        line++;
        Optional<Message> found;
        try {
            found = message(array, offset, length);
        } catch (PublishInput.BadInputException e) {
            if (!skipsBad) {
                throw e;
            }
            firstBad = bad++ == 0 ? e.getMessage() : firstBad;
            return;
        }
        if (found.isPresent()) {
            Message message = found.get();
            sink.accept(message.type, message.body, 0, message.body.length);
        }
    }

    private record Message(int type, byte[] body) {}

    /** The message of a line; empty: it is blank, or an event. */
    private Optional<Message> message(byte[] array, int offset, int length) throws PublishInput.BadInputException {
        JsonObject object;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(array, offset, length))
                    .toString();
            if (text.isBlank()) {
                return Optional.empty();
            }
            object = JsonParser.object().from(text);
        } catch (CharacterCodingException e) {
            throw wrong("is not UTF-8");
        } catch (JsonParserException e) {
            // The parser's number for the end of its text.
            String end = "$1 the end of the line";
            throw wrong("is no JSON object: " + e.getMessage().replaceFirst("(instead of|got) 0 on line .*", end));
        }
        boolean event = object.get("event") instanceof String name && !name.equals("message");
        boolean bodiless = !object.containsKey("body") && !object.containsKey("base64");
        List<String> known = event && bodiless ? OF_AN_EVENT : OF_A_MESSAGE;
        for (String key : object.keySet()) {
            if (!known.contains(key)) {
                throw wrong("has the key '" + ShortText.cut(key, SHOWN) + "'" + NearestWord.hint(key, known)
                        + (bodiless && !event ? ", and neither 'body' nor 'base64'" : ", which no message has"));
            }
        }
        if (bodiless) {
            if (!event) {
                throw wrong("has neither 'body' nor 'base64'");
            }
            events++;
            return Optional.empty();
        }
        byte[] body = body(object);
        if (body.length > maxBody) {
            throw wrong("has a body of " + body.length + " bytes, over the limit of " + maxBody);
        }
        return Optional.of(new Message(type(object), body));
    }

    private byte[] body(JsonObject object) throws PublishInput.BadInputException {
        Object text = object.get("body");
        Object base64 = object.get("base64");
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

    private int type(JsonObject object) throws PublishInput.BadInputException {
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

    private PublishInput.BadInputException wrong(String what) {
        return new PublishInput.BadInputException("line " + line + " " + what);
    }
}
