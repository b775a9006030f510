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

    /** A name and a value. */
    public record Fact(String name, String value) {}
}
