package dev.msgrelay.loadgen.page;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.TreeSet;

/** A chart: the place for its curves, their points for the script, and its figures as a table. */
final class ChartHtml {
    /** Lines of the table of figures: enough to read a curve from. */
    private static final int MAX_ROWS = 25;

    private final Chart chart;
    private final StringBuilder out;

    ChartHtml(Chart chart, StringBuilder out) {
        this.chart = chart;
        this.out = out;
    }

    /** Appends everything. */
    void write() {
        out.append("<figure class=\"chart\"><figcaption><b>")
                .append(Html.escape(chart.title()))
                .append("</b>");
        if (!chart.note().isEmpty()) {
            out.append("<span>").append(Html.escape(chart.note())).append("</span>");
        }
        out.append("</figcaption>\n<div class=\"plot\"><canvas role=\"img\" aria-label=\"")
                .append(Html.escape(chart.title() + ": " + chart.y().label() + " over "
                        + chart.x().label() + "; the figures are in the table below it"))
                .append("\"></canvas></div>\n<script type=\"application/json\">")
                .append(Html.json(json()))
                .append("</script>\n");
        figures();
        out.append("</figure>\n");
    }

    private JsonObject json() {
        JsonObject json = new JsonObject();
        json.put("x", axis(chart.x()));
        json.put("y", axis(chart.y()));
        JsonArray all = new JsonArray();
        for (Series series : chart.series()) {
            JsonObject one = new JsonObject();
            one.put("name", series.name());
            one.put("dashed", series.dashed());
            JsonArray points = new JsonArray();
            for (Series.Point point : series.points()) {
                if (isDrawn(point.x(), chart.x())) {
                    points.add(JsonArray.from(point.x(), isDrawn(point.y(), chart.y()) ? point.y() : null));
                }
            }
            one.put("points", points);
            all.add(one);
        }
        json.put("series", all);
        return json;
    }

    private static JsonObject axis(Axis axis) {
        JsonObject json = new JsonObject();
        json.put("label", axis.label());
        json.put("unit", axis.unit().name());
        json.put("scale", axis.scale().name());
        return json;
    }

    private static boolean isDrawn(double value, Axis axis) {
        return Double.isFinite(value) && (axis.scale() == Axis.Scale.LINEAR || value > 0);
    }

    /** For who has no script, no eyes, or wants the number. */
    private void figures() {
        double[] x = chart.series().stream()
                .flatMapToDouble(series -> series.points().stream().mapToDouble(Series.Point::x))
                .collect(TreeSet<Double>::new, TreeSet::add, TreeSet::addAll)
                .stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
        int rows = Math.min(x.length, MAX_ROWS);
        out.append("<details><summary>Figures")
                .append(rows < x.length ? ", " + rows + " of " + x.length : "")
                .append(
                        "</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th class=\"n\" scope=\"col\">")
                .append(Html.escape(chart.x().label()))
                .append("</th>");
        chart.series().forEach(series -> out.append("<th class=\"n\" scope=\"col\">")
                .append(Html.escape(series.name()))
                .append("</th>"));
        out.append("</tr></thead><tbody>\n");
        for (int row = 0; row < rows; row++) {
            figure(x[rows == 1 ? 0 : (int) ((long) row * (x.length - 1) / (rows - 1))]);
        }
        out.append("</tbody></table></div></details>\n");
    }

    private void figure(double x) {
        out.append("<tr><th class=\"n\" scope=\"row\">")
                .append(Html.escape(xText(x)))
                .append("</th>");
        for (Series series : chart.series()) {
            out.append("<td class=\"n\">")
                    .append(Html.escape(at(series.points(), x)))
                    .append("</td>");
        }
        out.append("</tr>\n");
    }

    private String xText(double x) {
        return chart.x().scale() == Axis.Scale.PERCENTILE
                ? percentile(x)
                : chart.x().unit().text(x);
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

    private String at(List<Series.Point> points, double x) {
        for (Series.Point point : points) {
            if (point.x() == x) {
                return chart.y().unit().text(point.y());
            }
        }
        return "";
    }
}
