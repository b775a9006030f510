package dev.msgrelay.loadgen.bench;

import java.util.function.ToDoubleFunction;

/**
 * What is asked of a case.
 *
 * @param name for people: "of the plain relay"
 * @param bound how the value has to lie to the limit
 * @param value of one round
 */
public record Metric(String name, Bound bound, double limit, ToDoubleFunction<Round> value) {
    /** Which side of the limit is good. */
    public enum Bound {
        AT_LEAST(">="),
        ABOVE(">"),
        AT_MOST("<="),
        BELOW("<");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }

        /** Whether the limit is the most that it may be, and not the least. */
        boolean isMost() {
            return this == AT_MOST || this == BELOW;
        }

        /** As in a formula. */
        String sign() {
            return sign;
        }
    }

    public boolean isMet(double measured) {
        return switch (bound) {
            case AT_LEAST -> measured >= limit;
            case ABOVE -> measured > limit;
            case AT_MOST -> measured <= limit;
            case BELOW -> measured < limit;
        };
    }

    String verdict(double measured) {
        return isMet(measured) ? "pass" : "SHORT";
    }

    static Metric atLeast(double limit, String name, ToDoubleFunction<Round> value) {
        return new Metric(name, Bound.AT_LEAST, limit, value);
    }

    static Metric atMost(double limit, String name, ToDoubleFunction<Round> value) {
        return new Metric(name, Bound.AT_MOST, limit, value);
    }

    static Metric below(double limit, String name, ToDoubleFunction<Round> value) {
        return new Metric(name, Bound.BELOW, limit, value);
    }

    static Metric above(double limit, String name, ToDoubleFunction<Round> value) {
        return new Metric(name, Bound.ABOVE, limit, value);
    }
}
