package dev.msgrelay.loadgen.render;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Figures in rows and columns. {@link TextTable} formats them. */
public record Table(String caption, List<Column> columns, List<List<Value>> rows) {
    /** A mark that decides the colour of a text. The colour only repeats what the text says. */
    public enum Mark {
        NONE,
        GOOD,
        /** A fact about the result: "emulated". */
        NOTE,
        /** A caution: "the cores were moved". */
        WARN,
        BAD
    }

    public record Column(String title, Unit unit) {
        public static Column text(String title) {
            return new Column(title, Unit.TEXT);
        }

        public boolean isNumber() {
            return unit != Unit.TEXT;
        }

        public String text(Value value) {
            return value.number() == null ? value.text() : unit.text(value.number());
        }
    }

    /** A column of a table of objects. {@code value} returns the number, the text or the {@link Value} of an object. */
    public record Field<T>(String title, Unit unit, Function<T, Object> value) {
        public static <T> Field<T> text(String title, Function<T, Object> value) {
            return new Field<>(title, Unit.TEXT, value);
        }

        public static <T> Field<T> of(String title, Unit unit, Function<T, Object> value) {
            return new Field<>(title, unit, value);
        }
    }

    public static <T> Table of(String caption, List<T> things, List<Field<T>> fields) {
        return new Table(
                caption,
                fields.stream()
                        .map(field -> new Column(field.title(), field.unit()))
                        .toList(),
                things.stream()
                        .map(thing -> row(fields.stream()
                                .map(field -> field.value().apply(thing))
                                .toArray()))
                        .toList());
    }

    /** The content of a cell: a number, which is formatted by the column's unit, or a text. */
    public record Value(Number number, String text, Mark mark) {
        public static Value of(Object value) {
            return marked(value, Mark.NONE);
        }

        public static Value marked(Object value, Mark mark) {
            return value instanceof Number number
                    ? new Value(number, "", mark)
                    : new Value(null, value == null ? "" : value.toString(), mark);
        }

        boolean isSaid() {
            return number == null ? !text.isEmpty() : !Double.isNaN(number.doubleValue());
        }
    }

    /** Returns this table without its empty columns. A table without rows stays the same. */
    public Table withoutEmpty() {
        int[] said = IntStream.range(0, columns.size())
                .filter(i -> rows.isEmpty()
                        || rows.stream().anyMatch(row -> row.get(i).isSaid()))
                .toArray();
        return new Table(
                caption,
                IntStream.of(said).mapToObj(columns::get).toList(),
                rows.stream()
                        .map(row -> IntStream.of(said).mapToObj(row::get).toList())
                        .toList());
    }

    public static List<Value> row(Object... values) {
        List<Value> row = new ArrayList<>(values.length);
        for (Object value : values) {
            row.add(value instanceof Value one ? one : Value.of(value));
        }
        return row;
    }
}
