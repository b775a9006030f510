/**
 * Readers of a journal. Internal.
 *
 * <p>{@code BlockReader} reads blocks, also while the journal is written, for subscribers that are too slow for the
 * packet log. {@code JournalReader} uses it to read the messages of a directory. {@code TimeSearch} finds the messages
 * of a time although the clock has stepped.
 */
package dev.msgrelay.server.journal.read;
