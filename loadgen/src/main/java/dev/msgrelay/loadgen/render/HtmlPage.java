package dev.msgrelay.loadgen.render;

import dev.msgrelay.loadgen.plan.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A page of the lab, or results of loadgen, as one HTML file with all scripts, which needs no network. */
public final class HtmlPage {
    /** The script of the relay's own page. */
    private static final String PLOT = "/dev/msgrelay/server/admin/plot.js";

    private HtmlPage() {}

    /** The whole file, to be written as UTF-8. */
    public static String of(String title, Object document) {
        return resource("page.html")
                .replace("{{title}}", title.replace("&", "&amp;").replace("<", "&lt;"))
                .replace("{{style}}", resource("page.css"))
                .replace("{{json}}", json(document))
                .replace("{{plot}}", resource(PLOT))
                .replace("{{script}}", resource("results.js") + resource("page.js"));
    }

    /** JSON for the inside of a script element, which ends at the first end tag, wherever that stands. */
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
