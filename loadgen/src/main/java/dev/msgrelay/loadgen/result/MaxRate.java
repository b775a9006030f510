package dev.msgrelay.loadgen.result;

import static dev.msgrelay.loadgen.render.Unit.format;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.protocol.text.ShortText;
import java.util.List;

/**
 * The highest rate that was found for one load on one lane.
 *
 * @param lane its name
 * @param parameters with the rate of each publisher that was found; 0 where none was
 * @param p99LimitNanos what the 99th percentile of the latency had to stay within
 * @param confirmed whether so many tries of that rate passed as have to
 * @param ending how the search ended, for people
 * @param attempts every try of the search, in order; a run that was repeated because it was marked is none
 * @param notes what a reader has to know: how far the tries of that rate lay apart, rates that passed and failed
 */
public record MaxRate(
        String lane,
        Parameters parameters,
        long p99LimitNanos,
        boolean confirmed,
        String ending,
        List<Attempt> attempts,
        List<String> notes) {
    public MaxRate {
        attempts = List.copyOf(attempts);
        notes = List.copyOf(notes);
    }

    /**
     * One run of a search.
     *
     * @param rate of each publisher
     * @param failure why it did not pass; empty where it did
     */
    public record Attempt(
            @JsonProperty("messagesPerSecondEach") long rate, String failure) {
        /** "20,000: p99 7.10 ms, over 5.00 ms"; "10,000: passed". */
        @Override
        public String toString() {
            return format("%,d: %s", rate, failure.isEmpty() ? "passed" : failure);
        }
    }

    /** All publishers together, in messages a second; 0 where none was found. */
    @JsonProperty("messagesPerSecond")
    public long total() {
        return parameters.rate() * parameters.publishers();
    }

    /** "found, 14 runs"; "not confirmed: cut short: out of runs or time, 14 runs". */
    public String search() {
        return format(
                "%s%s, %d %s",
                confirmed || total() == 0 ? "" : "not confirmed: ",
                ending,
                attempts.size(),
                ShortText.plural(attempts.size(), "run"));
    }

    /** "10gbe, 4 -> 1, body 100: 400,000 msg/s, 100,000 each (found, 14 runs)". */
    @Override
    public String toString() {
        return format(
                "%s, %d -> %d, body %s: %s%s (%s)",
                lane,
                parameters.publishers(),
                parameters.subscribers(),
                parameters.body().text(),
                total() == 0 ? "no rate" : format("%,d msg/s", total()),
                total() == 0 || parameters.publishers() == 1 ? "" : format(", %,d each", parameters.rate()),
                search());
    }
}
