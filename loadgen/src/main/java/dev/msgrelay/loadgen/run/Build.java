package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.site.HostSite;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;

/**
 * Another build of this project: a checkout in which it was built.
 *
 * @param directory its root
 */
public record Build(Path directory) {
    /** The command that starts its relay-server, without arguments. */
    List<String> relay(List<String> javaOptions) throws IOException {
        return command(javaOptions, "-jar", jar("relay-server").toString());
    }

    /**
     * The command that starts one of its load generator's programs, without arguments.
     *
     * @throws IOException it has none of this name
     */
    List<String> loadgen(List<String> javaOptions, String main) throws IOException {
        Path jar = jar("loadgen");
        try (JarFile classes = new JarFile(jar.toFile())) {
            if (classes.getEntry(main.replace('.', '/') + ".class") == null) {
                throw new IOException(jar + " has no " + main);
            }
        }
        return command(javaOptions, "-cp", jar.toString(), main);
    }

    /**
     * The newest jar of a module with all that it needs.
     *
     * @throws IOException there is none
     */
    public Path jar(String module) throws IOException {
        Path target = directory.resolve(module).resolve("target");
        Path newest = null;
        FileTime newestTime = null;
        if (Files.isDirectory(target)) {
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, module + "-*-all.jar")) {
                for (Path jar : jars) {
                    FileTime time = Files.getLastModifiedTime(jar);
                    if (newest == null || time.compareTo(newestTime) > 0) {
                        newest = jar;
                        newestTime = time;
                    }
                }
            }
        }
        if (newest == null) {
            throw new IOException("no " + module + "/target/" + module + "-*-all.jar in " + directory
                    + ": build it there with mvn -DskipTests package");
        }
        return newest.toAbsolutePath();
    }

    private static List<String> command(List<String> javaOptions, String... rest) {
        List<String> command = new ArrayList<>(List.of(HostSite.java()));
        command.addAll(RelayMiddle.withNativeAccess(javaOptions));
        command.addAll(List.of(rest));
        return command;
    }
}
