package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** The folders of {@link Directories#forSockets} for {@code @TempDir}. */
public final class ShortFolders implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        return Directories.forSockets("junit");
    }
}
