package dev.msgrelay.loadgen.render;

import dev.msgrelay.loadgen.plan.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * A document as one HTML file that needs nothing else: its JSON, the script that draws it, style, and Chart.js from the class
 * path. The document is that of a page, or results of loadgen.
 */
public final class HtmlPage {
    private static final String CHART_VERSION = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    private static final String CHART_SCRIPT = "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";

    private HtmlPage() {}

    /** The whole file, to be written as UTF-8. */
    public static String of(String title, Object document) {
        return resource("page.html")
                .replace("{{title}}", title.replace("&", "&amp;").replace("<", "&lt;"))
                .replace("{{style}}", resource("page.css"))
                .replace("{{json}}", json(document))
                .replace("{{chart}}", chartJs())
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

    private static String chartJs() {
        try {
            Properties properties = new Properties();
            properties.load(new StringReader(resource(CHART_VERSION)));
            // Its last line points to a file that a page on its own does not have.
            return resource(CHART_SCRIPT.replace("%s", properties.getProperty("version")))
                    .replaceFirst("\n//# sourceMappingURL=.*\\s*$", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
