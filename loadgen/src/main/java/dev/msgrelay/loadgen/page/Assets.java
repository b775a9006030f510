package dev.msgrelay.loadgen.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** What a page brings along, from the class path. */
final class Assets {
    private static final String CHART_VERSION = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    private static final String CHART_SCRIPT = "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";

    private Assets() {}

    static String style() {
        return text("page.css");
    }

    static String script() {
        return text("page.js");
    }

    /** Chart.js. */
    static String charts() {
        try {
            Properties properties = new Properties();
            properties.load(new StringReader(text(CHART_VERSION)));
            // Its last line points to a file that a page on its own does not have.
            return text(CHART_SCRIPT.formatted(properties.getProperty("version")))
                    .replaceFirst("\n//# sourceMappingURL=.*\\s*$", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(String name) {
        try (InputStream in = Assets.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
