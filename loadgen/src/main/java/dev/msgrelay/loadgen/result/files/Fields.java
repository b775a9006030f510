package dev.msgrelay.loadgen.result.files;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** A JSON object that is read field by field. What is wrong is told with the field's path. */
final class Fields {
    /** A field that is not there, or not what it should be. */
    static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Wrong(String path, String what) {
            super(path + ": " + what);
        }
    }

    private final JsonObject json;
    private final String path;

    private Fields(JsonObject json, String path) {
        this.json = json;
        this.path = path;
    }

    static Fields root(JsonObject json) {
        return new Fields(json, "");
    }

    /** An object that lies somewhere in a document. */
    static Fields of(JsonObject json, String path) {
        return new Fields(json, path);
    }

    String text(String name) {
        return typed(name, String.class, "a text");
    }

    /** A text, or null. */
    String textOrNull(String name) {
        return json.get(name) == null ? null : text(name);
    }

    boolean flag(String name) {
        return typed(name, Boolean.class, "true or false");
    }

    long whole(String name) {
        return whole(path(name), json.get(name));
    }

    int count(String name) {
        long value = whole(name);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new Wrong(path(name), value + " is not within 0.." + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    /** A number; null is NaN. */
    double number(String name) {
        return number(path(name), json.get(name));
    }

    /** One of an enum's constants, in lower case. */
    <E extends Enum<E>> E oneOf(String name, Class<E> type) {
        return parsed(
                name, text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace(' ', '_')));
    }

    /** A text that has a form. */
    <T> T parsed(String name, Function<String, T> parse) {
        String text = text(name);
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new Wrong(path(name), "'" + text + "': " + e.getMessage());
        }
    }

    Fields object(String name) {
        return new Fields(typed(name, JsonObject.class, "an object"), path(name));
    }

    /** An object read by {@code read}; null where the field is null or not there. */
    <T> T orNull(String name, Function<Fields, T> read) {
        return json.get(name) == null ? null : read.apply(object(name));
    }

    /** All objects of an array. */
    <T> List<T> list(String name, Function<Fields, T> read) {
        JsonArray array = array(name);
        List<T> list = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            String at = path(name) + "[" + i + "]";
            if (!(array.get(i) instanceof JsonObject object)) {
                throw new Wrong(at, "not an object");
            }
            list.add(read.apply(new Fields(object, at)));
        }
        return list;
    }

    /** All elements of an array of objects that {@link Document} has made something of. */
    <T> List<T> made(String name, Class<T> type) {
        JsonArray array = array(name);
        List<T> list = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            if (!type.isInstance(array.get(i))) {
                throw new Wrong(path(name) + "[" + i + "]", "not an object");
            }
            list.add(type.cast(array.get(i)));
        }
        return list;
    }

    List<String> texts(String name) {
        JsonArray array = array(name);
        List<String> list = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            if (!(array.get(i) instanceof String text)) {
                throw new Wrong(path(name) + "[" + i + "]", "not a text");
            }
            list.add(text);
        }
        return list;
    }

    double[] numbers(String name) {
        JsonArray array = array(name);
        double[] numbers = new double[array.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = number(path(name) + "[" + i + "]", array.get(i));
        }
        return numbers;
    }

    long[] wholes(String name) {
        JsonArray array = array(name);
        long[] numbers = new long[array.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = whole(path(name) + "[" + i + "]", array.get(i));
        }
        return numbers;
    }

    /** Tells that the object's fields do not fit each other, or are out of their limits. */
    Wrong wrong(String what) {
        return new Wrong(path.isEmpty() ? "the document" : path, what);
    }

    private JsonArray array(String name) {
        return typed(name, JsonArray.class, "an array");
    }

    private static long whole(String at, Object value) {
        if (value instanceof Integer || value instanceof Long) {
            return ((Number) value).longValue();
        }
        throw new Wrong(at, isThere(at, value) + " is not a whole number");
    }

    private static double number(String at, Object value) {
        if (value == null) {
            return Double.NaN;
        }
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw new Wrong(at, isThere(at, value) + " is not a number");
    }

    private <T> T typed(String name, Class<T> type, String kind) {
        Object value = json.get(name);
        if (!type.isInstance(value)) {
            throw new Wrong(path(name), isThere(path(name), value) + " is not " + kind);
        }
        return type.cast(value);
    }

    private static String isThere(String at, Object value) {
        if (value == null) {
            throw new Wrong(at, "missing");
        }
        String text = String.valueOf(value);
        return "'" + (text.length() > 60 ? text.substring(0, 60) + "..." : text) + "'";
    }

    private String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
