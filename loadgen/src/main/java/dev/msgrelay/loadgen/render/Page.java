package dev.msgrelay.loadgen.render;

import java.util.List;

/**
 * A report. All texts are plain: the writer escapes them.
 *
 * @param facts where and how it came to be: shown at the end, under {@code factsTitle}
 */
public record Page(String title, String subtitle, List<Section> sections, String factsTitle, List<Fact> facts) {
    public Page {
        sections = List.copyOf(sections);
        facts = List.copyOf(facts);
    }

    public record Fact(String name, String value) {}

    /**
     * A part of a page under a heading of its own.
     *
     * @param notes paragraphs, before everything else
     * @param bars drawn before the tables
     * @param tables before the charts
     * @param charts curves
     * @param details tables behind the charts
     */
    public record Section(
            String title,
            List<Note> notes,
            List<Bars> bars,
            List<Table> tables,
            List<Chart> charts,
            List<Table> details) {
        public Section {
            notes = List.copyOf(notes);
            bars = List.copyOf(bars);
            tables = List.copyOf(tables);
            charts = List.copyOf(charts);
            details = List.copyOf(details);
        }

        /** One without bars, and without anything behind its charts. */
        public Section(String title, List<Note> notes, List<Table> tables, List<Chart> charts) {
            this(title, notes, List.of(), tables, charts, List.of());
        }

        /** A paragraph; one that is marked stands out. */
        public record Note(String text, Mark mark) {
            public static Note of(String text) {
                return new Note(text, Mark.NONE);
            }
        }
    }
}
