package dev.msgrelay.loadgen.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CProgramsTest {
    @TempDir
    private Path directory;

    @Test
    void withoutACompilerItIsSaidWhatWasLookedFor() {
        assertThatThrownBy(() -> CPrograms.compiler(null, directory.toString()))
                .isInstanceOf(IOException.class)
                .hasMessage("no C compiler: none of cc, gcc, clang is on the PATH");
        assertThatThrownBy(() -> CPrograms.compiler("tinycc", directory.toString()))
                .hasMessage("no C compiler: CC is 'tinycc', which is not on the PATH");
    }

    @Test
    void theFirstOneOnThePathIsTakenUnlessAnotherIsChosen() throws Exception {
        Path clang = executable("clang");
        assertThat(CPrograms.compiler("", "/nowhere:" + directory)).isEqualTo(clang);
        Path gcc = executable("gcc");
        assertThat(CPrograms.compiler(null, directory.toString())).isEqualTo(gcc);
        assertThat(CPrograms.compiler("clang", directory.toString())).isEqualTo(clang);
    }

    @Test
    void aProgramIsCompiledOnce() throws Exception {
        assumeTrue(CPrograms.obstacle().isEmpty(), CPrograms.obstacle());
        Path relay = CPrograms.relay();
        FileTime made = Files.getLastModifiedTime(relay);
        assertThat(CPrograms.relay()).isEqualTo(relay);
        assertThat(Files.getLastModifiedTime(relay)).isEqualTo(made);
    }

    private Path executable(String name) throws IOException {
        Path file = Files.createFile(directory.resolve(name));
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }
}
