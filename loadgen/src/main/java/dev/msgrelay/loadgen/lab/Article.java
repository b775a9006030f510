package dev.msgrelay.loadgen.lab;

/**
 * Where an experiment comes from.
 *
 * @param title of the article, or what it is about
 * @param year when it was written; 0 where it does not say
 * @param conditions the author's machine and network, as far as the article tells
 */
public record Article(String title, int year, String conditions) {
    /** "Smart Batching, 2011". */
    public String citation() {
        return year == 0 ? title : title + ", " + year;
    }
}
