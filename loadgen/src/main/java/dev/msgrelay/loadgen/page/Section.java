package dev.msgrelay.loadgen.page;

import java.util.List;

/**
 * A part of a page under a heading of its own.
 *
 * @param notes paragraphs, before everything else
 * @param tables shown before the charts
 */
public record Section(String title, List<Note> notes, List<Table> tables, List<Chart> charts) {
    public Section {
        notes = List.copyOf(notes);
        tables = List.copyOf(tables);
        charts = List.copyOf(charts);
    }

    /** A paragraph; one that is marked stands out. */
    public record Note(String text, Mark mark) {
        public static Note of(String text) {
            return new Note(text, Mark.NONE);
        }
    }
}
