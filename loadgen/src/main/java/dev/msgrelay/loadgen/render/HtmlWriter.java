package dev.msgrelay.loadgen.render;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.render.Chart.Axis;
import dev.msgrelay.loadgen.render.Chart.Series;
import freemarker.core.HTMLOutputFormat;
import freemarker.template.Configuration;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.IntStream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a page as one HTML file, by the template {@code page.ftlh}, which escapes every text. What the file needs is in it:
 * style, the script that draws, and Chart.js from the class path.
 */
public final class HtmlWriter {
    private static final String CHART_VERSION = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    private static final String CHART_SCRIPT = "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";

    /** Lines of a curve's table of figures: enough to read it from. */
    private static final int MAX_ROWS = 25;

    private static final Configuration TEMPLATES = templates();
    private static final JsonMapper JSON = new JsonMapper();

    private HtmlWriter() {}

    /** The whole file, to be written as UTF-8. */
    public static String html(Page page) {
        StringWriter out = new StringWriter(1 << 16);
        try {
            TEMPLATES.getTemplate("page.ftlh").process(Map.of("page", page, "html", new Helper()), out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (TemplateException e) {
            throw new IllegalStateException("the page's template does not fit the page: " + e.getMessage(), e);
        }
        return out.toString().replaceAll("[\\x00-\\x08\\x0b-\\x1f\\x7f]", "\ufffd");
    }

    private static Configuration templates() {
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_33);
        configuration.setClassForTemplateLoading(HtmlWriter.class, "");
        configuration.setDefaultEncoding(StandardCharsets.UTF_8.name());
        configuration.setOutputFormat(HTMLOutputFormat.INSTANCE);
        configuration.setLocale(Locale.ROOT);
        configuration.setLogTemplateExceptions(false);
        configuration.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
        return configuration;
    }

    /** What the template cannot say by itself. */
    public static final class Helper {
        public String style() {
            return resource("page.css");
        }

        public String script() {
            return resource("page.js");
        }

        /** Chart.js. */
        public String chartJs() {
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

        /** "mark warn". */
        public String css(Mark mark) {
            return "mark " + mark.name().toLowerCase(Locale.ROOT);
        }

        /** A part of a whole as CSS knows it: "97.3%". */
        public String width(double part, double whole) {
            double percent = 100 * Math.max(0, Math.min(1, part / whole));
            return Double.isFinite(percent) ? Unit.format("%.2f%%", percent) : "0%";
        }

        public boolean isKnown(double value) {
            return Double.isFinite(value);
        }

        /** A chart for the script. JSON for the inside of a script element ends at the first end tag, wherever that stands. */
        public String json(Chart chart) {
            return JSON.writeValueAsString(Drawing.of(chart))
                    .replace("<", "\\u003c")
                    .replace(">", "\\u003e")
                    .replace("&", "\\u0026")
                    .replace("\u2028", "\\u2028")
                    .replace("\u2029", "\\u2029");
        }

        /** A chart's figures, for who has no script, no eyes, or wants the number. */
        public Table figures(Chart chart) {
            double[] x = chart.series().stream()
                    .flatMapToDouble(series -> series.points().stream().mapToDouble(Series.Point::x))
                    .collect(TreeSet<Double>::new, TreeSet::add, TreeSet::addAll)
                    .stream()
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            int rows = Math.min(x.length, MAX_ROWS);
            List<Table.Column> columns = new ArrayList<>();
            columns.add(new Table.Column(chart.x().label(), Unit.PLAIN));
            chart.series()
                    .forEach(series -> columns.add(
                            new Table.Column(series.name(), chart.y().unit())));
            return new Table(
                    rows < x.length ? "Figures, " + rows + " of " + x.length : "Figures",
                    columns,
                    IntStream.range(0, rows)
                            .mapToObj(row -> x[rows == 1 ? 0 : (int) ((long) row * (x.length - 1) / (rows - 1))])
                            .map(at -> figures(chart, at))
                            .toList());
        }

        private static List<Table.Value> figures(Chart chart, double x) {
            List<Table.Value> row = new ArrayList<>();
            row.add(Table.Value.of(
                    chart.x().scale() == Axis.Scale.PERCENTILE
                            ? percentile(x)
                            : chart.x().unit().text(x)));
            for (Series series : chart.series()) {
                row.add(series.points().stream()
                        .filter(point -> point.x() == x)
                        .findFirst()
                        .map(point -> Table.Value.of(point.y()))
                        .orElse(Table.Value.of("")));
            }
            return row;
        }
    }

    /** "99.9 %" for 1000. */
    static String percentile(double x) {
        int nines = Math.max(0, (int) Math.ceil(Math.log10(x)) - 1);
        return new BigDecimal((1 - 1 / x) * 100)
                        .setScale(nines, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                + " %";
    }

    static String resource(String name) {
        try (InputStream in = HtmlWriter.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A chart as page.js reads it; points that its scales cannot show are null. */
    private record Drawing(
            @JsonProperty Axis x,
            @JsonProperty Axis y,
            @JsonProperty List<Curve> series) {
        record Curve(
                @JsonProperty String name,
                @JsonProperty boolean dashed,
                @JsonProperty List<Double[]> points) {}

        static Drawing of(Chart chart) {
            return new Drawing(
                    chart.x(),
                    chart.y(),
                    chart.series().stream()
                            .map(series -> new Curve(
                                    series.name(),
                                    series.dashed(),
                                    series.points().stream()
                                            .filter(point -> chart.x().shows(point.x()))
                                            .map(point -> new Double[] {
                                                point.x(), chart.y().shows(point.y()) ? (Double) point.y() : null
                                            })
                                            .toList()))
                            .toList());
        }
    }
}
