package dev.msgrelay.loadgen.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What an experiment needs; checked before it starts.
 *
 * @param diskBytes in the directory for temporary files, at one time
 * @param descriptors open files and sockets at one time
 * @param cores so many threads or processes want a core at the same time; fewer are told, and no refusal
 */
public record Needs(long diskBytes, int descriptors, int cores) {
    private static final double MEGA = 1e6;

    /** The larger of each: experiments run one after the other and clean up. */
    public Needs or(Needs other) {
        return new Needs(
                Math.max(diskBytes, other.diskBytes),
                Math.max(descriptors, other.descriptors),
                Math.max(cores, other.cores));
    }

    /** What is missing and makes the run impossible, each with the number needed; empty when it may start. */
    public List<String> shortfalls(Room room) {
        List<String> missing = new ArrayList<>();
        if (!room.writable()) {
            missing.add(room.directory() + " is not a directory that can be written to");
        } else if (diskBytes > room.freeBytes()) {
            missing.add(String.format(
                    Locale.ROOT,
                    "%,.0f MB needed in %s, %,.0f MB free: give another --dir",
                    Math.ceil(diskBytes / MEGA),
                    room.directory(),
                    Math.floor(room.freeBytes() / MEGA)));
        }
        if (descriptors > room.descriptors()) {
            missing.add(descriptors + " open files needed, " + room.descriptors() + " allowed: raise 'ulimit -n' to "
                    + room.descriptorsFor(descriptors) + " or more");
        }
        return missing;
    }

    /** What is less than wished and may bend the figures; empty where nothing is. */
    public List<String> remarks(Room room) {
        return cores <= room.cores()
                ? List.of()
                : List.of(cores + " threads share " + room.cores() + " cores: with " + cores
                        + " cores figures may differ");
    }
}
