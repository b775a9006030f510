package dev.msgrelay.loadgen.page;

/**
 * What one cell of a table shows.
 *
 * @param fraction drawn as a bar under the text, 0..1; NaN: no bar
 */
public record TableCell(String text, Mark mark, double fraction) {
    public static TableCell of(String text) {
        return new TableCell(text, Mark.NONE, Double.NaN);
    }

    public static TableCell marked(String text, Mark mark) {
        return new TableCell(text, mark, Double.NaN);
    }

    /** "97.3 %" and a bar; "–" where there is none. */
    public static TableCell fraction(double fraction) {
        return new TableCell(Unit.FRACTION.text(fraction), Mark.NONE, fraction);
    }
}
