package dev.msgrelay.loadgen.render;

import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Bars on one scale, each before the ceiling that it could have reached. It needs no script.
 *
 * <pre>
 *  loopback  ██████████████████████░░░░░  12.9 M  94 % of 13.7 M
 *  10gbe     ██████████████████░          10.6 M  98 % of 10.9 M
 * </pre>
 *
 * @param note one line under the title; may be empty
 */
public record Bars(String title, String note, List<Group> groups) {
    public Bars {
        groups = List.copyOf(groups);
    }

    /**
     * What is set side by side, on a scale of its own.
     *
     * @param title may be empty
     */
    public record Group(String title, List<Bar> bars) {
        public Group {
            bars = List.copyOf(bars);
        }

        /** What the whole width stands for. */
        public double scale() {
            return bars.stream()
                    .flatMapToDouble(bar -> DoubleStream.of(bar.value(), bar.high(), bar.ceiling()))
                    .filter(Double::isFinite)
                    .max()
                    .orElse(1);
        }
    }

    /**
     * One bar.
     *
     * @param value how long it is; NaN: there is none, only the text
     * @param low the least of several; NaN where there are not several
     * @param high the most of several; NaN where there are not several
     * @param ceiling what it could have been; NaN where that is not known
     * @param text what stands beside it: the value and its part of the ceiling
     * @param mark of the remark
     * @param remark a few words that a reader has to know; may be empty
     */
    public record Bar(
            String label,
            double value,
            double low,
            double high,
            double ceiling,
            String text,
            Mark mark,
            String remark) {}
}
