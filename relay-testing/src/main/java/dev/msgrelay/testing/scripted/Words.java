package dev.msgrelay.testing.scripted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The words of a line, between spaces; {@code "..."} keeps its spaces and loses its quotes. */
final class Words {
    private Words() {}

    static List<String> of(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        boolean any = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                quoted = !quoted;
                any = true;
            } else if (c == ' ' && !quoted) {
                if (any) {
                    words.add(word.toString());
                }
                word.setLength(0);
                any = false;
            } else {
                word.append(c);
                any = true;
            }
        }
        if (quoted) {
            throw new IllegalArgumentException("a quote is not closed: " + line);
        }
        if (any) {
            words.add(word.toString());
        }
        return words;
    }

    /** Words of the form {@code name=value}. */
    static Map<String, String> fields(List<String> words) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("not name=value: " + word);
            }
            fields.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return fields;
    }
}
