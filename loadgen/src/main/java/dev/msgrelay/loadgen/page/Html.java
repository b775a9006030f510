package dev.msgrelay.loadgen.page;

import com.grack.nanojson.JsonWriter;

/** Puts texts into HTML so that they stay texts. */
final class Html {
    private Html() {}

    /** For an element's content, and for an attribute in double or single quotes. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(isAllowed(c) ? c : '\ufffd');
            }
        }
        return escaped.toString();
    }

    /** JSON for the inside of a script element, which ends at the first "&lt;/script", wherever that stands. */
    static String json(Object value) {
        return JsonWriter.string(value)
                .replace("<", "\\u003c")
                .replace(">", "\\u003e")
                .replace("&", "\\u0026")
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029");
    }

    private static boolean isAllowed(char c) {
        return c >= ' ' && c != 0x7f || c == '\n' || c == '\t';
    }
}
