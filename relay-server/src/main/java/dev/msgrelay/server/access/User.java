package dev.msgrelay.server.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A user of this host. Immutable.
 *
 * @param principal the JDK's object for the user; empty if the system has none
 */
public record User(int uid, Optional<UserPrincipal> principal) {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final long LOOKUP_SECONDS = 5;

    /**
     * Looks a user up. A name is looked up by {@code id -u}, which knows all sources of users that the system has.
     *
     * @throws IllegalArgumentException there is no such user, or the look-up fails
     */
    public static User parse(String nameOrNumber) {
        int uid = NUMBER.matcher(nameOrNumber).matches() ? Integer.parseInt(nameOrNumber) : ask(nameOrNumber);
        try {
            return new User(
                    uid,
                    Optional.of(FileSystems.getDefault()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByName(String.valueOf(uid))));
        } catch (UserPrincipalNotFoundException | UnsupportedOperationException e) {
            return new User(uid, Optional.empty());
        } catch (IOException e) {
            throw new IllegalArgumentException("user " + nameOrNumber + " cannot be looked up: " + e.getMessage(), e);
        }
    }

    private static int ask(String name) {
        try {
            Process id = new ProcessBuilder("id", "-u", "--", name)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!id.waitFor(LOOKUP_SECONDS, TimeUnit.SECONDS)) {
                id.destroyForcibly();
                throw new IllegalArgumentException("user " + name + " was not found within " + LOOKUP_SECONDS
                        + " s; its number needs no looking up");
            }
            String answer = new String(id.getInputStream().readNBytes(16), StandardCharsets.US_ASCII).trim();
            if (id.exitValue() != 0 || !NUMBER.matcher(answer).matches()) {
                throw new IllegalArgumentException("there is no user " + name);
            }
            return Integer.parseInt(answer);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "user " + name + " cannot be looked up (" + e.getMessage() + "): give its number", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalArgumentException("user " + name + " was not looked up: interrupted", e);
        }
    }
}
