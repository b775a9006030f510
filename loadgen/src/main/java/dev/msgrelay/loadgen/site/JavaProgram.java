package dev.msgrelay.loadgen.site;

import java.util.List;

/**
 * What a site starts: a class of the load generator, in a JVM of its own.
 *
 * @param javaOptions of the JVM
 * @param main name of the class
 */
public record JavaProgram(List<String> javaOptions, String main, List<String> args) {
    public JavaProgram {
        javaOptions = List.copyOf(javaOptions);
        args = List.copyOf(args);
    }
}
