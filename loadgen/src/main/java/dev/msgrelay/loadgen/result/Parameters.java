package dev.msgrelay.loadgen.result;

import static dev.msgrelay.loadgen.render.Unit.format;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;

/**
 * What was set for a cell. Cells of equal parameters, on the same lane, can be compared.
 *
 * @param rate messages a second of each publisher; 0: as fast as it goes
 * @param mtu of the lane's link in bytes; 0: it has none
 * @param types of the messages, in turn
 * @param clients what publishers and subscribers are
 */
public record Parameters(
        Body body,
        int publishers,
        int subscribers,
        @JsonProperty("messagesPerSecondEach") long rate,
        @JsonProperty("mtuBytes") int mtu,
        int types,
        Clients clients) {
    /** Of a load on a lane that is no link. */
    public static Parameters of(Load load) {
        return new Parameters(
                Body.of(load.body()),
                load.publishers(),
                load.subscribers(),
                load.rate(),
                0,
                load.content().types(),
                load.clients());
    }

    /**
     * The sizes of the bodies.
     *
     * @param text "100", or "16-1000"
     * @param meanBytes without the frame header
     */
    public record Body(String text, double meanBytes) {
        public static Body of(BodySizes sizes) {
            return new Body(sizes.toString(), sizes.mean());
        }
    }

    /** Whether all but the MTU, which is the lane's, is the same. */
    public boolean isSameLoad(Parameters other) {
        return withMtu(0).equals(other.withMtu(0));
    }

    public Parameters withMtu(int newMtu) {
        return new Parameters(body, publishers, subscribers, rate, newMtu, types, clients);
    }

    /** All but the MTU, for people: "1 -> 8, body 100, full speed". */
    public String load() {
        return format(
                "%d -> %d, body %s, %s%s%s",
                publishers,
                subscribers,
                body.text(),
                rate == 0 ? "full speed" : format("%,d msg/s", rate),
                types == 1 ? "" : ", " + types + " types",
                clients.text());
    }

    /** "1 -> 8, body 100, full speed, MTU 1500". */
    @Override
    public String toString() {
        return load() + (mtu == 0 ? "" : ", MTU " + mtu);
    }
}
