package dev.msgrelay.loadgen.render;

import java.util.List;

/**
 * A report. All texts are plain: the page sets them as text.
 *
 * @param facts where and how it came to be: shown at the end, under {@code factsTitle}
 */
public record Page(String title, String subtitle, List<Section> sections, String factsTitle, List<Fact> facts) {
    public record Fact(String name, String value) {}

    /** A part of a page under a heading of its own; notes are paragraphs before everything else. */
    public record Section(String title, List<Note> notes, List<Table> tables, List<Chart> charts) {
        /** A paragraph; one that is marked stands out. */
        public record Note(String text, Mark mark) {
            public static Note of(String text) {
                return new Note(text, Mark.NONE);
            }
        }
    }
}
