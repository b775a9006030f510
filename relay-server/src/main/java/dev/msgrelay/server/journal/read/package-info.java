/**
 * Readers of a journal. Internal.
 *
 * <p>{@code BlockReader} reads blocks, also of a journal that is being written, for subscribers that the log has
 * overtaken; {@code JournalReader} reads the messages of a directory by it; {@code TimeSearch} finds a time in a
 * journal whose clock has stepped.
 */
package dev.msgrelay.server.journal.read;
