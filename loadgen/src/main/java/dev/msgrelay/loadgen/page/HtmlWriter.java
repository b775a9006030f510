package dev.msgrelay.loadgen.page;

import java.util.List;

/** Writes a page as one HTML file. */
public final class HtmlWriter {
    /** Nothing may be fetched or sent: whatever a text contains, it cannot make the page talk. */
    private static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

    /** A page with fewer sections needs no list of them. */
    private static final int SECTIONS_LISTED = 3;

    private final Page page;
    private final StringBuilder out = new StringBuilder(1 << 16);

    private HtmlWriter(Page page) {
        this.page = page;
    }

    /** The whole file, to be written as UTF-8. */
    public static String html(Page page) {
        return new HtmlWriter(page).write();
    }

    private String write() {
        boolean drawn =
                page.sections().stream().anyMatch(section -> !section.charts().isEmpty());
        head();
        out.append("<body>\n<header><h1>").append(Html.escape(page.title())).append("</h1>");
        if (!page.subtitle().isEmpty()) {
            out.append("<p>").append(Html.escape(page.subtitle())).append("</p>");
        }
        out.append("</header>\n");
        contents();
        out.append("<main>\n");
        if (drawn) {
            out.append(
                    "<noscript><p class=\"note\">Curves need scripts, which are off; the tables of figures hold what they"
                            + " show.</p></noscript>\n");
        }
        for (int i = 0; i < page.sections().size(); i++) {
            section(page.sections().get(i), i);
        }
        facts();
        out.append("</main>\n");
        if (drawn) {
            out.append("<script>").append(Assets.charts()).append("</script>\n<script>");
            out.append(Assets.script()).append("</script>\n");
        }
        return out.append("</body>\n</html>\n").toString();
    }

    private void head() {
        out.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta http-equiv=\"Content-Security-Policy\" content=\"")
                .append(POLICY)
                .append("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
                .append(Html.escape(page.title()))
                .append("</title>\n<style>\n")
                .append(Assets.style())
                .append("</style>\n</head>\n");
    }

    private void contents() {
        if (page.sections().size() < SECTIONS_LISTED) {
            return;
        }
        out.append("<nav aria-label=\"Sections\"><ol>");
        for (int i = 0; i < page.sections().size(); i++) {
            out.append("<li><a href=\"#s").append(i).append("\">");
            out.append(Html.escape(page.sections().get(i).title())).append("</a></li>");
        }
        if (!page.facts().isEmpty()) {
            out.append("<li><a href=\"#facts\">")
                    .append(Html.escape(page.factsTitle()))
                    .append("</a></li>");
        }
        out.append("</ol></nav>\n");
    }

    private void section(Section section, int number) {
        out.append("<section id=\"s").append(number).append("\"><h2>");
        out.append(Html.escape(section.title())).append("</h2>\n");
        for (Section.Note note : section.notes()) {
            out.append("<p");
            if (note.mark() != Mark.NONE) {
                out.append(" class=\"note ").append(note.mark().cssClass()).append('"');
            }
            out.append('>').append(Html.escape(note.text())).append("</p>\n");
        }
        section.tables().forEach(this::table);
        if (!section.charts().isEmpty()) {
            out.append("<div class=\"charts\">\n");
            section.charts().forEach(chart -> new ChartHtml(chart, out).write());
            out.append("</div>\n");
        }
        section.details().forEach(this::table);
        out.append("</section>\n");
    }

    private void table(Table table) {
        out.append("<div class=\"scroll\" tabindex=\"0\"><table>");
        if (!table.caption().isEmpty()) {
            out.append("<caption>").append(Html.escape(table.caption())).append("</caption>");
        }
        out.append("<thead><tr>");
        for (Table.Column column : table.columns()) {
            out.append("<th scope=\"col\"").append(column.number() ? " class=\"n\">" : ">");
            out.append(Html.escape(column.title())).append("</th>");
        }
        out.append("</tr></thead><tbody>\n");
        table.rows().forEach(row -> row(table.columns(), row));
        out.append("</tbody></table></div>\n");
    }

    private void row(List<Table.Column> columns, List<TableCell> row) {
        out.append("<tr>");
        for (int i = 0; i < row.size(); i++) {
            String tag = i == 0 ? "th" : "td";
            out.append('<').append(tag).append(i == 0 ? " scope=\"row\"" : "");
            out.append(columns.get(i).number() ? " class=\"n\">" : ">");
            cell(row.get(i));
            out.append("</").append(tag).append('>');
        }
        out.append("</tr>\n");
    }

    private void cell(TableCell cell) {
        if (cell.mark() == Mark.NONE) {
            out.append(Html.escape(cell.text()));
        } else {
            out.append("<span class=\"").append(cell.mark().cssClass()).append("\">");
            out.append(Html.escape(cell.text())).append("</span>");
        }
        if (!Double.isNaN(cell.fraction())) {
            long percent = Math.round(Math.max(0, Math.min(1, cell.fraction())) * 100);
            out.append("<span class=\"bar\"><i style=\"width:").append(percent).append("%\"></i></span>");
        }
    }

    private void facts() {
        if (page.facts().isEmpty()) {
            return;
        }
        out.append("<section id=\"facts\"><h2>")
                .append(Html.escape(page.factsTitle()))
                .append("</h2>\n<dl>\n");
        for (Page.Fact fact : page.facts()) {
            out.append("<dt>").append(Html.escape(fact.name())).append("</dt><dd>");
            out.append(Html.escape(fact.value())).append("</dd>\n");
        }
        out.append("</dl></section>\n");
    }
}
