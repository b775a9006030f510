package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenTest {
    @TempDir
    private Path directory;

    @Test
    void isReadFromAFileOfItsOwners() throws Exception {
        assertThat(Token.fromFile(file("0123456789abcdef\n", "rw-------")).secret())
                .isEqualTo("0123456789abcdef");
    }

    @Test
    void aFileForOthersIsRefused() throws Exception {
        Path file = file("0123456789abcdef", "rw-r-----");
        assertThatThrownBy(() -> Token.fromFile(file))
                .hasMessage("others may read or write the token file " + file + ": chmod 600 it");
    }

    @Test
    void aFileOfSomebodyElseIsRefused() throws Exception {
        Path file = file("0123456789abcdef", "---------");
        assumeTrue(!Files.isReadable(file), "root reads every file");
        assertThatThrownBy(() -> Token.fromFile(file))
                .hasMessage("the token file " + file + " cannot be read: permission denied");
    }

    @Test
    void whatIsNoTokenIsRefusedWithoutShowingIt() throws Exception {
        assertThatThrownBy(() -> Token.of("short", "here"))
                .hasMessage("the token in here has 5 characters, not 16..256");
        assertThatThrownBy(() -> Token.of("x".repeat(257), "here"))
                .hasMessage("the token in here has 257 characters, not 16..256");
        assertThatThrownBy(() -> Token.of("a token with spaces in it", "here"))
                .hasMessage("the token in here has characters that are not printable ASCII");
        Path huge = file("x".repeat(10_000), "rw-------");
        assertThatThrownBy(() -> Token.fromFile(huge)).hasMessageContaining("has 10000 bytes: it holds no token");
        Path none = directory.resolve("none");
        assertThatThrownBy(() -> Token.fromFile(none)).hasMessage("there is no token file " + none);
    }

    @Test
    void generatedOnesAreLongDifferentAndNotPrintedByAccident() {
        Token one = Token.generate();
        assertThat(one.secret()).hasSize(32).isNotEqualTo(Token.generate().secret());
        assertThat(one.toString()).isEqualTo("token");
    }

    private Path file(String content, String permissions) throws Exception {
        assumeTrue(directory.getFileSystem().supportedFileAttributeViews().contains("posix"));
        Path file = Files.writeString(directory.resolve("token"), content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
