package dev.msgrelay.loadgen.render;

import dev.msgrelay.loadgen.plan.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Creates an HTML file that needs no network, with all its scripts, from results of loadgen or a page of the lab. */
public final class HtmlPage {
    private static final String PLOT = "/dev/msgrelay/server/admin/plot.js";

    private HtmlPage() {}

    /** Returns the whole file, which must be written as UTF-8. */
    public static String of(String title, Object document) {
        return resource("page.html")
                .replace("{{title}}", title.replace("&", "&amp;").replace("<", "&lt;"))
                .replace("{{style}}", resource("page.css"))
                .replace("{{json}}", json(document))
                .replace("{{plot}}", resource(PLOT))
                .replace("{{script}}", resource("results.js") + resource("page.js"));
    }

    /** Escapes JSON for a script element, which would otherwise end at the first end tag in a text. */
    private static String json(Object document) {
        return Json.line(document)
                .replace("<", "\\u003c")
                .replace(">", "\\u003e")
                .replace("&", "\\u0026")
                .replace("{{", "{\\u007b")
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029");
    }

    private static String resource(String name) {
        try (InputStream in = HtmlPage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
